"""Line pieces: split a printed line at its wide gaps, and join it again with marks or typed text placed beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.conversion.document.placed_text import Part, PlacedText, join
from tasks.conversion.layout.page import Cell, Line

MIDDLE = 0.35
"""Height of a line's middle above its baseline, over its type size."""
_GAP = 0.8
_LABEL_REACH = 3.0
"""Maximum gap between a mark and its label, over the type size; a mark further away is in a column of its own."""


class Piece(NamedTuple):
    """A piece of a line: words, or a mark such as a tick, with its left and right edges in points."""

    x0: float
    x1: float
    placed: PlacedText
    is_mark: bool = False


def stretches(line: Line) -> list[Piece]:
    """Split a line at its wide gaps into pieces; a line without cells gives a single piece."""
    if " ".join(cell.text for cell in line.cells) != line.text:
        return [Piece(line.x0, line.x1, line.placed_text)]
    ends = [*(cell.x0 - cell.gap * line.size for cell in line.cells[1:]), line.x1]
    return [Piece(cell.x0, end, cell.placed_text) for cell, end in zip(line.cells, ends, strict=True)]


def cut_out(placed: PlacedText, start: int, end: int) -> PlacedText:
    """Cut the characters ``[start, end)`` out of a text, with their printed parts."""
    text, parts = placed
    kept = ((max(part.start, start), min(part.end, end), part.box) for part in parts)
    return PlacedText(text[start:end], tuple(Part(a - start, b - start, box) for a, b, box in kept if a < b))


def joined(line: Line, pieces: Sequence[Piece], is_after: bool = False) -> Line:
    """Rebuild ``line`` from those pieces, at least one, with cells where wide gaps separate them.

    A mark stays in the cell of its label. The label follows the mark; with ``is_after`` it precedes it.
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
