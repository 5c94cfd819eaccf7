"""The first and the last lines of a page in the order of their heights: many programs print header and footer before
the body, or both behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tasks.conversion.layout import Line
from tasks.conversion.two_pages import MAX_LINES


def ends_in_order(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of a page, of whose first six those that stand below all others come last, and of whose last six those
    that stand above all others come first. All else stays as it is, and so does a page with a line of no known place.
    """
    if len(lines) < 2 or not _may_be_out_of_order(lines):
        return lines
    if not all(line.placed for line in lines):
        return lines
    tail_at = max(MAX_LINES, len(lines) - MAX_LINES)
    # A column beside another may begin or end a little above or below it.
    foot = min((line.y - line.size for line in lines[MAX_LINES:]), default=0.0)
    top = max(line.y_end + line.size for line in lines[:tail_at])
    below = {at for at, line in enumerate(lines[:MAX_LINES]) if line.y_end < foot}
    above = {at for at, line in enumerate(lines) if at >= tail_at and line.y > top}
    rest = (at for at in range(len(lines)) if at not in below | above)
    return [lines[at] for at in (*sorted(above), *rest, *sorted(below))]


def _may_be_out_of_order(lines: Sequence[Line]) -> bool:
    last, first = lines[-1].y, lines[0].y
    return any(line.y < last for line in lines[:MAX_LINES]) or any(line.y > first for line in lines[-MAX_LINES:])
