"""Which cells of a printed table's rows are empty, told by the columns in which the others stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tasks.conversion.placed_text import PlacedText

EMPTY_CELL = "–"
"""What an empty cell reads as: without one, an x below "No" could be below "Yes"."""


class TableCell(NamedTuple):
    """A cell's left and right edge in points, and its text."""

    left: float
    right: float
    text: PlacedText


def with_empty_cells(rows: Sequence[Sequence[TableCell]]) -> list[list[PlacedText]]:
    """The texts of each row's cells with :data:`EMPTY_CELL` where the row has nothing in a column of the table.

    Rows of one cell, which may be the heading of those below, and rows with a cell that stands in two columns are given
    as they are; so is the whole table where its columns are not certain: where no row fills them, but for one cell, or
    where two cells of a row share one. No rows give none.
    """
    as_they_are = [[cell.text for cell in row] for row in rows]
    full = [row for row in rows if len(row) > 1]
    if not full:
        return as_they_are
    spanning = {id(row) for row in full if any(_spans(cell, other) for cell in row for other in full)}
    plain = [row for row in full if id(row) not in spanning]
    starts = _columns(plain)
    if not plain or max(map(len, plain)) < len(starts) - 1 or len(starts) < 3:
        return as_they_are
    filled: list[list[PlacedText]] = []
    for row, texts in zip(rows, as_they_are, strict=True):
        if len(row) < 2 or id(row) in spanning:
            filled.append(texts)
            continue
        own = {bisect_right(starts, cell.left) - 1: cell.text for cell in row}
        if len(own) < len(row):
            return as_they_are
        filled.append([own.get(column, PlacedText(EMPTY_CELL)) for column in range(len(starts))])
    return filled


def _spans(cell: TableCell, row: Sequence[TableCell]) -> bool:
    """Whether ``cell`` stands over or under two cells of ``row``."""
    return sum(cell.left < other.right and other.left < cell.right for other in row) > 1


def _columns(rows: Sequence[Sequence[TableCell]]) -> list[float]:
    """Where the columns begin: the stretches that cells stand in, those of which no row has two taken as one, as of
    titles on the left and figures on the right of a column.
    """
    stretches: list[tuple[float, float, set[int]]] = []
    for left, right, index in sorted((cell.left, cell.right, index) for index, row in enumerate(rows) for cell in row):
        if stretches and left < stretches[-1][1]:
            begin, end, members = stretches[-1]
            stretches[-1] = begin, max(end, right), members | {index}
        else:
            stretches.append((left, right, {index}))
    columns: list[tuple[float, set[int]]] = []
    for left, _, members in stretches:
        if columns and columns[-1][1].isdisjoint(members):
            columns[-1][1].update(members)
        else:
            columns.append((left, members))
    return [left for left, _ in columns]
