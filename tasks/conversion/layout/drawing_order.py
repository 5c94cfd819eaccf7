"""Lines drawn out of order: moved back to their place where a PDF draws them after lines that stand below them.

Such lines were edited, drawn from below, or filled into the blanks of a form.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tasks.conversion.layout.line_segments import Piece, joined, stretches
from tasks.conversion.layout.page import SAME_BASELINE, Line

_ALIGNED = 2.0
_LEAST_PITCH, _MOST_PITCH = 0.8, 2.0
"""Line pitch within a column, as a multiple of the type size."""
_OVERLAP = 1.0
_MANY_LINES = 1000
"""Pages with more lines are not made for reading; they are left as they are, to save time."""


def in_place(lines: Sequence[Line]) -> Sequence[Line]:
    """Move lines that are drawn late to their place on the page; the others stay in the file's order.

    A line is moved only to a free place: right above a line of its column, or into the gaps of a line on its baseline.
    """
    if len(lines) > _MANY_LINES or not any(_goes_back(before, line) for before, line in pairwise(lines)):
        return lines
    ordered: list[Line] = []
    at = 0
    while at < len(lines):
        if ordered and lines[at].placed and _goes_back(ordered[-1], lines[at]):
            at += _put(ordered, lines[at : _end_of_run(lines, at)])
        else:
            ordered.append(lines[at])
            at += 1
    return ordered


def _goes_back(before: Line, line: Line) -> bool:
    """Tell if ``line`` stands above ``before``, the line drawn before it, or on its baseline but further left."""
    rise = line.y - before.y_end
    return rise > SAME_BASELINE or (rise > -SAME_BASELINE and line.x0 < before.x1)


def _end_of_run(lines: Sequence[Line], at: int) -> int:
    end = at + 1
    while end < len(lines) and abs(lines[end].x0 - lines[at].x0) < _ALIGNED and _is_below(lines[end], lines[end - 1]):
        end += 1
    return end


def _put(ordered: list[Line], run: Sequence[Line]) -> int:
    """Insert the first lines of ``run`` at their place in ``ordered``, else append one; returns how many were taken."""
    line = run[0]
    for at, (_, x0, _, y, _, _, _, cells, _) in enumerate(ordered):
        if cells and abs(y - line.y) < SAME_BASELINE and (filled := _filled(ordered[at], line)):
            ordered[at] = filled
            return 1
        if y < line.y and abs(x0 - line.x0) < _ALIGNED:
            late = [one for one in run if one.y_end - y > _LEAST_PITCH * line.size]
            above = ordered[at - 1] if at else None
            is_free = above is None or (above.placed and above.y_end - line.y > _LEAST_PITCH * line.size)
            if late and is_free and _is_below(ordered[at], late[-1]):
                ordered[at:at] = late
                return len(late)
    ordered.append(line)
    return 1


def _is_below(other: Line, line: Line) -> bool:
    """Tell if ``other`` may continue the text of ``line``: of the same type size, and one line pitch below it."""
    is_alike = other.size == line.size > 0 and any(map(str.isalpha, line.text))
    return is_alike and _LEAST_PITCH < (line.y_end - other.y) / line.size < _MOST_PITCH


def _filled(line: Line, late: Line) -> Line | None:
    """``line`` with the words of ``late`` in its gaps; None where they do not fit."""
    if line.y != line.y_end or abs(late.y_end - late.y) >= SAME_BASELINE:
        return None
    own, added = stretches(line), stretches(late)
    pieces = sorted([*own, *added], key=lambda piece: piece.x0)
    if added[0].x0 < own[0].x1 or added[0].x0 > own[-1].x0:
        return None
    if any(right.x0 < left.x1 - _OVERLAP for left, right in pairwise(pieces)):
        return None
    made = joined(line, pieces)
    # A sentence with filled blanks is not a row of cells.
    return made._replace(cells=()) if _is_sentence(pieces, own) else made


def _is_sentence(pieces: Sequence[Piece], own: Sequence[Piece]) -> bool:
    """Tell if a word after a filled blank begins in lower case, so that the line is a sentence, not a row of cells."""
    behind = [right for left, right in pairwise(pieces) if left not in own and right in own]
    return any(piece.placed.text[:1].islower() for piece in behind)
