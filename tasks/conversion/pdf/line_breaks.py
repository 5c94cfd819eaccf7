"""Missing line breaks in pdfium's text: it may join two lines where the second begins with one or two characters.

The number of a table's row is such a beginning. The breaks are found by the places of the words and inserted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.layout.page import SAME_BASELINE
from tasks.conversion.pdf.page_text import Floats, PageText, Words
from tasks.text.characters import LINE_END_HYPHEN

_LEAST_DROP = 0.8
"""Minimum distance of two lines' baselines, over the type size; the parts of a fraction are closer."""
_MOST_PITCH = 1.7
"""Maximum line pitch of a text, over the type size."""
_FAR = 4.0
"""A hyphenated word does not continue so far below its beginning, over the type size."""
_ALIGNED = 4.0
_WIDE_GAP = 0.8
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[^\W\d_])[.)]?")


def returns(text: str, found: Words, size: Floats, drop: Floats) -> list[int]:
    """Find the numbers and letters that begin a new line within a piece of pdfium's text, as offsets in ``text``.

    They stand below the word before them, at the left edge of the line or in its first cell, and are followed by a wide
    gap, or are a single character at the end of the piece. ``size`` (type size) and ``drop`` (distance of the last
    word's baseline below the first's, in points) have an entry for each piece. No such words give an empty list.
    """
    offsets: list[int] = []
    for piece in (drop > SAME_BASELINE).nonzero()[0].tolist():
        begin, last = found.first.item(piece), found.last.item(piece)
        own_size = size.item(piece)
        # On nearly every page all such pieces are lines that hyphens have joined.
        hyphens = text.count(LINE_END_HYPHEN, found.head[begin], found.tail[last])
        if drop.item(piece) < hyphens * _MOST_PITCH * own_size:
            continue
        for word in range(begin + 1, last + 1):
            if text[found.tail[word - 1]] == LINE_END_HYPHEN:
                begin = word
            elif _NUMBER.fullmatch(text, found.head[word], found.tail[word] + 1) and _is_return(
                found, (begin, word, last), own_size
            ):
                begin = word
                offsets.append(found.head[word])
    return offsets


def far_hyphens(text: str, found: Words, size: Floats, drop: Floats) -> list[int]:
    """Find words that pdfium wrongly joins to a hyphenated word far above them, as offsets in ``text``.

    Such a word belongs to a footnote of another column. The arguments are those of :func:`returns`.
    """
    offsets: list[int] = []
    for piece in (drop > _FAR * size).nonzero()[0].tolist():
        for word in range(found.first.item(piece) + 1, found.last.item(piece) + 1):
            is_far = found.y[word - 1] - found.y[word] > _FAR * size.item(piece)
            if is_far and text[found.tail[word - 1]] == LINE_END_HYPHEN:
                offsets.append(found.head[word])
    return offsets


def _is_return(found: Words, words: tuple[int, int, int], size: float) -> bool:
    """Tell if a word begins a line; ``words``: the indices of the line's first, the word, and the piece's last word."""
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
    """Replace the blank before each of the ``offsets`` in the page's text by a line break."""
    for offset in offsets:
        page.text = f"{page.text[: offset - 1]}\n{page.text[offset:]}"
