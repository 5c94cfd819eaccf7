"""Placement of a form's filled-in text among a PDF page's words.

A field beside words is a cell of their line, so that a form reads as its rows: ``Company name | Corvane Ltd``. A field
on the blank that is printed for it takes that blank's place. Any other comes after the line that is nearest to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from tasks.conversion.document.placed_text import Part, PlacedText
from tasks.conversion.layout.line_segments import MIDDLE, Piece, cut_out, joined, stretches
from tasks.conversion.layout.page import Line
from tasks.records import Box

_LETTER = 0.5
"""The width of a letter, over the type size."""
_TALL = 2.2
"""Least height of a field of several lines, over the type size: its label may stand above it."""
_ABOVE = 1.6
_BLANK = re.compile(r" ?(?:_{3,}|\.{5,}|…{2,}) ?")


class Typed(NamedTuple):
    """The text or mark of a form field and its sides, in points from the displayed page's lower left corner."""

    text: str
    x0: float
    x1: float
    low: float
    high: float


Field = TypeVar("Field", bound=Typed)


def with_fields(
    lines: Sequence[Line], fields: Sequence[Typed], page_height: float, size: float
) -> tuple[list[Line], list[Line]]:
    """Add each field to the line of words of its height as a cell; others come back as lines of that type ``size``."""
    on_line, alone = by_line(fields, lines, _line_of)
    made = list(lines)
    for at, own in on_line.items():
        row = _filled(lines[at], sorted(own, key=lambda field: field.x0), page_height)
        if row is None:
            alone += own
        else:
            made[at] = row
    return made, [_alone(field, page_height, size) for field in alone]


def by_line(
    fields: Sequence[Field], lines: Sequence[Line], line_of: Callable[[Field, Sequence[Line]], int | None]
) -> tuple[dict[int, list[Field]], list[Field]]:
    """Group the fields by the index of their line, by ``line_of``; those for which that is None come second."""
    on_line: dict[int, list[Field]] = {}
    alone: list[Field] = []
    for field in fields:
        at = line_of(field, lines)
        (alone if at is None else on_line.setdefault(at, [])).append(field)
    return on_line, alone


def placed(field: Typed, page_height: float) -> PlacedText:
    """The text of the field, with the field's box."""
    box = Box(*(round(side, 2) for side in (field.x0, page_height - field.high, field.x1, page_height - field.low)))
    return PlacedText(field.text, (Part(0, len(field.text), box),))


def among(lines: Sequence[Line], others: Sequence[Line]) -> list[Line]:
    """Insert each of the ``others`` after the nearest of the ``lines`` that stands beside or above it."""
    made = list(lines)
    for place, _, _, line in sorted([(_place(line, lines), -line.y, line.x0, line) for line in others], reverse=True):
        made.insert(place, line)
    return made


def _line_of(field: Typed, lines: Sequence[Line]) -> int | None:
    """The index of the topmost line at the field's height; None for a tall field with words above it, and for none."""
    near = [(-line.y, at) for at, line in enumerate(lines) if _is_level(field, line)]
    if not near:
        return None
    at = min(near)[1]
    is_tall = field.high - field.low > _TALL * lines[at].size
    return None if is_tall and any(_is_above(field, line) for line in lines) else at


def _is_level(field: Typed, line: Line) -> bool:
    is_even = line.placed and abs(line.y - line.y_end) < 1
    return is_even and field.low <= line.y + MIDDLE * line.size <= field.high


def _is_above(field: Typed, line: Line) -> bool:
    is_over = line.x0 < field.x1 and line.x1 > field.x0
    return line.placed and is_over and 0 <= line.y_end - field.high + line.size / 4 <= _ABOVE * line.size


def _place(line: Line, lines: Sequence[Line]) -> int:
    off = [
        (own.y_end - line.y + max(0.0, line.x0 - own.x1, own.x0 - line.x1), -at)
        for at, own in enumerate(lines)
        if own.y_end > line.y - line.size
    ]
    return 1 - min(off)[1] if off else 0


def _filled(line: Line, fields: Sequence[Typed], page_height: float) -> Line | None:
    """``line`` with the ``fields`` as cells, from left to right; None where words are under one of them."""
    pieces: list[Piece] = []
    for piece in stretches(line):
        over = [field for field in fields if field.x0 < piece.x1 - 1 and field.x1 > piece.x0 + 1]
        made = _in_blanks(piece, over, line.size, page_height)
        if made is None:
            return None
        pieces += made
        fields = [field for field in fields if field not in over]
    pieces += [_piece(field, line.size, page_height) for field in fields]
    return joined(line, sorted(pieces, key=lambda piece: piece.x0))


def _in_blanks(piece: Piece, fields: Sequence[Typed], size: float, page_height: float) -> list[Piece] | None:
    """Put each of the ``fields`` in the place of its blank; None where blanks and fields differ in number."""
    blanks = list(_BLANK.finditer(piece.placed.text))
    if not fields:
        return [piece]
    if len(blanks) != len(fields):
        return None
    made: list[Piece] = []
    at, x0 = 0, piece.x0
    for blank, field in zip(blanks, fields, strict=True):
        if at < blank.start():
            made.append(Piece(x0, field.x0, cut_out(piece.placed, at, blank.start())))
        typed = _piece(field, size, page_height)
        # The words that follow are of the same sentence, however long the blank is.
        made.append(typed._replace(x1=field.x1))
        at, x0 = blank.end(), field.x1
    if at < len(piece.placed.text):
        made.append(Piece(x0, piece.x1, cut_out(piece.placed, at, len(piece.placed.text))))
    return made


def _piece(field: Typed, size: float, page_height: float) -> Piece:
    right = min(field.x1, field.x0 + _LETTER * size * len(field.text))
    return Piece(field.x0, right, placed(field, page_height))


def _alone(field: Typed, page_height: float, size: float) -> Line:
    # The first line stands at the top of a tall field, and in the middle of a low field.
    baseline = max(field.high - 1.5 * size, (field.low + field.high) / 2 - size / 3)
    text, parts = placed(field, page_height)
    return Line(text, field.x0, field.x1, baseline, baseline, size, parts=parts)
