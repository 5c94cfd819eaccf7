"""Raised digits (footnote marks, exponents) of a PDF page, found by their smaller type and higher baseline.

pdfium ends a line after raised or lowered type; such line breaks are taken out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tasks.conversion.document.superscripts import raised
from tasks.conversion.layout.page import Line
from tasks.conversion.pdf.line_cuts import Piece
from tasks.conversion.pdf.page_text import NOTHING, PageText
from tasks.text.characters import LINE_END_HYPHEN, RAISED

_BREAK = re.compile(r"\s*\n\s*")
_ZERO, _TEN = np.uint8(ord("0")), np.uint8(10)
_SIGNS = frozenset("-+−–,")
"""Characters that stand raised between digits, or before them."""
_MAX_SIZE = 0.86
"""Largest type size of raised or lowered characters, over that of the text."""
_LEAST_RISE, _MOST_RISE = 0.15, 0.8
"""_LEAST_RISE and _MOST_RISE: least and most height of raised characters above the baseline, over the text's type
size."""
_LEAST_SHIFT = 1.0
_BLANK, _FAR = 0.2, 0.6
"""_BLANK and _FAR: from _BLANK on a gap, over the type size, is a blank; from _FAR on it is wider than a blank."""
_LEVEL = 0.5


def raise_digits(page: PageText) -> None:
    """Write digits raised after digits or a word with Unicode's raised characters, without false line breaks."""
    runs = _runs(page.text)
    if not runs:
        return
    bases, begins, lasts = map(list, zip(*runs, strict=True))
    heights = page.origins([*bases, *lasts])[1]
    rise = heights[len(runs) :] - heights[: len(runs)]
    for at in (rise > _LEAST_SHIFT).nonzero()[0].tolist():
        _raise(page, bases[at], begins[at], lasts[at], rise.item(at))


def _runs(text: str) -> list[tuple[int, int, int]]:
    """The runs of digits after other text, as offsets: of the character before them (or of the first digit), of the
    first digit that may be raised, and of the last.
    """
    codes = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    is_digit = np.zeros(len(codes) + 2, np.bool_)
    # Codes below "0" wrap round (unsigned).
    is_digit[1:-1] = codes - _ZERO < _TEN
    runs: list[tuple[int, int, int]] = []
    for begin, end in (is_digit[1:] != is_digit[:-1]).nonzero()[0].reshape(-1, 2).tolist():
        before = text[begin - 1 : begin]
        if before == "," and runs and runs[-1][2] == begin - 2:
            runs[-1] = (*runs[-1][:2], end - 1)
        elif before == "\n":
            runs.append((len(text[:begin].rstrip()) - 1, begin, end - 1))
        elif before > " ":
            first = begin - 1 if before in _SIGNS and text[begin - 2 : begin - 1] > " " else begin
            runs.append((first - 1, first, end - 1))
        elif end - begin > 1:
            runs.append((begin, begin + 1, end - 1))
    return runs


def _raise(page: PageText, base: int, first: int, last: int, rise: float) -> None:
    """Rewrite the raised characters ``first`` to ``last`` where type size and ``rise`` of the last, in points, fit."""
    size, small = page.type_at(page.indices([base, last]))[0].tolist()
    if not (small < _MAX_SIZE * size and _LEAST_RISE * size < rise < _MOST_RISE * size):
        return
    gap = _BREAK.match(page.text, last + 1)
    following = min(gap.end(), len(page.text) - 1) if gap else last
    lefts, heights = (numbers.tolist() for numbers in page.origins([*range(base, last + 1), following]))
    if first - base > 1:
        if not _is_beside(lefts[first - base] - _right(page, base), size):
            return
        page.text = _joined(page.text, (base + 1, first))
    begin = last
    while begin > first and heights[begin - 1 - base] > heights[0] + rise / 2:
        begin -= 1
    written = raised(page.text[begin : last + 1], page.text[base if begin == first else begin - 1])
    page.text = f"{page.text[:begin]}{written}{page.text[last + 1 :]}"
    page.is_rewritten = True
    if gap and abs(heights[-1] - heights[0]) < _LEVEL:
        distance = lefts[-1] - _right(page, last)
        if _is_beside(distance, size):
            page.text = _joined(page.text, gap.span(), distance / size)


def _right(page: PageText, offset: int) -> float:
    return float(page.sides(page.indices([offset]))[2, 0])


def _is_beside(distance: float, size: float) -> bool:
    return -_LEVEL <= distance < _FAR * size


def rejoin(page: PageText, pieces: Sequence[Piece], lines: Sequence[Line]) -> bool:
    """Take out line breaks after smaller type at a line's end, such as lowered characters, where the next line
    continues right beside it.

    Returns True where the page's text changed. The ``lines`` are those of the ``pieces``.
    """
    text = page.text
    for at, (before, line) in enumerate(pairwise(lines)):
        if abs(before.y_end - line.y) < _LEVEL and _goes_on(before, line):
            begin, end = pieces[at].at + len(pieces[at].raw), pieces[at + 1].at
            text = _joined(text, (begin, end), (line.x0 - before.x1) / line.size)
    is_changed, page.text = text != page.text, text
    return is_changed


def _goes_on(before: Line, line: Line) -> bool:
    is_beside = _is_beside(line.x0 - before.x1, line.size)
    is_small = 0 < before.size < _MAX_SIZE * line.size or not RAISED.keys().isdisjoint(before.text.split(" ")[-1])
    return is_beside and is_small and not before.text.endswith(LINE_END_HYPHEN)


def _joined(text: str, span: tuple[int, int], gap: float = 0.0) -> str:
    """Replace the ``span`` with as many blanks, or fillers where the ``gap`` over the type size is small."""
    begin, end = span
    filler = " " if gap > _BLANK or " " in text[begin:end] else NOTHING
    return f"{text[:begin]}{filler * (end - begin)}{text[end:]}"
