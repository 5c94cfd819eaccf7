"""Spanning headings of a printed table, which stand over several of its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import median
from typing import NamedTuple

from tasks.conversion.document.placed_text import PlacedText

EMPTY_CELL = "–"
"""Text of an empty cell: without it, an x below "No" could be below "Yes"."""

_IN_LINE = 2.0
_PADDING = 12.0
"""Distance between the text of a column and that of the next, in points."""
_LEAST_OFF, _MOST_OFF = 4.0, 0.08
"""_LEAST_OFF and _MOST_OFF: allowed distance between the middles of a heading and of its columns, in points, and over
their width; the larger counts."""
_MOST_COLUMNS = 12
"""Limit on columns, since all ways to split them among the headings are tried."""
_HEADING = re.compile(r"[^\W\d_a-z][^\d]*$|(?:19|20)\d\d\b")
"""A heading begins with a capital and has no figures, or begins with a year."""


class TableCell(NamedTuple):
    """A cell's left and right edge in points, and its text."""

    left: float
    right: float
    text: PlacedText


class Column(NamedTuple):
    """The left and right edge of a column's cells, in points."""

    left: float
    right: float


def leading(rows: Sequence[Sequence[TableCell]]) -> int:
    """Count the rows above the first row with the most cells; they may be headings of several columns."""
    most = max(map(len, rows), default=0)
    return next((at for at, row in enumerate(rows) if len(row) == most), 0)


def over_columns(
    head: Sequence[TableCell], columns: Sequence[Column], below: Sequence[TableCell]
) -> list[PlacedText] | None:
    """The texts of ``head``, each repeated over every column that it spans, and EMPTY_CELL over those to the left
    without one; None where it is no row of spanning headings.

    A heading stands over the middle of its columns, and ``below``, the next row, has the headings of each. A heading
    that begins where the first of its columns does could belong to that column alone: then the next row has to repeat
    the same texts below each heading, or to have nothing in the first column, whose heading is above.
    """
    count = len(columns)
    if not 1 < len(head) < count <= _MOST_COLUMNS:
        return None
    found = [
        (off, bounds)
        for first in range(min(3, count - len(head) + 1))
        for cuts in combinations(range(first + 1, count), len(head) - 1)
        if (off := _off(head, columns, bounds := (first, *cuts, count))) is not None
    ]
    if not found:
        return None
    _, bounds = min(found)
    if len(head) == count - bounds[0]:
        return None
    is_second = not any(cell.left < columns[0].right and cell.text.text != EMPTY_CELL for cell in below)
    is_of_headings = _is_centred(head, columns, bounds) and all(_HEADING.match(cell.text.text) for cell in below)
    if not (is_second or is_of_headings or _is_repeated(below, columns, bounds)):
        return None
    said = [PlacedText(EMPTY_CELL)] * bounds[0]
    for cell, begin, end in zip(head, bounds, bounds[1:], strict=False):
        said += [cell.text] * (end - begin)
    return said


def _off(head: Sequence[TableCell], columns: Sequence[Column], bounds: Sequence[int]) -> float | None:
    """The summed distance of the headings from the middles of their columns; None where one is not above its own."""
    whole = 0.0
    for cell, begin, end in zip(head, bounds, bounds[1:], strict=False):
        own = _group(columns, begin, end)
        if cell.left < own.left - _PADDING or cell.right > own.right + _PADDING:
            return None
        # Left-aligned columns leave room after the last text, centred columns do not: the nearer middle counts.
        off = min(_from_middle(cell, own), _from_middle(cell, Column(own.left, columns[end - 1].right)))
        off = 0.0 if _begins(cell, own) else off
        if end - begin > 1 and off > max(_LEAST_OFF, _MOST_OFF * (own.right - own.left)):
            return None
        whole += off
    return whole


def _group(columns: Sequence[Column], begin: int, end: int) -> Column:
    """The range of columns as one, up to the next column; the last is as wide as the others are."""
    pitch = median(after.left - before.left for before, after in pairwise(columns))
    following = columns[end].left if end < len(columns) else columns[-1].left + pitch
    return Column(columns[begin].left, max(following - _PADDING, columns[end - 1].right))


def _from_middle(cell: TableCell, own: Column) -> float:
    return abs(cell.left + cell.right - own.left - own.right) / 2


def _begins(cell: TableCell, own: Column) -> bool:
    return abs(cell.left - own.left) < _IN_LINE


def _is_centred(head: Sequence[TableCell], columns: Sequence[Column], bounds: Sequence[int]) -> bool:
    """Tell if no heading over several columns begins where the first of these does."""
    wide = [(cell, begin, end) for cell, begin, end in zip(head, bounds, bounds[1:], strict=False) if end - begin > 1]
    return not any(_begins(cell, _group(columns, begin, end)) for cell, begin, end in wide)


def _is_repeated(below: Sequence[TableCell], columns: Sequence[Column], bounds: Sequence[int]) -> bool:
    """Tell if the texts below each heading over several columns are the same, and more than one."""
    groups = [_group(columns, begin, end) for begin, end in pairwise(bounds) if end - begin > 1]
    said = {
        tuple(cell.text.text for cell in below if own.left <= (cell.left + cell.right) / 2 <= own.right)
        for own in groups
    }
    return len(groups) > 1 and len(said) == 1 and len(min(said)) > 1
