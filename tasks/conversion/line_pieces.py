"""A printed line taken apart at its wide gaps, and put together with what was put onto the page beside its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.conversion.layout import Cell, Line
from tasks.conversion.placed_text import Part, PlacedText, join

MIDDLE = 0.35
"""How far above its baseline the middle of a line stands, over its type size."""
_GAP = 0.8
_LABEL_REACH = 3.0
"""So wide a gap, over the type size, may part a mark from its label; one beyond stands in a column of its own."""


class Piece(NamedTuple):
    """Words of a line, or a mark."""

    x0: float
    x1: float
    placed: PlacedText
    is_mark: bool = False


def stretches(line: Line) -> list[Piece]:
    """The line's words between its wide gaps."""
    if " ".join(cell.text for cell in line.cells) != line.text:
        return [Piece(line.x0, line.x1, line.placed_text)]
    ends = [*(cell.x0 - cell.gap * line.size for cell in line.cells[1:]), line.x1]
    return [Piece(cell.x0, end, cell.placed_text) for cell, end in zip(line.cells, ends, strict=True)]


def cut_out(piece: Piece, start: int, end: int) -> PlacedText:
    """The characters ``[start, end)`` of the piece."""
    text, parts = piece.placed
    kept = ((max(part.start, start), min(part.end, end), part.box) for part in parts)
    return PlacedText(text[start:end], tuple(Part(a - start, b - start, box) for a, b, box in kept if a < b))


def joined(line: Line, pieces: Sequence[Piece], is_after: bool = False) -> Line:
    """``line`` with those pieces, at least one, in cells where gaps part them; a mark is never parted from its label,
    which stands before it where it ``is_after``.
    """
    starts: list[tuple[float, float]] = []
    cells: list[list[PlacedText]] = []
    last: Piece | None = None
    for piece in pieces:
        gap = (piece.x0 - last.x1) / line.size if last else 0.0
        is_label = last is not None and last.is_mark != piece.is_mark and last.is_mark != is_after
        if last and gap < (_LABEL_REACH if is_label else _GAP):
            cells[-1].append(piece.placed)
        else:
            starts.append((piece.x0, gap))
            cells.append([piece.placed])
        last = piece
    texts = [join(cell, " ") for cell in cells]
    text, parts = join(texts, " ")
    made = tuple(Cell(x0, one.text, gap, one.parts) for (x0, gap), one in zip(starts, texts, strict=True))
    x0, x1 = pieces[0].x0, pieces[-1].x1
    return line._replace(text=text, x0=x0, x1=x1, cells=made if len(made) > 1 else (), parts=parts)
