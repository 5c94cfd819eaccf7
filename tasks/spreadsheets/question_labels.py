"""Row labels of a stacked questionnaire: the number or label of a question, and below it that of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

Kind = Literal["question", "answer", "comment", ""]

_NUMBER = r"\d{1,3}(?:[.-]\d{1,3})*[a-z]?"
_COUNTED = rf"(?: ?(?:no\.? ?|#)?(?P<number>{_NUMBER}))?"
_WHOSE = r"(?:(?:your|our|the|supplier|vendor|bidder|tenderer|provider|company)(?:['’]s)? )?"
_NAMES: tuple[tuple[Kind, str], ...] = (
    ("question", r"(?:questions?|fragen?)"),
    ("answer", rf"{_WHOSE}(?:answers?|responses?|reply|antwort(?:en)?)"),
    ("comment", r"(?:(?:further|additional) )?(?:comments?|remarks?|evidence|explanation|bemerkung|kommentar)"),
)
_BARE = tuple((kind, re.compile(rf"{name}{_COUNTED}\s*[:.)]?", re.I)) for kind, name in _NAMES)
_WITH_TEXT = tuple((kind, re.compile(rf"{name}{_COUNTED}\s*:\s*(?P<text>.+)?", re.I | re.S)) for kind, name in _NAMES)
_LETTERS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("question", re.compile(rf"Q{_COUNTED}[:.)]?", re.I)),
    ("answer", re.compile(rf"A{_COUNTED}[:.)]?", re.I)),
)
_LETTERS_WITH_TEXT: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("question", re.compile(rf"Q{_COUNTED}\s*:\s*(?P<text>.+)?", re.S)),
    ("answer", re.compile(rf"A{_COUNTED}\s*:\s*(?P<text>.+)?", re.S)),
)
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


def label_of(cell: str, *, is_bare: bool, letters: bool = False) -> Label:
    """The label in ``cell``: the whole cell if ``is_bare``, else its beginning; with ``letters`` Q and A count as
    labels. NO_LABEL where there is none.
    """
    cell = cell.strip()
    whole, parted = (_BARE + _LETTERS, _WITH_TEXT + _LETTERS_WITH_TEXT) if letters else (_BARE, _WITH_TEXT)
    for kind, known in whole if is_bare else parted:
        found = known.fullmatch(cell)
        if found is not None:
            text = None if is_bare else (found["text"] or "").strip()
            return Label(kind, text, found["number"] is not None)
    return NO_LABEL


def is_label(cell: str) -> bool:
    """Tell if ``cell`` is only the label of a question or of an answer."""
    return label_of(cell, is_bare=True).kind in ("question", "answer")


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
