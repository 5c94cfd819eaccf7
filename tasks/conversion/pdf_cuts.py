"""The boxes and cells of a line that a wide gap, a sentence's end or a hyphen parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tasks.conversion.layout import Cell
from tasks.conversion.pdf_text import Floats, PageText
from tasks.conversion.placed_text import Part, make_box, make_part, shift
from tasks.conversion.text import LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry
from tasks.records import Box

_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MOST_OF_MARK = 12
"""No mark that the pattern knows is longer."""


class Piece(NamedTuple):
    """A stretch of the page's text from ``at`` on, and what is written there in clean characters."""

    raw: str
    text: str
    at: int


make_piece = partial(tuple.__new__, Piece)
_make_cell = partial(tuple.__new__, Cell)


class PlacedWords(NamedTuple):
    """The words of some pieces, an entry each: the offsets of the first and the last character in the page's text, and
    sides in points from the page's upper left corner. ``top`` and ``bottom`` are empty where no piece ends on another
    baseline than it begins on.
    """

    head: list[int]
    tail: list[int]
    left: Floats
    right: Floats
    top: Floats
    bottom: Floats


class Span(NamedTuple):
    """A piece's first and last word, pdfium's indices of its first and last character, and the box around them.

    It is parted where it ends on another baseline than it begins on, and has no box where it is not upright or ends
    before it begins. ``gaps`` are the words in it after a wide gap, with the gap over the type size; ``openings`` those
    that open a sentence. It ``is_row`` where the number that it begins with is a cell.
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
    """The cells of a line that is no plain row of words, and its parts."""
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


def cut_clean(
    piece: Piece,
    words: PlacedWords,
    span: tuple[int, int],
    gaps: dict[int, float],
    openings: list[int],
    box: Box,
    is_row: bool,
) -> tuple[tuple[Cell, ...], tuple[Part, ...]]:
    """The same as :func:`cut_line` for an upright line on one baseline whose text is printed as it is."""
    first, last = span
    raw, at = piece.raw, piece.at
    cells = _cell_starts(piece, words, first, gaps, is_row) if gaps else [first]
    if len(cells) == 1:
        return (), _clean_parts(piece, words, openings, box)
    parts = _clean_parts(piece, words, sorted({*cells[1:], *openings}) if openings else cells[1:], box)
    made: list[Cell] = []
    for begin, past in pairwise([*cells, last + 1]):
        start, end = words.head[begin] - at, words.tail[past - 1] + 1 - at
        own = tuple([make_part((a - start, b - start, part)) for a, b, part in parts if start <= a and b <= end])
        made.append(_make_cell((words.left.item(begin), raw[start:end], gaps.get(begin, 0.0), own)))
    return tuple(made), parts


def _cell_starts(piece: Piece, words: PlacedWords, first: int, gaps: dict[int, float], is_row: bool) -> list[int]:
    """The words that begin a cell, ``first`` among them; an entry of a contents makes none, nor does a list's mark,
    which no number without a stop is before another number, nor any in a row of a table.
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
    """The clean text of the words ``[first, past)``."""
    raw = piece.raw[words.head[first] - piece.at : words.tail[past - 1] + 1 - piece.at]
    return raw if piece.raw == piece.text else clean(raw)


def _cells(piece: Piece, words: PlacedWords, starts: list[int], span: Span, parts: Sequence[Part]) -> tuple[Cell, ...]:
    """The parts of a line that begin at ``starts``, with their places where they make up the line's text."""
    cells: list[Cell] = []
    written = 0
    for first, past in pairwise([*starts, span.last + 1]):
        text = _written(piece, words, first, past)
        own: tuple[Part, ...] = ()
        if piece.text.startswith(text, written):
            end = written + len(text)
            own = tuple(shift((part for part in parts if written <= part.start and part.end <= end), -written))
        cells.append(_make_cell((words.left.item(first), text, span.gaps.get(first, 0.0), own)))
        written += len(text) + 1
    return tuple(cells)


def _parts(
    piece: Piece, words: PlacedWords, span: tuple[int, int], cuts: list[int], whole: Box | None
) -> tuple[Part, ...]:
    """The boxes of a line in pieces that begin at ``cuts`` and, where it has no box as a ``whole``, after its hyphens.

    None where there is nothing to cut, or the cleaned pieces do not make up the cleaned line.
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


def _clean_parts(piece: Piece, words: PlacedWords, starts: Sequence[int], box: Box) -> tuple[Part, ...]:
    """The boxes of a clean line within ``box``, in pieces that begin at the words ``starts`` after the first."""
    left, top, right, bottom = box
    parts: list[Part] = []
    begin = 0
    for word in starts:
        end, edge = words.tail[word - 1] + 1 - piece.at, words.right.item(word - 1)
        if edge > left:
            parts.append(make_part((begin, end, make_box((left, top, edge, bottom)))))
        begin, left = words.head[word] - piece.at, words.left.item(word)
    if right > left:
        parts.append(make_part((begin, len(piece.text), make_box((left, top, right, bottom)))))
    return tuple(parts) or (make_part((0, len(piece.text), box)),)


def _box_of(page: PageText, indices: list[int]) -> Box:
    """The box around the characters at pdfium's ``indices``."""
    left, low, right, high = page.sides(indices)
    height = page.view.height
    sides = left.min(), height - high.max(), right.max(), height - low.min()
    return Box(*np.array(sides).round(2).tolist())


def clean(raw: str) -> str:
    """``raw`` as :func:`clean_line` has it, with its marks of hyphens."""
    if LINE_END_HYPHEN not in raw:
        return clean_line(raw)
    return LINE_END_HYPHEN.join(clean_line(part) for part in raw.split(LINE_END_HYPHEN))
