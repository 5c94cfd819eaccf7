"""Cells and boxes of a PDF line, cut at wide gaps, sentence ends and hyphens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tasks.conversion.document.placed_text import Part, make_box, make_part, shift
from tasks.conversion.layout.page import Cell, make_cell
from tasks.conversion.pdf.page_text import Floats, PageText
from tasks.records import Box
from tasks.text.characters import LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry

_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MOST_OF_MARK = 12
"""No list mark that the pattern matches is longer."""


class Piece(NamedTuple):
    """A stretch of the page's text: ``raw`` from the offset ``at`` on, and ``text``, the same cleaned."""

    raw: str
    text: str
    at: int


make_piece = partial(tuple.__new__, Piece)


class PlacedWords(NamedTuple):
    """Words of some pieces with their places, one entry per word: offsets of the first and last character in the page's
    text, and sides in points from the page's upper left corner.

    ``top`` and ``bottom`` are empty where no piece ends on another baseline than it begins on.
    """

    head: list[int]
    tail: list[int]
    left: Floats
    right: Floats
    top: Floats
    bottom: Floats


class Span(NamedTuple):
    """A piece's place: its first and last word, pdfium's indices of its first and last character, and the box around
    them.

    ``is_parted`` where it ends on another baseline than it begins on; no box where it is not upright or ends before it
    begins. ``gaps`` maps each word after a wide gap to the gap over the type size; ``openings`` are the words that open
    a sentence. ``is_row`` where the number that it begins with is a cell of a table.
    """

    first: int
    last: int
    head: int
    tail: int
    is_upright: bool
    is_parted: bool
    has_box: bool
    box: Box
    gaps: dict[int, float]
    openings: list[int]
    is_row: bool


def cut_line(page: PageText, piece: Piece, words: PlacedWords, span: Span) -> tuple[tuple[Cell, ...], tuple[Part, ...]]:
    """Cut a line that is no plain row of words into its cells and boxed parts."""
    first, last = span.first, span.last
    cells = _cell_starts(piece, words, first, span.gaps, span.is_row) if span.gaps else [first]
    parts: tuple[Part, ...] = ()
    if not span.is_upright:
        parts = (Part(0, len(piece.text), _box_of(page, [span.head, span.tail])),)
    elif span.has_box:
        cuts = [*cells[1:], *span.openings]
        parts = _parts(piece, words, (first, last), cuts, None if span.is_parted else span.box)
        parts = parts or (Part(0, len(piece.text), span.box),)
    return _cells(piece, words, cells, span, parts) if len(cells) > 1 else (), parts


def _cell_starts(piece: Piece, words: PlacedWords, first: int, gaps: dict[int, float], is_row: bool) -> list[int]:
    """The indices of the words that begin a cell, ``first`` among them.

    An entry of a table of contents is one cell. A list mark is no cell of its own, except in a row of a table; a bare
    number before another number is no list mark.
    """
    if is_contents_entry(piece.text):
        return [first]
    starts = [first]
    for word in gaps:
        before = _written(piece, words, first, word)
        is_figure = before[-1:].isdecimal() and piece.raw[words.head[word] - piece.at].isdecimal()
        if is_row or len(starts) > 1 or is_figure or not _is_list_mark(before):
            starts.append(word)
    return starts


def _is_list_mark(text: str) -> bool:
    return not text or is_bullet(f"{text} x") or (len(text) <= _MOST_OF_MARK and _LIST_MARK.fullmatch(text) is not None)


def _written(piece: Piece, words: PlacedWords, first: int, past: int) -> str:
    raw = piece.raw[words.head[first] - piece.at : words.tail[past - 1] + 1 - piece.at]
    return raw if piece.raw == piece.text else clean(raw)


def _cells(piece: Piece, words: PlacedWords, starts: list[int], span: Span, parts: Sequence[Part]) -> tuple[Cell, ...]:
    """The cells that begin at the words ``starts``, with their boxes where the cells make up the line's text."""
    cells: list[Cell] = []
    written = 0
    for first, past in pairwise([*starts, span.last + 1]):
        text = _written(piece, words, first, past)
        own: tuple[Part, ...] = ()
        if piece.text.startswith(text, written):
            end = written + len(text)
            own = tuple(shift((part for part in parts if written <= part.start and part.end <= end), -written))
        cells.append(make_cell((words.left.item(first), text, span.gaps.get(first, 0.0), own)))
        written += len(text) + 1
    return tuple(cells)


def _parts(
    piece: Piece, words: PlacedWords, span: tuple[int, int], cuts: list[int], whole: Box | None
) -> tuple[Part, ...]:
    """The boxed parts of a line, cut before the words ``cuts`` and, where it has no ``whole`` box, after its hyphens.

    Empty where there is nothing to cut, or where the cleaned pieces do not make up the cleaned line.
    """
    first, last = span
    raw, text = piece.raw, piece.text
    if whole is None:
        cuts += [word + 1 for word in range(first, last) if raw[words.tail[word] - piece.at] == LINE_END_HYPHEN]
    if not cuts:
        return ()
    heads, tails, at = words.head, words.tail, piece.at
    is_clean = raw == text
    parts: list[Part] = []
    written = 0
    for begin, past in pairwise([first, *sorted(set(cuts)), last + 1]):
        own = raw[heads[begin] - at : tails[past - 1] + 1 - at]
        if not is_clean:
            own = clean(own)
        if not text.startswith(own, written):
            return ()
        left, right = words.left.item(begin), words.right.item(past - 1)
        top, bottom = (whole.top, whole.bottom) if whole else (words.top.item(begin), words.bottom.item(begin))
        end = written + len(own)
        if own and right > left:
            parts.append(make_part((written, end, make_box((left, top, right, bottom)))))
        written = end + (own[-1] != LINE_END_HYPHEN) if own else written
    return tuple(parts) if written >= len(text) else ()


def _box_of(page: PageText, indices: list[int]) -> Box:
    left, low, right, high = page.sides(indices)
    height = page.view.height
    sides = left.min(), height - high.max(), right.max(), height - low.min()
    return Box(*np.array(sides).round(2).tolist())


def clean(raw: str) -> str:
    """Clean ``raw`` with :func:`clean_line`, but keep its line-end hyphen marks."""
    if LINE_END_HYPHEN not in raw:
        return clean_line(raw)
    return LINE_END_HYPHEN.join(clean_line(part) for part in raw.split(LINE_END_HYPHEN))
