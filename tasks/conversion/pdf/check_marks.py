"""Placement of check box and radio button marks among a PDF page's words.

A mark before its label stays there; a line ends after a mark that follows its label ("ISO 27001 ☒"), or the next label
would seem to be marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tasks.conversion.layout.line_segments import MIDDLE, Piece, cut_out, joined, stretches
from tasks.conversion.layout.page import Line
from tasks.conversion.pdf.typed_fields import Typed, by_line, placed

_TELLING = 0.75
_UNDER = re.compile(r"[☐□▢❏❑❒◻○◯⬜_•\[\]()]+ ?")
"""Characters printed where a mark goes, such as an empty box: they are dropped beside the mark."""


class Mark(Typed):
    """A check box or radio button mark."""

    __slots__ = ()

    @property
    def x(self) -> float:
        """The mark's middle from the left, in points."""
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        """The mark's middle from below, in points."""
        return (self.low + self.high) / 2


class Word(NamedTuple):
    """A word's left and right edge and its middle from below, in points from the displayed page's lower left corner."""

    x0: float
    x1: float
    y: float

    def is_at(self, x: float) -> bool:
        """Tell if the word covers the position ``x``, with a tolerance of one point."""
        return self.x0 - 1 <= x <= self.x1 + 1


def with_marks(
    lines: Sequence[Line], marks: Sequence[Mark], page_height: float, words: Callable[[], Sequence[Word]]
) -> tuple[list[Line], list[Line]]:
    """Insert the marks into the ``lines`` that they stand on; the other marks come back as lines, one line per height.

    ``words`` are the page's in reading order, called only where a mark stands within a stretch of words.
    """
    on_line, alone = by_line(marks, lines, _line_of)
    made: list[Line] = []
    for at, line in enumerate(lines):
        made += _marked(line, on_line[at], page_height, words) if at in on_line else [line]
    return made, list(_rows(alone, lines, page_height))


def _line_of(mark: Mark, lines: Sequence[Line]) -> int | None:
    """The index of the line that the mark stands on, the nearest of those on one baseline; None without one."""
    near = []
    for at, line in enumerate(lines):
        off = abs(mark.y - line.y - MIDDLE * line.size)
        if line.placed and abs(line.y - line.y_end) < 1 and off <= 0.5 * max(line.size, mark.high - mark.low):
            near.append((2 * off + max(0.0, line.x0 - mark.x1, mark.x0 - line.x1), at))
    return min(near)[1] if near else None


def _rows(marks: Sequence[Mark], lines: Sequence[Line], page_height: float) -> Iterable[Line]:
    """Yield the marks that stand on no line as lines, one per height."""
    rows: list[list[Mark]] = []
    for mark in sorted(marks, key=lambda mark: -mark.y):
        if rows and abs(rows[-1][0].y - mark.y) <= 0.5 * (mark.high - mark.low):
            rows[-1].append(mark)
        else:
            rows.append([mark])
    for row in rows:
        size = lines[0].size if lines and lines[0].placed else row[0].high - row[0].low
        like = Line("", y=row[0].y - MIDDLE * size, y_end=row[0].y - MIDDLE * size, size=size)
        yield joined(like, sorted((_piece(mark, page_height) for mark in row), key=lambda piece: piece.x0))


def _piece(mark: Mark, page_height: float) -> Piece:
    return Piece(mark.x0, mark.x1, placed(mark, page_height), True)


def _marked(line: Line, marks: Sequence[Mark], page_height: float, words: Callable[[], Sequence[Word]]) -> list[Line]:
    pieces = stretches(line)
    for mark in sorted(marks, key=lambda mark: mark.x):
        at = next((at for at, piece in enumerate(pieces) if not piece.is_mark and mark.x < piece.x1), len(pieces))
        if at < len(pieces) and mark.x > pieces[at].x0:
            left, right = _cut(pieces[at], mark, [word for word in words() if abs(word.y - mark.y) < line.size])
            pieces[at : at + 1] = [*left, _piece(mark, page_height), *right]
        else:
            pieces.insert(at, _piece(mark, page_height))
    if not _stand_after(pieces):
        return [joined(line, pieces)]
    groups: list[list[Piece]] = [[]]
    for piece in pieces:
        if groups[-1] and groups[-1][-1].is_mark and not piece.is_mark:
            groups.append([])
        groups[-1].append(piece)
    return [joined(line, group, True) for group in groups]


def _cut(piece: Piece, mark: Mark, words: Sequence[Word]) -> tuple[list[Piece], list[Piece]]:
    """Cut a piece at ``mark``, by the ``words`` of its height, and drop the box printed under the mark."""
    own = [word for word in words if piece.x0 - 1 <= word.x0 < piece.x1]
    before = [word for word in own if word.x0 < mark.x and not word.is_at(mark.x)]
    after = [word for word in own if word.x0 >= mark.x]
    text = piece.placed.text
    ends = [*(blank.start() for blank in re.finditer(" ", text)), len(text)]
    end = ends[min(len(before), len(ends)) - 1] if before else 0
    start = end + 1 if before else 0
    if any(word.is_at(mark.x) for word in own) and (under := _UNDER.match(text, start)):
        start = under.end()
    left = Piece(piece.x0, max((word.x1 for word in before), default=mark.x0), cut_out(piece.placed, 0, end))
    right = Piece(min((word.x0 for word in after), default=mark.x1), piece.x1, cut_out(piece.placed, start, len(text)))
    return [left] if left.placed.text else [], [right] if right.placed.text else []


def _stand_after(pieces: Sequence[Piece]) -> bool:
    """Tell if the marks follow their labels, by the gaps beside them, else by a mark that ends the line."""
    before = after = 0.0
    for left, mark, right in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if mark.is_mark and not left.is_mark and not right.is_mark:
            before += mark.x0 - left.x1
            after += right.x0 - mark.x1
    if before < _TELLING * after or after < _TELLING * before:
        return before < after
    return pieces[-1].is_mark and not pieces[0].is_mark
