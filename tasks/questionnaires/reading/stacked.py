"""Stacked questionnaires: answers stand below their questions, after a label such as "Answer:"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import header_role, is_placeholder
from tasks.spreadsheets.question_labels import label_of, refers
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.stacked_forms import find_stack

_Form = Literal["beside", "below", "own cell"]
"""The place of an answer relative to its label."""


def read_stacked(grid: Grid) -> tuple[SheetLayout, tuple[AskedRow, ...]] | None:
    """Read a sheet with answers below its questions: the layout, whose rows are those of the answers and have no ids
    yet, and the questions, top down; None for any other layout.
    """
    review = review_columns(grid)
    stack = find_stack(_rows(grid, frozenset(column for _, column in review)))
    if stack is None:
        return None
    asked: list[AskedRow] = []
    places: list[tuple[tuple[int, int] | None, tuple[int, int] | None]] = []
    section = ""
    for row, answer, comment in zip(stack.rows, stack.answers, stack.comments, strict=True):
        question = row.cell(stack.layout.question)
        front = [cell for cell in row.cells[: stack.layout.question] if cell]
        if not question:
            section = " ".join(front)
        else:
            asked.append(AskedRow(row.number, question, next(filter(refers, front), ""), section))
            places.append((answer, comment))
    form = _form(grid, [place for pair in places for place in pair if place])
    cells = [tuple(_cell(grid, place, form) for place in pair) for pair in places]
    columns = Counter(answer[1] for answer, _ in cells if answer)
    column = columns.most_common(1)[0][0]
    top = min(answer[0] for answer, _ in places if answer)
    # Without a label the answer has no cell of its own; the text in its row is not overwritten.
    rows: list[QuestionRow] = []
    for one, (answer, comment), (label, _) in zip(asked, cells, places, strict=True):
        place = answer or (one.row_number, column)
        own = _label_in(grid.text(*place)) if form == "own cell" and answer else ""
        anchor = grid.anchor(*place)
        limits = filter(None, (without_limit(one.text)[1], grid.max_characters(*anchor)))
        rows.append(
            QuestionRow(
                "",
                label[0] if label else one.row_number,
                grid.choices(*anchor),
                min(limits, default=None),
                answer_at=place,
                comment_at=comment,
                label=own,
            )
        )
    layout = SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=max(0, top - 1),
        question_column=min(at for at, text in grid.texts[asked[0].row_number].items() if text.strip()),
        id_column=None,
        answer_column=column,
        comment_column=None,
        verdict_columns=(),
        last_column=last_column(grid, rows),
        review_columns=review,
        rows=tuple(rows),
        answered_rows=tuple(
            row.row_number
            for row, (answer, _) in zip(rows, cells, strict=True)
            if answer and (text := grid.written(*answer)) != row.label and not is_placeholder(text)
        ),
        is_stacked=True,
    )
    return layout, tuple(asked)


def last_column(grid: Grid, rows: Sequence[QuestionRow]) -> int:
    """The rightmost column of a sheet in use, or needed for one of these rows' answers and comments."""
    cells = (cell for row in rows for cell in (row.answer_at, row.comment_at) if cell)
    return max(grid.last_column([row.row_number for row in rows]), *(column for _, column in cells))


def _form(grid: Grid, places: Sequence[tuple[int, int]]) -> _Form:
    """The places of the answers, by the labels' ``places``.

    In the only column of a sheet they go below a label with several empty rows or without a colon, else behind it in
    its own cell; in any other sheet beside it.
    """
    columns = {column for cells in grid.texts.values() for column in cells}
    # Of a label with the answer behind it in its cell, the place is that cell.
    places = [place for place in places if grid.text(*place)]
    behind = [_behind_label(grid, place) for place in places]
    if len(columns) > 1 or any(grid.written(*cell) or grid.merge(*cell) for cell in behind):
        return "beside"
    free = min((_empty_rows(grid, row) for row, _ in places), default=0)
    has_colons = bool(places) and all(grid.text(*place).endswith(":") for place in places)
    return "below" if free > 1 or (free and not has_colons) else "own cell" if has_colons else "beside"


def _empty_rows(grid: Grid, row: int) -> int:
    """The number of empty rows right below, at most 2, as below the last row."""
    return next((count for count in range(2) if row + 1 + count in grid.texts), 2)


def _cell(grid: Grid, place: tuple[int, int] | None, form: _Form) -> tuple[int, int] | None:
    """The cell for a text behind the label at ``place``; None without a label."""
    if place is None or (form == "own cell" and grid.text(*place)):
        return place
    row, column = _behind_label(grid, place)
    below = (row + 1, place[1])
    is_made_for_it = below in grid.unlocked and (row, column) not in grid.unlocked
    return below if form == "below" or (is_made_for_it and not grid.written(row, column)) else (row, column)


def review_columns(grid: Grid) -> tuple[tuple[str, int], ...]:
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


def _label_in(cell: str) -> str:
    """The label that a cell begins with, without the answer that a person has written behind it."""
    behind = label_of(cell).text
    return cell.removesuffix(behind).rstrip() if behind else cell


def _behind_label(grid: Grid, place: tuple[int, int]) -> tuple[int, int]:
    """The row and column of the cell for an answer, behind its label, which may be merged."""
    row, index = place
    label = grid.merge(row, index)
    return row, label.right + 1 if label and not grid.text(row, index + 1) else index + 1
