"""Headings of a printed table that stand over several of its columns, as a plan's name does over its figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise
from statistics import median
from typing import NamedTuple

from tasks.conversion.placed_text import PlacedText

EMPTY_CELL = "–"
"""What an empty cell reads as: without one, an x below "No" could be below "Yes"."""

_IN_LINE = 2.0
_PADDING = 12.0
"""What is left between the text of a column and that of the next, in points."""
_LEAST_OFF, _MOST_OFF = 4.0, 0.08
"""How far the middle of a heading may stand from that of its columns: in points, and over their width."""
_MOST_COLUMNS = 12
"""All ways to part them are tried."""
_HEADING = re.compile(r"[^\W\d_a-z][^\d]*$|(?:19|20)\d\d\b")
"""A heading has a capital and no figures, or is a year."""


class TableCell(NamedTuple):
    """A cell's left and right edge in points, and its text."""

    left: float
    right: float
    text: PlacedText


class Column(NamedTuple):
    """From where to where the cells of a column stand."""

    left: float
    right: float


def leading(rows: Sequence[Sequence[TableCell]]) -> int:
    """How many rows stand above the first that has as many cells as any, and may be headings of several columns."""
    most = max(map(len, rows), default=0)
    return next((at for at, row in enumerate(rows) if len(row) == most), 0)


def over_columns(
    head: Sequence[TableCell], columns: Sequence[Column], below: Sequence[TableCell]
) -> list[PlacedText] | None:
    """The texts of ``head``, each said over every column that it stands above, and EMPTY_CELL over those to the left
    that have none; None where it is no row of headings over several columns.

    A heading stands over the middle of its columns, and ``below``, the next row, has the headings of each. One that
    begins where the first of them does could be over that one alone: then the next row has to say the same below each,
    or to have nothing in the first column, whose heading is above.
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
    """How far the headings stand from the middles of their columns, in points; None where one is not above them."""
    whole = 0.0
    for cell, begin, end in zip(head, bounds, bounds[1:], strict=False):
        own = _group(columns, begin, end)
        if cell.left < own.left - _PADDING or cell.right > own.right + _PADDING:
            return None
        # Texts that begin at the left of their columns leave the room behind the last, and those in the middle do not.
        off = min(_from_middle(cell, own), _from_middle(cell, Column(own.left, columns[end - 1].right)))
        off = 0.0 if _begins(cell, own) else off
        if end - begin > 1 and off > max(_LEAST_OFF, _MOST_OFF * (own.right - own.left)):
            return None
        whole += off
    return whole


def _group(columns: Sequence[Column], begin: int, end: int) -> Column:
    """The columns of that range as one, to where the next begins; the last is as wide as others are."""
    pitch = median(after.left - before.left for before, after in pairwise(columns))
    following = columns[end].left if end < len(columns) else columns[-1].left + pitch
    return Column(columns[begin].left, max(following - _PADDING, columns[end - 1].right))


def _from_middle(cell: TableCell, own: Column) -> float:
    return abs(cell.left + cell.right - own.left - own.right) / 2


def _begins(cell: TableCell, own: Column) -> bool:
    return abs(cell.left - own.left) < _IN_LINE


def _is_centred(head: Sequence[TableCell], columns: Sequence[Column], bounds: Sequence[int]) -> bool:
    """Whether none of the headings over several columns begins where the first of these does."""
    wide = [(cell, begin, end) for cell, begin, end in zip(head, bounds, bounds[1:], strict=False) if end - begin > 1]
    return not any(_begins(cell, _group(columns, begin, end)) for cell, begin, end in wide)


def _is_repeated(below: Sequence[TableCell], columns: Sequence[Column], bounds: Sequence[int]) -> bool:
    """Whether the texts below each heading over several columns are the same, and more than one."""
    groups = [_group(columns, begin, end) for begin, end in pairwise(bounds) if end - begin > 1]
    said = {
        tuple(cell.text.text for cell in below if own.left <= (cell.left + cell.right) / 2 <= own.right)
        for own in groups
    }
    return len(groups) > 1 and len(said) == 1 and len(min(said)) > 1
