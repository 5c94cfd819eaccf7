"""Order of a page's first and last lines by their heights.

Many programs print header and footer before the body, or both after it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from tasks.conversion.layout.page import Line
from tasks.conversion.layout.two_page_headers import MAX_LINES

_GAP_LINES = 2.0
"""Least distance between the body and the lines above or below it, in line heights."""


def ends_in_order(lines: Sequence[Line]) -> Sequence[Line]:
    """Move footer lines that are drawn first to the end of the page, and header lines that are drawn last to its
    beginning.

    Only the first six lines, where they stand well below all others, and the last six, where they stand well above all
    others, are moved. A page with a line of no known place stays as it is.
    """
    if len(lines) < 2 or not _may_be_out_of_order(lines):
        return lines
    if not all(line.placed for line in lines):
        return lines
    tail_at = max(MAX_LINES, len(lines) - MAX_LINES)
    foot = min((line.y for line in lines[MAX_LINES:]), default=-math.inf)
    top = max(line.y_end for line in lines[:tail_at])
    below = {at for at, line in enumerate(lines[:MAX_LINES]) if line.y_end < foot}
    above = {at for at, line in enumerate(lines) if at >= tail_at and line.y > top}
    rest = [at for at in range(len(lines)) if at not in below | above]
    if not rest:
        return lines
    # A column beside another may begin or end a little above or below it.
    if below and min(lines[at].y for at in rest) - max(lines[at].y for at in below) < _gap(lines, below):
        below, rest = set(), sorted({*rest, *below})
    if above and min(lines[at].y for at in above) - max(lines[at].y_end for at in rest) < _gap(lines, above):
        above, rest = set(), [at for at in range(len(lines)) if at not in below]
    return [lines[at] for at in (*sorted(above), *rest, *sorted(below))]


def _gap(lines: Sequence[Line], ends: Collection[int]) -> float:
    return _GAP_LINES * max(lines[at].size for at in ends)


def _may_be_out_of_order(lines: Sequence[Line]) -> bool:
    last, first = lines[-1].y, lines[0].y
    return any(line.y < last for line in lines[:MAX_LINES]) or any(line.y > first for line in lines[-MAX_LINES:])
