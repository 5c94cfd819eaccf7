"""Lines from OCR: assembles recognized words to lines like those of a PDF that has text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from tasks.conversion.document.placed_text import Part, PlacedText, union
from tasks.conversion.layout.line_segments import Piece, joined
from tasks.conversion.layout.page import Line, with_boxes
from tasks.records import Box
from tasks.text.characters import clean_line

_MIN_GAP = 1.2
_SAME_SIZE = 0.3
_STOPS = (".", "!", "?")


class Word(NamedTuple):
    """A recognized word: its line (block, paragraph, line), its text and its box from the page's upper left corner."""

    line: tuple[int, int, int]
    text: str
    box: Box


def build_lines(words: Sequence[Word], page_height: float) -> list[Line]:
    """Assemble words in reading order to lines; no words give no lines.

    The height of a box is a rough measure of the type size (``ace`` is lower than ``Ag``), so heights near the page's
    median count as the median.
    """
    groups = [list(group) for _, group in groupby(words, key=lambda word: word.line)]
    heights = [max(word.box.bottom for word in group) - min(word.box.top for word in group) for group in groups]
    usual = median(heights) if heights else 0.0
    lines: list[Line] = []
    for group, height in zip(groups, heights, strict=True):
        size = round(usual if abs(height - usual) <= _SAME_SIZE * usual else height, 1)
        line = _line(group, max(size, 1.0), page_height)
        if line.text:
            lines.append(line)
    return lines


def turned_back(line: Line, turns: int, width: float, height: float) -> Line:
    """Map the boxes of a line that was read on a turned page back to the page as displayed.

    ``turns`` are quarter turns clockwise, 1 to 3; ``width`` and ``height`` are the displayed page's, in points. Only
    the boxes change; the line's other coordinates stay those of the turned page.
    """

    def back(box: Box) -> Box:
        left, top, right, bottom = box
        match turns:
            case 1:
                return Box(top, height - right, bottom, height - left)
            case 2:
                return Box(width - right, height - bottom, width - left, height - top)
            case _:
                return Box(width - bottom, left, width - top, right)

    return with_boxes(line, back)


def _line(words: Sequence[Word], size: float, page_height: float) -> Line:
    cells: list[list[Word]] = [[words[0]]]
    for before, word in pairwise(words):
        if word.box.left - before.box.right > _MIN_GAP * size:
            cells.append([word])
        else:
            cells[-1].append(word)
    placed = [(cell[0].box.left, cell[-1].box.right, _place(cell)) for cell in cells]
    # Most letters stand on the baseline: the middle of the words' lower edges, whatever descends below it.
    baseline = page_height - median(word.box.bottom for word in words)
    bare = Line("", y=baseline, y_end=baseline, size=size)
    pieces = [Piece(left, right, text) for left, right, text in placed if text.text]
    return joined(bare, pieces) if pieces else bare


def _place(words: Sequence[Word]) -> PlacedText:
    """Join words to a text, with a printed part for each sentence that ends among them."""
    texts: list[str] = []
    parts: list[Part] = []
    boxes: list[Box] = []
    start = at = 0
    for index, word in enumerate(words):
        text = clean_line(word.text)
        if text:
            texts.append(text)
            boxes.append(word.box)
            at += len(text) + (len(texts) > 1)
        ends = text.endswith(_STOPS) or index == len(words) - 1
        box = union(boxes) if ends else None
        if box:
            parts.append(Part(start, at, box))
            boxes, start = [], at + 1
    return PlacedText(" ".join(texts), tuple(parts))
