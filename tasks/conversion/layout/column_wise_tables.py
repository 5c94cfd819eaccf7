"""Rows of forms and tables that the file draws column by column, put together row by row.

Read as drawn, all labels come first and all values after them, and nothing shows which value belongs to which label.
Columns of text are drawn so as well, and stay so: their lines go on within sentences and stand close. Lines are rows
where those on the right stand on the baselines of those on the left, far below one another or beside labels that ask
for something.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from tasks.conversion.layout.page import SAME_BASELINE, Line
from tasks.text.characters import is_bullet, is_contents_entry, is_numbered

_ALIGNED = 2.0
_GUTTER = 5.0
_MIN_ROWS = 3
_MIN_PITCH = 1.6
"""Least distance between rows, over their type size: lines of text stand closer."""
_LEADING = 1.45
_LEAST_BESIDE = 0.7
"""Least share of a column's lines that begin a row; the others continue the line above."""
_MAX_GOING_ON = 0.35
_ASKING = (":", "?")


def rejoin_rows(lines: Sequence[Line]) -> list[Line]:
    """Put the lines of a form or table drawn column by column in row order; other lines keep their order."""
    ordered = list(lines)
    at = 1
    while at < len(ordered):
        if _goes_back_up(ordered[at - 1], ordered[at]):
            begin, end, rows = _rows_at(ordered, at)
            if rows:
                ordered[begin:end] = [line for row in rows for line in row]
                at = end
        at += 1
    return ordered


def _goes_back_up(before: Line, line: Line) -> bool:
    is_placed = before.placed and line.placed
    return is_placed and line.y > before.y_end + 2 * line.size and line.x0 > before.x0 + _GUTTER


def _rows_at(lines: Sequence[Line], at: int) -> tuple[int, int, list[list[Line]]]:
    """The rows of the columns of which the second begins at ``at``, if any, with the range of lines that they take."""
    left = lines[_begin_of_column(lines, at) : at]
    end = at
    rows: list[list[Line]] = [[line] for line in left]
    while end < len(lines) and (end == at or _goes_back_up(lines[end - 1], lines[end])):
        past = _end_of_column(lines, end)
        added = _beside(left, rows, lines[end:past])
        if added is None:
            break
        rows, end = added, past
    first = next((index for index, row in enumerate(rows) if len(row) > 1), len(rows))
    return at - len(left) + first, end, rows[first:]


def _begin_of_column(lines: Sequence[Line], at: int) -> int:
    """The index where the column that ends before ``at`` begins, as far as it stands beside the next."""
    last, right = lines[at - 1], lines[at]
    begin = at - 1
    while begin and _is_above(lines[begin - 1], lines[begin]) and lines[begin - 1].y < right.y + SAME_BASELINE:
        if abs(lines[begin - 1].x0 - last.x0) > _ALIGNED:
            break
        begin -= 1
    return begin


def _end_of_column(lines: Sequence[Line], at: int) -> int:
    end = at + 1
    while end < len(lines) and _is_above(lines[end - 1], lines[end]):
        if abs(lines[end].x0 - lines[at].x0) > _ALIGNED:
            break
        end += 1
    return end


def _is_above(upper: Line, lower: Line) -> bool:
    return upper.placed and lower.placed and lower.y < upper.y_end - SAME_BASELINE


def _beside(labels: Sequence[Line], rows: Sequence[list[Line]], column: Sequence[Line]) -> list[list[Line]] | None:
    """Add the lines of ``column`` to the ``rows``, which begin with ``labels``; None where they make no form."""
    made = [list(row) for row in rows]
    # Depths from above are ascending, as bisection needs.
    depths = [-label.y for label in labels]
    own: int | None = None
    beside: list[int] = []
    for before, line in zip([None, *column], column, strict=False):
        at = bisect_left(depths, -line.y - SAME_BASELINE)
        if at < len(depths) and abs(labels[at].y - line.y) < SAME_BASELINE:
            if made[at][-1].x1 > line.x0 - _GUTTER:
                return None
            own = at
            beside.append(own)
        elif own is None or before is None or before.y_end - line.y > _LEADING * line.size:
            return None
        made[own].append(line)
    if len(beside) < max(_MIN_ROWS, _LEAST_BESIDE * len(column)):
        return None
    return made if _are_rows([labels[at] for at in beside], column) else None


def _are_rows(labels: Sequence[Line], column: Sequence[Line]) -> bool:
    said = [line.text for line in (*labels, *column)]
    if sum(text[:1].islower() for text in said) > _MAX_GOING_ON * len(said):
        return False
    # The columns of an index are lists as well.
    if any(is_bullet(line.text) or is_numbered(line.text) or is_contents_entry(line.text) for line in column):
        return False
    asking = sum(label.text.endswith(_ASKING) for label in labels)
    pitch = median((upper.y_end - lower.y) / lower.size for upper, lower in pairwise(labels))
    return 2 * asking >= len(labels) or pitch >= _MIN_PITCH
