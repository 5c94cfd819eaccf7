"""Stacked questionnaires: answers stand below their questions, after a label such as "Answer:"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import header_role, is_placeholder
from tasks.spreadsheets.question_labels import refers
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.stacked_forms import Stack, find_stack


class StackedSheet(NamedTuple):
    """The questions of a sheet, top down, and for each the row and column of the cell for its answer.

    ``header_row`` is above the first question with a label. ``review`` are the columns of an earlier fill, and
    ``answered_rows`` the rows of the answers that a person has given.
    """

    asked: tuple[AskedRow, ...]
    cells: tuple[tuple[int, int], ...]
    question_column: int
    header_row: int
    review: tuple[tuple[str, int], ...]
    answered_rows: tuple[int, ...]


def read_stacked(grid: Grid, file_name: str) -> StackedSheet | None:
    """Read a sheet with answers below its questions; None for any other layout.

    Raises UsageError where the answers stand in several columns.
    """
    review = _review_columns(grid)
    stack = find_stack(_rows(grid, frozenset(column for _, column in review)))
    if stack is None:
        return None
    asked: list[AskedRow] = []
    places: list[tuple[int, int] | None] = []
    section = ""
    for row, place in zip(stack.rows, stack.answers, strict=True):
        front, question = _front(row, stack), row.cells[stack.layout.question or 0]
        if not question:
            section = " ".join(front)
        else:
            asked.append(AskedRow(row.number, question, next(filter(refers, front), ""), section))
            places.append(None if place is None else _behind_label(grid, place))
    labelled = list(filter(None, places))
    if len({column for _, column in labelled}) != 1:
        where = f"in sheet '{grid.sheet_name}' " if grid.sheet_name else ""
        raise UsageError(
            f"{file_name}: {where}the answers stand below their questions, but not in one column. Put each label, such "
            "as 'Answer:', in the same column, with its answer beside it, and try again."
        )
    (top, column), *_ = labelled
    # Without a label the answer has no cell of its own; the text in its row is not overwritten.
    cells = tuple(place or (one.row_number, column) for one, place in zip(asked, places, strict=True))
    question_column = min(at for at, text in grid.texts[asked[0].row_number].items() if text.strip())
    said = ((row, grid.text(*grid.anchor(row, column))) for row, column in labelled)
    answered = tuple(row for row, text in said if text and not is_placeholder(text))
    return StackedSheet(tuple(asked), cells, question_column, top - 1, review, answered)


def stacked_layout(grid: Grid, sheet: StackedSheet, question_ids: Sequence[str]) -> SheetLayout:
    """The layout for filling ``sheet``. Its rows are those of the answers, below their questions."""
    rows = tuple(
        QuestionRow(question_id, cell[0], grid.choices(*grid.anchor(*cell)), _limit(grid, asked, cell))
        for question_id, asked, cell in zip(question_ids, sheet.asked, sheet.cells, strict=True)
    )
    numbers = (sheet.header_row, *(row.row_number for row in rows))
    merged = (area.right for number in numbers for area in grid.merges.get(number, ()))
    return SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=sheet.header_row,
        question_column=sheet.question_column,
        id_column=None,
        section_column=None,
        answer_column=sheet.cells[0][1],
        comment_column=None,
        verdict_columns=(),
        last_column=max([grid.last_column(), *merged, *(column for _, column in sheet.cells)]),
        review_columns=sheet.review,
        rows=rows,
        answered_rows=sheet.answered_rows,
        is_stacked=True,
    )


def _limit(grid: Grid, asked: AskedRow, cell: tuple[int, int]) -> int | None:
    limits = (without_limit(asked.text)[1], grid.max_characters(*grid.anchor(*cell)))
    return min(filter(None, limits), default=None)


def _review_columns(grid: Grid) -> tuple[tuple[str, int], ...]:
    """The review columns of an earlier fill, with their titles; none where nothing was filled."""
    for _, cells in sorted(grid.texts.items()):
        found = tuple((text.casefold(), at) for at, text in sorted(cells.items()) if header_role(text) == "review")
        if found:
            return found
    return ()


def _rows(grid: Grid, without: frozenset[int]) -> list[SheetRow]:
    """The sheet's rows without the columns ``without``, in order; rows with no other text are left out."""
    rows = []
    for number, texts in sorted(grid.texts.items()):
        width = max((column for column in texts if column not in without), default=0)
        cells = tuple("" if column in without else texts.get(column, "").strip() for column in range(1, width + 1))
        if any(cells):
            rows.append(SheetRow(number, cells))
    return rows


def _front(row: SheetRow, stack: Stack) -> list[str]:
    """The cells before the question: its reference, or the words of a title."""
    return [cell for cell in row.cells[: stack.layout.question] if cell]


def _behind_label(grid: Grid, place: tuple[int, int]) -> tuple[int, int]:
    """The row and column (1-based) of the cell for an answer: behind its label,
    which may be merged over several columns.
    """
    row, index = place
    label = grid.merge(row, index)
    return row, label.right + 1 if label and not grid.text(row, index + 1) else index + 1
