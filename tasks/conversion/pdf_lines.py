"""A PDF page's text as lines with their places."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
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
    lines = _place(page, pieces)
    if not all(line.placed and _is_seen(line, view) for line in lines):
        return _read_bounded(text_page, page)
    if may_be_columns(lines):
        printed = [part for line, piece in zip(lines, pieces, strict=True) for part in _printed(line, piece)]
        apart = list(map(_with_hyphen, _place(page, printed))) if len(printed) > len(pieces) else lines
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
    placed = iter(_place(page, [piece for piece in found if piece.at >= 0]))
    return _with_text([next(placed) if piece.at >= 0 else Line(piece.text) for piece in found])


def _with_text(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.text]


def _is_seen(line: Line, view: View) -> bool:
    """Whether the line begins and ends on the page."""
    low, high = (line.y, line.y_end) if line.y < line.y_end else (line.y_end, line.y)
    return line.x0 >= 0 and line.x1 <= view.width and low >= 0 and high <= view.height


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


def _with_hyphen(line: Line) -> Line:
    """The printed line with a hyphen where pdfium has its mark."""
    cells = tuple(cell._replace(text=cell.text.replace(LINE_END_HYPHEN, "-")) for cell in line.cells)
    return line._replace(text=line.text.replace(LINE_END_HYPHEN, "-"), cells=cells)


def _place(page: PageText, pieces: Sequence[_Piece]) -> list[Line]:
    """The pieces as lines with what pdfium knows of their places; one that it knows nothing of has none."""
    if not pieces:
        return []
    begin = np.array([piece.at for piece in pieces])
    end = begin + np.array([len(piece.raw) for piece in pieces])
    heads, tails = page.indices(begin), page.indices(end - 1)
    size, is_upright = page.type_at(tails)
    found = page.words(begin, end)
    first, last = np.searchsorted(found.start, begin), np.searchsorted(found.start, end) - 1
    owner = np.repeat(np.arange(len(pieces)), last - first + 1)
    x, right, y, y_end = found.x[first], found.right[last], found.y[first], found.y[last]
    top = page.view.height - found.y - ASCENT * size[owner]
    bottom = page.view.height - found.y + DESCENT * size[owner]
    gap = _wide_gaps(found, size[owner])
    gap[(np.abs(y - y_end) >= 1)[owner]] = 0
    gap[first] = 0
    sides = np.array([found.x, top, found.right, bottom]).round(2).tolist()
    words = _Words(found.start.tolist(), found.end.tolist(), *sides, gap.tolist())
    openings = _openings(page.text, found.start, owner, first)
    has_gap = np.maximum.reduceat(gap, first) > 0
    is_known = ~np.isnan(x + right + y + y_end) & (size > 0)
    flags = is_upright.tolist(), has_gap.tolist(), is_known.tolist()
    place = np.array([x, right, y, y_end, size.round(1)]).T.tolist()
    each = zip(pieces, place, first.tolist(), last.tolist(), heads, tails, *flags, strict=True)
    lines: list[Line] = []
    for index, (piece, (x0, x1, y0, y1, points), low, high, head, tail, upright, gaps, known) in enumerate(each):
        if not known:
            lines.append(Line(piece.text))
            continue
        bold = page.is_bold(tail) and (head == tail or page.is_bold(head))
        cells = _cell_starts(piece, words, low, high) if gaps else [low]
        if upright:
            cuts = [*cells[1:], *openings.get(index, ())]
            parts = _parts(piece, words, low, high, cuts, abs(y0 - y1) >= 1)
        else:
            parts = (Part(0, len(piece.text), _box_of(page, [head, tail])),)
        lines.append(Line(piece.text, x0, x1, y0, y1, points, bold, _cells(piece, words, cells, high, parts), parts))
    return lines


def _wide_gaps(words: Words, size: Floats) -> Floats:
    """The gap before each word over the type size where it is wide, 0 elsewhere and where no blank is written."""
    gap = np.zeros(len(words.start))
    wide = (words.x[1:] - words.right[:-1]) / size[1:]
    gap[1:] = np.where((wide >= _MIN_GAP) & (words.start[1:] > words.end[:-1]), wide, 0)
    return gap


def _openings(text: str, start: Offsets, owner: Offsets, first: Offsets) -> dict[int, list[int]]:
    """The words that open a sentence within a piece, by the piece's index."""
    stops = np.array([stop.end(1) for stop in _SENTENCE_END.finditer(text)], np.int64)
    words = np.searchsorted(start, stops)
    words = words[words < len(start)]
    openings: dict[int, list[int]] = defaultdict(list)
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
    return _clean(piece.raw[words.start[first] - piece.at : words.end[past - 1] - piece.at])


def _cells(piece: _Piece, words: _Words, starts: list[int], last: int, parts: Sequence[Part]) -> tuple[Cell, ...]:
    """The parts of a line that begin at ``starts``, with their places where they make up the line's text."""
    if len(starts) == 1:
        return ()
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


def _parts(piece: _Piece, words: _Words, first: int, last: int, cuts: list[int], parted: bool) -> tuple[Part, ...]:
    """The boxes of a line in pieces that begin at ``cuts`` and, where it is ``parted``, after the hyphens in it.

    One piece where the cleaned ones do not make up the cleaned line.
    """
    raw, text = piece.raw, piece.text
    top, bottom = min(words.top[first], words.top[last]), max(words.bottom[first], words.bottom[last])
    left, right = words.left[first], words.right[last]
    whole = (Part(0, len(text), Box(left, top, right, bottom)),) if right > left else ()
    if parted:
        cuts += [word + 1 for word in range(first, last) if raw[words.end[word] - piece.at - 1] == LINE_END_HYPHEN]
    if not cuts or not whole:
        return whole
    parts: list[Part] = []
    written = 0
    for begin, past in pairwise([first, *sorted(set(cuts)), last + 1]):
        own = _written(piece, words, begin, past)
        if not text.startswith(own, written):
            return whole
        if parted:
            top, bottom = words.top[begin], words.bottom[begin]
        left, right = words.left[begin], words.right[past - 1]
        if own and right > left:
            parts.append(Part(written, written + len(own), Box(left, top, right, bottom)))
        written += len(own) + (own[-1:] != LINE_END_HYPHEN) if own else 0
    return tuple(parts) if written >= len(text) else whole


def _box_of(page: PageText, indices: list[int]) -> Box:
    """The box around the characters at pdfium's ``indices``."""
    left, low, right, high = page.sides(indices)
    height = page.view.height
    sides = left.min(), height - high.max(), right.max(), height - low.min()
    return Box(*np.array(sides).round(2).tolist())
