"""Sheets whose answers stand at labels that a person has named in a map: below, beside or behind "Our reply:"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from configs.slices import Slice
from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.headerless import labelled_layout
from tasks.questionnaires.reading.layout import QuestionRow
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questionnaires.reading.sheet_layouts import ReadSheet
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import is_placeholder
from tasks.spreadsheets.question_labels import refers

Label = Annotated[str, Field(min_length=1)]
"""The text of a label, without regard to case, white space and a colon at its end."""


class LabelMap(Slice):
    """The labels of a sheet whose answers stand in no column: ``answer_label`` stands at the place of each answer.

    ``answer_place`` is the cell beside the label, the one below it, or the label's own, behind it. Without a
    ``question_label``, the question is the last text above the answer's label.
    """

    answer_label: Label
    question_label: Label | None = None
    comment_label: Label | None = None
    answer_place: Literal["beside", "below", "behind"] = "beside"


@dataclass(slots=True)
class _Asked:
    row: AskedRow
    answer: tuple[int, int] | None = None
    label: str = ""
    comment: tuple[int, int] | None = None


def read_labelled(grid: Grid, given: LabelMap, name: str) -> ReadSheet:
    """The questions of a sheet by the labels of a map. Raises UsageError where no answer's label follows a question."""
    asked: list[_Asked] = []
    pending: AskedRow | None = None
    taken: set[tuple[int, int]] = set()
    for number, texts in sorted(grid.texts.items()):
        cells = {at: text.strip() for at, text in sorted(texts.items()) if (number, at) not in taken}
        found = {at: kind for at, text in cells.items() if (kind := _kind(text, given))}
        if (at := _at(found, "answer")) and pending:
            cell, label = _place(grid, (number, at), given, given.answer_label)
            asked.append(_Asked(pending, cell, label))
            taken.add(cell)
            pending = None
        elif (at := _at(found, "comment")) and asked and given.comment_label:
            asked[-1].comment = _place(grid, (number, at), given, given.comment_label)[0]
            taken.add(asked[-1].comment)
        elif not found and cells and not given.question_label:
            *front, text = cells.values()
            pending = AskedRow(number, text, next(filter(refers, front), ""), "")
        elif (at := _at(found, "question")) and given.question_label:
            pending = _question(grid, cells, number, at, given.question_label)
    if not asked:
        raise UsageError(
            f"{name}: sheet {grid.sheet_name!r}: no question was found with a label {given.answer_label!r} below it. "
            "Name answer_label, and question_label where questions have one, as they stand in the sheet."
        )
    rows = [_row(grid, one) for one in asked]
    answered = (
        row.row_number
        for row in rows
        if row.answer_at and (text := grid.written(*row.answer_at)) != row.label and not is_placeholder(text)
    )
    layout = replace(labelled_layout(grid, rows, 1), answered_rows=tuple(answered), is_given=True)
    return ReadSheet(layout, tuple(one.row for one in asked))


def _row(grid: Grid, one: _Asked) -> QuestionRow:
    place = grid.anchor(*(one.answer or (one.row.row_number, 1)))
    limits = filter(None, (without_limit(one.row.text)[1], grid.max_characters(*place)))
    limit = min(limits, default=None)
    return QuestionRow("", place[0], grid.choices(*place), limit, None, place, one.comment, one.label)


def _question(grid: Grid, cells: Mapping[int, str], number: int, at: int, label: str) -> AskedRow | None:
    """The question at a label: behind it in its cell, beside it, or below it; None for none."""
    behind = cells[at][len(label) :].lstrip(" :").strip() if _plain(cells[at]) != _plain(label) else ""
    beside = next((text for column, text in cells.items() if column > at), "")
    below = grid.text(number + 1, at)
    text = behind or beside or below
    return AskedRow(number if behind or beside else number + 1, text, "", "") if text else None


def _place(grid: Grid, label: tuple[int, int], given: LabelMap, word: str) -> tuple[tuple[int, int], str]:
    """The cell for the text of a label, and the label where it stands in that cell itself."""
    row, column = label
    area = grid.merge(row, column)
    if given.answer_place == "behind":
        text = grid.text(row, column)
        return label, text[: len(word)] + (":" if text[len(word) : len(word) + 1] == ":" else "")
    if given.answer_place == "below":
        return ((area.bottom if area else row) + 1, column), ""
    return (row, (area.right if area else column) + 1), ""


def _kind(text: str, given: LabelMap) -> str:
    labels = {"answer": given.answer_label, "question": given.question_label, "comment": given.comment_label}
    for kind, label in labels.items():
        if label is None:
            continue
        plain, word = _plain(text), _plain(label)
        is_behind = kind == "question" or given.answer_place == "behind"
        if plain == word or (is_behind and text.casefold().startswith(f"{word}:")):
            return kind
    return ""


def _at(found: Mapping[int, str], kind: str) -> int:
    return next((at for at, one in found.items() if one == kind), 0)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" :")
