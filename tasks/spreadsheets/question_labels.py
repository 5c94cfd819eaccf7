"""Row labels of a stacked questionnaire: the number or label of a question, and below it that of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

Kind = Literal["question", "answer", "comment", ""]

_NUMBER = r"\d{1,3}(?:[.-]\d{1,3})*[a-z]?"
_WHOSE = r"(?:(?:your|our|the|supplier|vendor|bidder|tenderer|provider|company)(?:['’]s)? )?"
_BEHIND_NAME = rf"(?: ?(?:no\.? ?|#)?(?P<number>{_NUMBER}))?\s*(?:[:.)]?|:\s*(?P<text>.+))"
_OF_WHOM = r"(?: (?:du|des|de la|del|do|da|von|vom) \w+)?"
_WORDS: tuple[tuple[Kind, str], ...] = (
    ("question", r"(?:questions?|fragen?|preguntas?|perguntas?|questão|questões)"),
    (
        "answer",
        rf"{_WHOSE}(?:answers?|responses?|reply|(?:(?:bieter)?antwort(?:en)?|réponses?|respuestas?|respostas?){_OF_WHOM})",
    ),
    (
        "comment",
        r"(?:(?:further|additional) )?(?:comments?|remarks?|evidence|explanation|bemerkung(?:en)?|anmerkung(?:en)?"
        r"|kommentare?|commentaires?|remarques?|comentarios?|comentários?|observaciones|observações)",
    ),
)
# Before a text only a capital is a label.
_LETTERS: tuple[tuple[Kind, str], ...] = (
    ("question", r"(?-i:(?!q[^:]*:\s*\S))Q"),
    ("answer", r"(?-i:(?!a[^:]*:\s*\S))A"),
)
_KNOWN = {
    letters: [(kind, re.compile(name + _BEHIND_NAME, re.I | re.S)) for kind, name in names]
    for letters, names in ((False, _WORDS), (True, _WORDS + _LETTERS))
}
_OF_QUESTION = re.compile(rf"(?:(?:questions?|fragen?|q)[ .#-]*)?(?P<number>{_NUMBER})[.):]*", re.I)
_REFERENCE = re.compile(rf"[(#]?(?:[a-z]{{1,12}}[ .-]?){{0,2}}{_NUMBER}[.):]*", re.I)


class Label(NamedTuple):
    """The label at the beginning of a cell: ``text`` is the rest of the cell, None where the label fills it;
    ``is_counted`` where the label has a number.
    """

    kind: Kind
    text: str | None = None
    is_counted: bool = False


NO_LABEL = Label("")


def label_of(cell: str, letters: bool = False) -> Label:
    """The label that ``cell`` begins with; with ``letters`` Q and A count as labels. NO_LABEL where there is none."""
    for kind, known in _KNOWN[letters]:
        found = known.fullmatch(cell.strip())
        if found is not None:
            return Label(kind, found["text"], found["number"] is not None)
    return NO_LABEL


def bare_kind(cell: str) -> Kind:
    """The kind of the label that fills ``cell``; "" where it holds anything else."""
    label = label_of(cell)
    return label.kind if label.text is None else ""


def is_label(cell: str) -> bool:
    """Tell if ``cell`` is only the label of a question or of an answer."""
    return bare_kind(cell) in ("question", "answer")


def refers(cell: str) -> bool:
    """Tell if ``cell`` is a number by which a question may be named: "1.1", "Q3", "BCP-2"."""
    return _REFERENCE.fullmatch(cell.strip()) is not None


def numbers_questions(values: Sequence[str]) -> bool:
    """Tell if ``values`` are only labels of questions and answers, and numbers of questions, which grow; False for no
    values.
    """
    numbers = [_OF_QUESTION.fullmatch(value.strip()) for value in values if not is_label(value)]
    if not values or not all(numbers):
        return False
    counted = [[int(part) for part in re.findall(r"\d+", found["number"])] for found in numbers if found]
    return all(one < other for one, other in pairwise(counted))
