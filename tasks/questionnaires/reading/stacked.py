"""Stacked questionnaires: answers stand below their questions, after a label such as "Answer:"."""

from __future__ import annotations

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import header_role, is_placeholder
from tasks.spreadsheets.question_labels import refers
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.stacked_forms import find_stack


def read_stacked(grid: Grid, file_name: str) -> tuple[SheetLayout, tuple[AskedRow, ...]] | None:
    """Read a sheet with answers below its questions: the layout, whose rows are those of the answers and have no ids
    yet, and the questions, top down; None for any other layout.

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
        question = row.cell(stack.layout.question)
        front = [cell for cell in row.cells[: stack.layout.question] if cell]
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
    rows: list[QuestionRow] = []
    for one, place in zip(asked, places, strict=True):
        row_number, _ = place or (one.row_number, column)
        cell = grid.anchor(row_number, column)
        limits = filter(None, (without_limit(one.text)[1], grid.max_characters(*cell)))
        rows.append(QuestionRow("", row_number, grid.choices(*cell), min(limits, default=None)))
    said = ((row, grid.written(row, column)) for row, column in labelled)
    layout = SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=top - 1,
        question_column=min(at for at, text in grid.texts[asked[0].row_number].items() if text.strip()),
        id_column=None,
        answer_column=column,
        comment_column=None,
        verdict_columns=(),
        last_column=max(column, grid.last_column([top - 1, *(row.row_number for row in rows)])),
        review_columns=review,
        rows=tuple(rows),
        answered_rows=tuple(row for row, text in said if text and not is_placeholder(text)),
        is_stacked=True,
    )
    return layout, tuple(asked)


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


def _behind_label(grid: Grid, place: tuple[int, int]) -> tuple[int, int]:
    """The row and column of the cell for an answer, behind its label, which may be merged."""
    row, index = place
    label = grid.merge(row, index)
    return row, label.right + 1 if label and not grid.text(row, index + 1) else index + 1
