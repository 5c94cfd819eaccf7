"""A PDF page's text as lines with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tasks.conversion.columns import may_be_columns, order_columns
from tasks.conversion.layout import Cell, Line
from tasks.conversion.pdf_text import Floats, Offsets, PageText, View, Words
from tasks.conversion.placed_text import Part, shift
from tasks.conversion.text import LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry
from tasks.records import Box

ASCENT = 0.78
DESCENT = 0.22
"""How far letters reach above and below their baseline, over the type size: lines set tight do not overlap."""

_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MIN_GAP = 0.8
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*( )(?=[\"“(]?[^\W_a-z])")
_LOOK_AHEAD = 2000


class _Piece(NamedTuple):
    """A stretch of the page's text from ``at`` on, and what is written there in clean characters."""

    raw: str
    text: str
    at: int


def read_lines(text_page: Any, view: View) -> list[Line]:
    """The lines of the page's own area, as get_text_bounded gives them; no text gives none.

    get_text_range also holds what stands off the page. Where each of its lines begins and ends on the page, the two
    are the same, and the slower call is left out. Columns that the file draws line by line are put one after another.
    """
    page = PageText(text_page.raw, view, _mark_hyphens(text_page.get_text_range(errors="replace")))
    pieces = _pieces(page.text)
    lines, edges, are_seen = _place(page, pieces)
    if not are_seen:
        return _read_bounded(text_page, page)
    if may_be_columns(lines, edges):
        printed = [part for line, piece in zip(lines, pieces, strict=True) for part in _printed(line, piece)]
        apart = list(map(_with_hyphen, _place(page, printed).lines)) if len(printed) > len(pieces) else lines
        return order_columns(_with_text(apart)) or _with_text(lines)
    return _with_text(lines)


def _pieces(text: str) -> list[_Piece]:
    """The lines of ``text`` that are not blank, without the blanks at their ends."""
    pieces: list[_Piece] = []
    at = 0
    for line in text.split("\n"):
        raw = line.strip()
        if raw:
            pieces.append(_Piece(raw, _clean(raw), at + line.index(raw)))
        at += len(line) + 1
    return pieces


def _read_bounded(text_page: Any, page: PageText) -> list[Line]:
    """The lines of get_text_bounded, which has no places, with those of get_text_range.

    The two are matched line by line, and a line that is not found there has no place.
    """
    bounded = _mark_hyphens(text_page.get_text_bounded())
    same = page.text == bounded
    found: list[_Piece] = []
    cursor = 0
    for raw, text, _ in _pieces(bounded):
        at = page.text.find(raw, cursor)
        if at >= 0 and (same or at <= cursor + _LOOK_AHEAD):
            cursor = at + len(raw)
        else:
            at = -1
        found.append(_Piece(raw, text, at))
    placed = iter(_place(page, [piece for piece in found if piece.at >= 0]).lines)
    return _with_text([next(placed) if piece.at >= 0 else Line(piece.text) for piece in found])


def _with_text(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.text]


def _mark_hyphens(text: str) -> str:
    # A soft hyphen that is printed ends a line too: pdfium has joined the two lines by then.
    return text.replace("\ufffe", LINE_END_HYPHEN).replace("\xad", LINE_END_HYPHEN)


def _clean(raw: str) -> str:
    if LINE_END_HYPHEN not in raw:
        return clean_line(raw)
    return LINE_END_HYPHEN.join(clean_line(part) for part in raw.split(LINE_END_HYPHEN))


def _printed(line: Line, piece: _Piece) -> list[_Piece]:
    """The printed lines that pdfium joined at their hyphens, or ``piece`` itself where it joined none."""
    if LINE_END_HYPHEN not in piece.raw or abs(line.y - line.y_end) < 1:
        return [piece]
    pieces = re.finditer(f"[^{LINE_END_HYPHEN}]*{LINE_END_HYPHEN}?", piece.raw)
    printed = [_Piece(raw := found.group(), _clean(raw), piece.at + found.start()) for found in pieces]
    return [one for one in printed if one.text.strip(LINE_END_HYPHEN)]


def _with_hyphen(line: Line) -> Line:
    """The printed line with a hyphen where pdfium has its mark."""
    cells = tuple(cell._replace(text=cell.text.replace(LINE_END_HYPHEN, "-")) for cell in line.cells)
    return line._replace(text=line.text.replace(LINE_END_HYPHEN, "-"), cells=cells)


class _Words(NamedTuple):
    """The words of some pieces, an entry each: offsets in the page's text, sides in points from the page's upper left
    corner, and the wide gap before the word over the type size, 0 where there is none.
    """

    start: list[int]
    end: list[int]
    left: list[float]
    top: list[float]
    right: list[float]
    bottom: list[float]
    gap: list[float]


class _Span(NamedTuple):
    """A piece's first and last word, pdfium's indices of its first and last character, and where they stand.

    It is parted where it ends on another baseline than it begins on. ``openings`` are the words in it that open a
    sentence.
    """

    first: int
    last: int
    head: int
    tail: int
    x0: float
    x1: float
    y: float
    y_end: float
    size: float
    is_known: bool
    is_upright: bool
    is_parted: bool
    has_gap: bool
    openings: list[int]


class _Placed(NamedTuple):
    """Lines, where the words after a wide gap begin in those that end on another baseline (they have no cells), and
    whether all the lines are known to begin and end on the page.
    """

    lines: list[Line]
    edges: list[float]
    are_seen: bool


def _place(page: PageText, pieces: Sequence[_Piece]) -> _Placed:
    """The pieces as lines with what pdfium knows of their places; one that it knows nothing of has none."""
    if not pieces:
        return _Placed([], [], True)
    words, spans, edges, are_seen = _measure(page, pieces)
    lines = [_line(page, piece, words, span) for piece, span in zip(pieces, spans, strict=True)]
    return _Placed(lines, edges, are_seen)


def _measure(page: PageText, pieces: Sequence[_Piece]) -> tuple[_Words, Iterator[_Span], list[float], bool]:
    begin = np.array([piece.at for piece in pieces])
    end = begin + np.array([len(piece.raw) for piece in pieces])
    heads, tails = page.indices(begin), page.indices(end - 1)
    size, is_upright = page.type_at(tails)
    found = page.words(begin, end)
    first, last = np.searchsorted(found.start, begin), np.searchsorted(found.start, end) - 1
    owner = np.repeat(np.arange(len(pieces)), last - first + 1)
    x, right, y, y_end = found.x[first], found.right[last], found.y[first], found.y[last]
    is_parted = np.abs(y - y_end) >= 1
    gap = _wide_gaps(found, size[owner])
    gap[first] = 0
    in_parted = is_parted[owner]
    edges: list[float] = found.x[in_parted & (gap > 0)].tolist()
    gap[in_parted] = 0
    top = page.view.height - found.y - ASCENT * size[owner]
    bottom = page.view.height - found.y + DESCENT * size[owner]
    left, top, edge, bottom = np.array([found.x, top, found.right, bottom]).round(2).tolist()
    words = _Words(found.start.tolist(), found.end.tolist(), left, top, edge, bottom, gap.tolist())
    size = size.round(1)
    is_known = ~np.isnan(x + right + y + y_end) & (size > 0)
    height = page.view.height
    are_seen = is_known.all() and x.min() >= 0 and right.max() <= page.view.width
    are_seen = are_seen and min(y.min(), y_end.min()) >= 0 and max(y.max(), y_end.max()) <= height
    columns = (x, right, y, y_end, size, is_known, is_upright, is_parted, np.maximum.reduceat(gap, first) > 0)
    each = (first.tolist(), last.tolist(), heads, tails, *(column.tolist() for column in columns))
    return words, map(_Span, *each, _openings(page.text, found.start, owner, first)), edges, bool(are_seen)


def _line(page: PageText, piece: _Piece, words: _Words, span: _Span) -> Line:
    first, last, head, tail, x0, x1, y, y_end, size, is_known, is_upright, is_parted, has_gap, openings = span
    if not is_known:
        return Line(piece.text)
    bold = page.is_bold(tail) and (head == tail or page.is_bold(head))
    cells = _cell_starts(piece, words, first, last) if has_gap else [first]
    parts: tuple[Part, ...] = ()
    if not is_upright:
        parts = (Part(0, len(piece.text), _box_of(page, [head, tail])),)
    elif x1 > x0:
        top, bottom = min(words.top[first], words.top[last]), max(words.bottom[first], words.bottom[last])
        whole = Box(words.left[first], top, words.right[last], bottom)
        parts = (Part(0, len(piece.text), whole),)
        if has_gap or is_parted or openings:
            cuts = [*cells[1:], *openings]
            parts = _parts(piece, words, (first, last), cuts, None if is_parted else whole) or parts
    shown = _cells(piece, words, cells, last, parts) if len(cells) > 1 else ()
    return Line(piece.text, x0, x1, y, y_end, size, bold, shown, parts)


def _wide_gaps(words: Words, size: Floats) -> Floats:
    """The gap before each word over the type size where it is wide, 0 elsewhere and where no blank is written."""
    gap = np.zeros(len(words.start))
    wide = (words.x[1:] - words.right[:-1]) / size[1:]
    gap[1:] = np.where((wide >= _MIN_GAP) & (words.start[1:] > words.end[:-1]), wide, 0)
    return gap


def _openings(text: str, start: Offsets, owner: Offsets, first: Offsets) -> list[list[int]]:
    """For each piece the words that open a sentence within it."""
    stops = np.array([stop.end(1) for stop in _SENTENCE_END.finditer(text)], np.int64)
    words = np.searchsorted(start, stops)
    words = words[words < len(start)]
    openings: list[list[int]] = [[] for _ in first]
    for word, piece in zip(words.tolist(), owner[words].tolist(), strict=True):
        if word > first[piece]:
            openings[piece].append(word)
    return openings


def _cell_starts(piece: _Piece, words: _Words, first: int, last: int) -> list[int]:
    """The words that begin a cell, ``first`` among them; a list's mark and an entry of a contents make none."""
    starts = [first]
    if is_contents_entry(piece.text):
        return starts
    for word in range(first + 1, last + 1):
        if words.gap[word] and not (len(starts) == 1 and _is_list_mark(_written(piece, words, first, word))):
            starts.append(word)
    return starts


def _is_list_mark(text: str) -> bool:
    return not text or is_bullet(text + " x") or _LIST_MARK.fullmatch(text) is not None


def _written(piece: _Piece, words: _Words, first: int, past: int) -> str:
    """The clean text of the words ``[first, past)``."""
    raw = piece.raw[words.start[first] - piece.at : words.end[past - 1] - piece.at]
    return raw if piece.raw == piece.text else _clean(raw)


def _cells(piece: _Piece, words: _Words, starts: list[int], last: int, parts: Sequence[Part]) -> tuple[Cell, ...]:
    """The parts of a line that begin at ``starts``, with their places where they make up the line's text."""
    cells: list[Cell] = []
    written = 0
    for first, past in pairwise([*starts, last + 1]):
        text = _written(piece, words, first, past)
        own: tuple[Part, ...] = ()
        if piece.text.startswith(text, written):
            end = written + len(text)
            own = tuple(shift((part for part in parts if written <= part.start and part.end <= end), -written))
        cells.append(Cell(words.left[first], text, words.gap[first], own))
        written += len(text) + 1
    return tuple(cells)


def _parts(piece: _Piece, words: _Words, span: tuple[int, int], cuts: list[int], whole: Box | None) -> tuple[Part, ...]:
    """The boxes of a line in pieces that begin at ``cuts`` and, where it has no box as a ``whole``, after its hyphens.

    None where there is nothing to cut, or the cleaned pieces do not make up the cleaned line.
    """
    first, last = span
    raw, text = piece.raw, piece.text
    if whole is None:
        cuts += [word + 1 for word in range(first, last) if raw[words.end[word] - piece.at - 1] == LINE_END_HYPHEN]
    if not cuts:
        return ()
    parts: list[Part] = []
    written = 0
    for begin, past in pairwise([first, *sorted(set(cuts)), last + 1]):
        own = _written(piece, words, begin, past)
        if not text.startswith(own, written):
            return ()
        left, right = words.left[begin], words.right[past - 1]
        _, top, _, bottom = whole or (left, words.top[begin], right, words.bottom[begin])
        if own and right > left:
            parts.append(Part(written, written + len(own), Box(left, top, right, bottom)))
        written += len(own) + (own[-1:] != LINE_END_HYPHEN) if own else 0
    return tuple(parts) if written >= len(text) else ()


def _box_of(page: PageText, indices: list[int]) -> Box:
    """The box around the characters at pdfium's ``indices``."""
    left, low, right, high = page.sides(indices)
    height = page.view.height
    sides = left.min(), height - high.max(), right.max(), height - low.min()
    return Box(*np.array(sides).round(2).tolist())
