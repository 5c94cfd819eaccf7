"""Stacked questionnaires: each answer stands below its question, after a label that returns, and not beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tasks.spreadsheets.continued_rows import joined_text
from tasks.spreadsheets.header_words import heads_answers, heads_questions, reads_as_question
from tasks.spreadsheets.layout import Layout
from tasks.spreadsheets.question_labels import NO_LABEL, Label, label_of, refers
from tasks.spreadsheets.row import SheetRow

_DEMANDS = re.compile(r"\b(?:shall|must|muss|müssen)\b")


class Stack(NamedTuple):
    """A stacked questionnaire, in the rows numbered ``first`` to ``last``, turned into rows with the answers beside the
    questions; each row has the number of its question.

    ``answers`` has for each row the place where its answer begins, or goes: the number of that row, and the index of
    the column behind the label; None where no answer is labelled. ``comments`` has the same of its comments.
    """

    first: int
    last: int
    layout: Layout
    rows: list[SheetRow]
    answers: list[tuple[int, int] | None]
    comments: list[tuple[int, int] | None]


@dataclass(slots=True)
class _Record:
    """A question with its answer and comments; a title has neither question nor answer. ``front`` stands before it."""

    row: SheetRow
    front: list[str]
    question: str = ""
    answer: str = ""
    comments: str = ""
    place: tuple[int, int] | None = None
    comments_place: tuple[int, int] | None = None


def find_stack(rows: Sequence[SheetRow]) -> Stack | None:
    """Find the stacked questionnaire among the rows; None where there is none, or where a row is neither a question nor
    an answer nor a title, so that it is unknown which rows belong together.
    """
    rows = _with_whole_questions(rows)
    labels = _labels(rows)
    answers = [at for at, label in enumerate(labels) if label.kind == "answer"]
    if len(answers) < 2 or answers[0] == 0 or any(_heads_both(row) for row in rows[: answers[0]]):
        return None
    if _may_be_below(rows, labels, answers):
        return None
    start = answers[0] - 1
    above = rows[start - 1].texts if start else []
    if _may_be_title(above) and (start > 1 or len(above) > 1):
        # A title below another title or a header is that of the first section.
        start -= 1
    records: list[_Record] = []
    last = rows[start].number
    for at in range(start, len(rows)):
        row, label = rows[at], labels[at]
        cells = row.texts
        is_asked = at + 1 < len(rows) and labels[at + 1].kind == "answer"
        if label.kind in ("answer", "comment"):
            _add(records[-1], row, label)
        elif is_asked and _may_be_question(label, cells):
            records.append(_asked(row, label, cells))
        elif is_asked:
            return None
        elif records and _goes_on(row, rows[at - 1], labels[at - 1]):
            records[-1].answer = joined_text(records[-1].answer, cells[0])
        elif label.kind == "question" or (reads_as_question(cells[-1]) and _may_be_question(label, cells)):
            records.append(_asked(row, label, cells))
        elif at > answers[-1]:
            break
        elif _may_be_title(cells):
            records.append(_Record(row, [" ".join(cells)]))
        else:
            return None
        last = row.number
    asked = [record.question for record in records if record.place]
    if 2 * sum(reads_as_question(text) or _DEMANDS.search(text) is not None for text in asked) < len(asked):
        return None
    places = [record.place for record in records], [record.comments_place for record in records]
    return Stack(rows[start].number, last, *_beside(records), *places)


def _with_whole_questions(rows: Sequence[SheetRow]) -> list[SheetRow]:
    """Join each row that begins with a small letter to the row right above that it continues."""
    found: list[SheetRow] = []
    number = 0
    for row in rows:
        filled = row.filled
        above = found[-1].cells if found and row.number == number + 1 else ()
        is_below = filled == [len(above) - 1] and row.texts[0][0].islower()
        number = row.number
        if is_below and above[-1][-1:] not in ".?!:" and _label(found[-1], letters=True).kind in ("", "question"):
            found[-1] = found[-1].with_text(filled[0], f"{above[-1]} {row.texts[0]}")
        else:
            found.append(row)
    return found


def _labels(rows: Sequence[SheetRow]) -> list[Label]:
    """The label of each row.

    "A" labels an answer only below a "Q" or a text that asks; a comment stands below an answer, or like an answer in a
    cell of its own.
    """
    found: list[Label] = []
    is_lettered = answered = False
    for row in rows:
        label = _label(row, letters=False)
        lettered = NO_LABEL if label.kind else _label(row, letters=True)
        if lettered.kind == "question" or is_lettered:
            label = label if label.kind else lettered
        is_lettered = lettered.kind == "question" or (len(row.texts) <= 2 and reads_as_question(row.texts[-1]))
        is_apart = label.text is None and answered
        if label.kind == "comment" and not is_apart and (not found or found[-1].kind not in ("answer", "comment")):
            label = NO_LABEL
        answered = answered or label.kind == "answer"
        found.append(label)
    return found


def _label(row: SheetRow, *, letters: bool) -> Label:
    """The label in the first cell of a row with at most one more cell."""
    cells = row.texts
    label = label_of(cells[0], letters)
    is_whole = len(cells) == 1 or (len(cells) == 2 and label.text is None)
    return label if is_whole else NO_LABEL


def _heads_both(row: SheetRow) -> bool:
    """Tell if a row is a header over questions and answers, which then stand beside each other below it."""
    cells = row.texts
    asked = {cell for cell in cells if heads_questions(cell)}
    return bool(asked) and any(heads_answers(cell) and cell not in asked for cell in cells)


def _may_be_title(cells: Sequence[str]) -> bool:
    return len(cells) == 1 or (len(cells) == 2 and refers(cells[0]))


def _may_be_question(label: Label, cells: Sequence[str]) -> bool:
    """Tell if a row is a question by itself, or after its number."""
    if label.kind == "question" or len(cells) == 1:
        return True
    return any(map(refers, cells[:-1])) or reads_as_question(cells[-1])


def _asked(row: SheetRow, label: Label, cells: Sequence[str]) -> _Record:
    if label.kind != "question":
        return _Record(row, list(cells[:-1]), cells[-1])
    if label.text is not None:
        return _Record(row, [], cells[0] if label.is_counted else label.text)
    return _Record(row, list(cells[:-1]) if label.is_counted else [], cells[-1])


def _add(record: _Record, row: SheetRow, label: Label) -> None:
    said = _said(label, row)
    first, *more = row.filled
    place = (row.number, more[0] if more else first + (label.text is None))
    if label.kind == "comment":
        record.comments = joined_text(record.comments, said)
        record.comments_place = record.comments_place or place
    else:
        record.answer = joined_text(record.answer, said)
        record.place = record.place or place


def _said(label: Label, row: SheetRow) -> str:
    """The text of a row after its label."""
    return label.text if label.text is not None else " ".join(row.texts[1:])


def _may_be_below(rows: Sequence[SheetRow], labels: Sequence[Label], answers: Sequence[int]) -> bool:
    """Tell if the answers may stand below their labels: none beside them, and below most of them a single cell."""
    if any(_said(labels[at], rows[at]) for at in answers):
        return False
    below = [
        at + 1 for at in answers if at + 1 < len(rows) and at + 2 not in answers and labels[at + 1].kind != "comment"
    ]
    return 2 * sum(len(rows[at].texts) == 1 for at in below) >= len(answers)


def _goes_on(row: SheetRow, above: SheetRow, label: Label) -> bool:
    """Tell if a row continues the answer above it: it stands right below the answer's text, with no label."""
    if label.kind != "answer" or label.text is not None or row.number != above.number + 1:
        return False
    is_below = len(above.filled) == 2 and row.filled == above.filled[1:]
    return is_below and not reads_as_question(row.texts[0])


def _beside(records: Sequence[_Record]) -> tuple[Layout, list[SheetRow]]:
    """Lay out the records as rows; titles and numbers of questions stand in the columns before the question."""
    front = max(1, *(len(record.front) for record in records))
    rows = [
        one.row._replace(cells=(*one.front, *[""] * (front - len(one.front)), one.question, one.answer, one.comments))
        for one in records
    ]
    headers = (*[""] * front, "Question", "Answer", "Comments")
    return Layout(0, headers, question=front, answer=front + 1, comments=front + 2), rows
