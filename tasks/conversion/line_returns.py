"""Lines that pdfium takes for one: before a text of one or two characters, such as the number of a table's row, it may
not end a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.pdf_text import Floats, PageText, Words
from tasks.conversion.text import LINE_END_HYPHEN

_STEP = 2.0
"""Baselines that differ by less, in points, are one."""
_LEAST_DROP = 0.8
"""How far below one another two lines stand at least, over the type size: a fraction's parts stand closer."""
_MOST_PITCH = 1.7
"""How far apart the lines of one text stand at most, over the type size."""
_FAR = 4.0
"""So far below its beginning, over the type size, no word goes on."""
_ALIGNED = 4.0
_WIDE_GAP = 0.8
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[^\W\d_])[.)]?")


def returns(text: str, found: Words, size: Floats, drop: Floats) -> list[int]:
    """The offsets of the numbers and letters that begin another line within their piece: they stand below the word
    before and where the line began, or in its first cell, and have a wide gap behind them or are one character alone.

    ``size`` and ``drop``, how far below its first word the last one stands, have an entry a piece.
    """
    offsets: list[int] = []
    for piece in (drop > _STEP).nonzero()[0].tolist():
        begin, last = found.first.item(piece), found.last.item(piece)
        own_size = size.item(piece)
        # On nearly every page all such pieces are what hyphens have joined.
        hyphens = text.count(LINE_END_HYPHEN, found.head[begin], found.tail[last])
        if drop.item(piece) < hyphens * _MOST_PITCH * own_size:
            continue
        for word in range(begin + 1, last + 1):
            if text[found.tail[word - 1]] == LINE_END_HYPHEN:
                begin = word
            elif _may_be_number(text, found, word) and _is_return(found, (begin, word, last), own_size):
                begin = word
                offsets.append(found.head[word])
    return offsets


def far_hyphens(text: str, found: Words, size: Floats, drop: Floats) -> list[int]:
    """The offsets of the words that pdfium takes for the rest of one that a hyphen parts, and that stand far below the
    next line: a footnote of another column. The arguments are those of :func:`returns`.
    """
    offsets: list[int] = []
    for piece in (drop > _FAR * size).nonzero()[0].tolist():
        for word in range(found.first.item(piece) + 1, found.last.item(piece) + 1):
            is_far = found.y[word - 1] - found.y[word] > _FAR * size.item(piece)
            if is_far and text[found.tail[word - 1]] == LINE_END_HYPHEN:
                offsets.append(found.head[word])
    return offsets


def _may_be_number(text: str, found: Words, word: int) -> bool:
    return _NUMBER.fullmatch(text, found.head[word], found.tail[word] + 1) is not None


def _is_return(found: Words, words: tuple[int, int, int], size: float) -> bool:
    """Whether of the line's first word, that one and the piece's last that one begins another line."""
    begin, word, last = words
    if found.y[word - 1] - found.y[word] < _LEAST_DROP * size:
        return False
    if word == last and found.head[word] < found.tail[word]:
        return False
    if word < last and found.x[word + 1] - found.right[word] < _WIDE_GAP * size:
        return False
    gaps = found.x[begin + 1 : word] - found.right[begin : word - 1]
    wide = (gaps > _WIDE_GAP * size).nonzero()[0]
    end = found.right.item(begin + wide.item(0)) if len(wide) else 0.0
    return found.x.item(word) < max(found.x.item(begin) + _ALIGNED, end)


def break_lines(page: PageText, offsets: Sequence[int]) -> None:
    """Writes a line break for the blank before each of the ``offsets``."""
    for offset in offsets:
        page.text = f"{page.text[: offset - 1]}\n{page.text[offset:]}"
