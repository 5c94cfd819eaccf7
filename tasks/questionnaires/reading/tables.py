"""Split of a sheet into its tables of questions: below each other, each with its own header, or side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Area, Grid
from tasks.questionnaires.reading.column_detection import (
    Columns,
    begins_table,
    columns_below,
    find_columns,
    questions_beside,
)
from tasks.questions.wording import header_role, heads_customers_column, looks_like_question, words_of
from tasks.spreadsheets.question_labels import refers

LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
MAX_TITLE_WORDS = 15


class Table(NamedTuple):
    """A table of questions: the sheet's grid with only its texts, its columns, and the title of its section or ''."""

    grid: Grid
    columns: Columns
    title: str = ""


def find_tables(grid: Grid) -> list[Table]:
    """Find the tables of questions in a sheet, top down and from left to right; none for a sheet without any.

    Questions in several columns below one title, indented by level, are read as one column. A table goes down to the
    next header. A header row without a title over the questions names the section there.
    """
    grid = _without_levels(grid)
    blocks = _blocks(grid)
    tables = [table for block in blocks for table in _below_each_other(block)] if len(blocks) > 1 else []
    if len({table.columns.question for table in tables if _has_place(table.columns)}) < 2:
        tables = _below_each_other(grid)
    return [part for table in tables for part in _side_by_side(table)]


def _without_levels(grid: Grid) -> Grid:
    """The grid with the questions below a merged title in the first of its columns, where each row has only one."""
    titles = {
        area for areas in grid.merges.values() for area in areas if area.top == area.bottom and area.left < area.right
    }
    for title in sorted(titles):
        if header_role(grid.text(title.top, title.left)) not in ("question", "weak_question"):
            continue
        columns = range(title.left, title.right + 1)
        below = {
            row: [column for column in columns if column in cells]
            for row, cells in grid.texts.items()
            if row > title.bottom and any(column in cells for column in columns)
        }
        levels = {at[0] for at in below.values()}
        if len(levels) > 1 and all(len(at) == 1 for at in below.values()):
            texts = dict(grid.texts)
            for row, (column,) in below.items():
                others = {at: text for at, text in texts[row].items() if at != column}
                texts[row] = {**others, title.left: texts[row][column]}
            grid = replace(grid, texts=texts)
    return grid


def _blocks(grid: Grid) -> list[Grid]:
    """The parts of a sheet between columns that are empty from top to bottom."""
    used = sorted({column for cells in grid.texts.values() for column in cells})
    starts = [after for before, after in pairwise([-1, *used]) if after > before + 1]
    ends = [*(start - 1 for start in starts[1:]), LAST_COLUMN]
    return [grid.part(Area(1, left, LAST_ROW, right)) for left, right in zip(starts, ends, strict=False)]


def _has_place(columns: Columns) -> bool:
    return columns.answer is not None or bool(columns.verdicts) or columns.comment is not None


def _below_each_other(grid: Grid) -> list[Table]:
    first = find_columns(grid)
    if first is None:
        return []
    heads = [row for row in sorted(grid.texts) if row == first.header_row or begins_table(grid, row, first)]
    # Of two header rows right below each other, both belong to one table.
    heads = [row for row in heads if row - 1 not in heads or row == first.header_row]
    if len(heads) == 1:
        return [Table(grid, first, title_in_header(grid, first))]
    tables: list[Table] = []
    for at, (head, end) in enumerate(pairwise([*heads, LAST_ROW + 1])):
        # Two rows above the first header is the sheet's own title.
        above = _title_above(grid, head, heads[at - 1] if at else max(0, head - 2))
        below = grid.part(Area(head if at else 1, 1, end - 1, LAST_COLUMN))
        columns = first if head == first.header_row else find_columns(below)
        if columns is None or columns.header_row != head:
            columns = columns_below(below, head, first.question)
        if columns is None or not any(
            columns.question in cells for row, cells in below.texts.items() if row > columns.last_header_row
        ):
            continue
        columns = _completed(columns, first)
        tables.append(Table(below, columns, title_in_header(grid, columns) or above))
    return tables


def _completed(columns: Columns, first: Columns) -> Columns:
    """The columns of a table, with the id column of the sheet's first one where its header does not name its own."""
    if columns.id is None and columns.question == first.question and first.id is not None:
        return replace(columns, id=first.id)
    return columns


def title_in_header(grid: Grid, columns: Columns) -> str:
    """The section's title in a header row, left of the questions or over them, where no title stands over these."""
    cells = grid.row(columns.header_row)
    title = cells.get(columns.question, "")
    if title:
        # "Access control" over the questions is their section; "Question" and "Control" are not.
        is_head = header_role(title) is not None or heads_customers_column(title)
        return "" if is_head or refers(title) else title
    left = [text for column, text in sorted(cells.items()) if column < columns.question]
    names = [text for text in left if header_role(text) != "id" and not refers(text)]
    return names[-1] if len(names) == 1 else ""


def _title_above(grid: Grid, head: int, before: int) -> str:
    """The title right above a header, below the header ``before``; '' where another text stands there."""
    for row in range(head - 1, max(before, head - 3), -1):
        cells = [text for text in grid.row(row).values() if text]
        if not cells:
            continue
        is_title = (
            len(cells) <= 2 and len(words_of(cells[-1])) <= MAX_TITLE_WORDS and not looks_like_question(cells[-1])
        )
        return " ".join(cells) if is_title else ""
    return ""


def _side_by_side(table: Table) -> Iterator[Table]:
    """The tables whose headers stand in one row; the table itself where it is the only one."""
    grid, columns, title = table
    others = questions_beside(grid, columns)
    if not others:
        yield table
        return
    asked = sorted((columns.question, *others))
    headers = grid.row(columns.header_row)
    starts = [1]
    for before, question in pairwise(asked):
        start = question
        while start - 1 > before and header_role(headers.get(start - 1, "")) in ("id", "section"):
            start -= 1
        starts.append(start)
    for left, right in pairwise([*starts, LAST_COLUMN + 1]):
        part = grid.part(Area(1, left, LAST_ROW, right - 1))
        if own := find_columns(part):
            yield Table(part, own, title)
