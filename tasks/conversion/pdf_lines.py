"""A PDF page's text as lines with their places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import partial
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.conversion.columns import may_be_columns, order_columns
from tasks.conversion.layout import Cell, Line, make_line
from tasks.conversion.pdf_text import Floats, PageText, View, Words
from tasks.conversion.placed_text import Part, make_box, make_part, shift
from tasks.conversion.text import LIGATURES, LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry
from tasks.records import Box

ASCENT = 0.78
DESCENT = 0.22
"""How far letters reach above and below their baseline, over the type size: lines set tight do not overlap."""

_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MOST_OF_MARK = 12
_MIN_GAP = 0.8
_LEAST_GAP = 0.79
"""No gap over a size is ``_MIN_GAP`` that is less than this over the smallest, however the two are rounded."""
_NONE = np.zeros(0)
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*( )(?=[\"“(]?[^\W_a-z])")
_LOOK_AHEAD = 2000


class _Piece(NamedTuple):
    """A stretch of the page's text from ``at`` on, and what is written there in clean characters."""

    raw: str
    text: str
    at: int


_make_piece = partial(tuple.__new__, _Piece)
_make_cell = partial(tuple.__new__, Cell)


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
    # Of what cleaning changes only ligatures and two blanks are printable.
    is_plain = text.isascii() or not any(map(text.__contains__, LIGATURES))
    pieces: list[_Piece] = []
    at = 0
    for line in text.split("\n"):
        raw = line.strip()
        if raw:
            is_clean = raw.isprintable() and "  " not in raw and (is_plain or raw.isascii())
            pieces.append(_make_piece((raw, raw if is_clean else _clean(raw), at + line.index(raw))))
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


class _Span(NamedTuple):
    """A piece's first and last word, pdfium's indices of its first and last character, and the box around them.

    It is parted where it ends on another baseline than it begins on, and has no box where it is not upright or ends
    before it begins. ``gaps`` are the words in it after a wide gap, with the gap over the type size; ``openings`` those
    that open a sentence.
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
    raws, texts, ats = zip(*pieces, strict=True)
    lengths = list(map(len, texts))
    begin = np.array(ats)
    end = begin + np.array(lengths if raws == texts else list(map(len, raws)))
    heads, tails = page.indices(list(ats)), page.indices((end - 1).tolist())
    size, is_upright = page.type_at(tails)
    found = page.words(begin, end)
    height = page.view.height
    # An entry for each piece, as all arrays and lists that follow.
    x, right, y, y_end = found.x[found.first], found.right[found.last], found.y[found.first], found.y[found.last]
    is_parted = np.abs(y - y_end) >= 1
    above, below = height - np.maximum(y, y_end) - ASCENT * size, height - np.minimum(y, y_end) + DESCENT * size
    boxes = list(map(make_box, zip(*np.array([x, above, right, below]).round(2).tolist(), strict=True)))
    is_known = ~np.isnan(x + right + y + y_end) & (size > 0)
    has_box = is_upright & (right > x)
    rights = right.tolist()
    columns = lefts, _, lows, ends, _ = (x.tolist(), rights, y.tolist(), y_end.tolist(), size.round(1).tolist())
    are_seen = is_known.all() and min(lefts) >= 0 and max(rights) <= page.view.width
    are_seen = are_seen and min(*lows, *ends) >= 0 and max(*lows, *ends) <= height
    gaps, edges = _wide_gaps(found, size, is_parted)
    openings = _openings(page.text, found.head, found.first.tolist())
    parts: list[tuple[Part, ...]] = [(whole,) for whole in map(make_part, zip(repeat(0), lengths, boxes))]
    cells: list[tuple[Cell, ...]] = [()] * len(pieces)
    is_plain = (is_known & has_box & ~is_parted).tolist()
    cut = {*gaps, *openings, *(index for index, plain in enumerate(is_plain) if not plain)}
    words = _words(found, size, height, bool(is_parted.any()))
    for index in cut:
        piece, first, last = pieces[index], found.first.item(index), found.last.item(index)
        own = gaps.get(index, {}), openings.get(index, [])
        if is_plain[index] and piece.raw == piece.text:
            cells[index], parts[index] = _cut_clean(piece, words, (first, last), *own, boxes[index])
        elif is_known[index]:
            of_type = bool(is_upright[index]), bool(is_parted[index]), bool(has_box[index])
            span = _Span(first, last, heads[index], tails[index], *of_type, boxes[index], *own)
            cells[index], parts[index] = _cut(page, piece, words, span)
    ends_of = zip(heads, tails, strict=True)
    bold = [page.is_bold(tail) and (head == tail or page.is_bold(head)) for head, tail in ends_of]
    lines = list(map(make_line, zip(texts, *columns, bold, cells, parts, strict=True)))
    if not is_known.all():
        for index in np.flatnonzero(~is_known).tolist():
            lines[index] = Line(texts[index])
    return _Placed(lines, edges, bool(are_seen))


def _words(found: Words, size: Floats, height: float, are_parted: bool) -> _Words:
    """What pdfium ``found``, for a page of that height in points and pieces of those type sizes."""
    left, right = found.x.round(2), found.right.round(2)
    if not are_parted:
        return _Words(found.head, found.tail, left, right, _NONE, _NONE)
    own_size = np.repeat(size, found.last - found.first + 1)
    top, bottom = height - found.y - ASCENT * own_size, height - found.y + DESCENT * own_size
    return _Words(found.head, found.tail, left, right, top.round(2), bottom.round(2))


def _wide_gaps(
    words: Words, size: Floats, is_parted: NDArray[np.bool_]
) -> tuple[dict[int, dict[int, float]], list[float]]:
    """The words after a wide gap within a piece, by its index, with the gap over the type size; and where such words
    begin in pieces that are parted. There is no gap where no blank is written.
    """
    gaps: dict[int, dict[int, float]] = {}
    edges: list[float] = []
    gap = words.x[1:] - words.right[:-1]
    wide = np.flatnonzero(gap >= _LEAST_GAP * size.min())
    if not len(wide):
        return gaps, edges
    pieces = np.searchsorted(words.first, wide + 1, "right") - 1
    over_size = gap[wide] / size[pieces]
    is_within = (over_size >= _MIN_GAP) & (words.first[pieces] <= wide)
    each = (wide + 1)[is_within], pieces[is_within], over_size[is_within]
    for word, piece, ratio in zip(*(column.tolist() for column in each), strict=True):
        if words.head[word] == words.tail[word - 1] + 1:
            continue
        if is_parted[piece]:
            edges.append(words.x.item(word))
        else:
            gaps.setdefault(piece, {})[word] = ratio
    return gaps, edges


def _openings(text: str, heads: list[int], first: list[int]) -> dict[int, list[int]]:
    """The words that open a sentence within a piece, by its index."""
    openings: dict[int, list[int]] = {}
    for stop in _SENTENCE_END.finditer(text):
        word = bisect_left(heads, stop.end(1))
        piece = bisect_right(first, word) - 1
        if first[piece] < word < len(heads):
            openings.setdefault(piece, []).append(word)
    return openings


def _cut(page: PageText, piece: _Piece, words: _Words, span: _Span) -> tuple[tuple[Cell, ...], tuple[Part, ...]]:
    """The cells of a line that is no plain row of words, and its parts."""
    first, last = span.first, span.last
    cells = _cell_starts(piece, words, first, span.gaps) if span.gaps else [first]
    parts: tuple[Part, ...] = ()
    if not span.is_upright:
        parts = (Part(0, len(piece.text), _box_of(page, [span.head, span.tail])),)
    elif span.has_box:
        cuts = [*cells[1:], *span.openings]
        parts = _parts(piece, words, (first, last), cuts, None if span.is_parted else span.box)
        parts = parts or (Part(0, len(piece.text), span.box),)
    return _cells(piece, words, cells, span, parts) if len(cells) > 1 else (), parts


def _cut_clean(
    piece: _Piece, words: _Words, span: tuple[int, int], gaps: dict[int, float], openings: list[int], box: Box
) -> tuple[tuple[Cell, ...], tuple[Part, ...]]:
    """The same as :func:`_cut` for an upright line on one baseline whose text is printed as it is."""
    first, last = span
    raw, at = piece.raw, piece.at
    cells = _cell_starts(piece, words, first, gaps) if gaps else [first]
    if len(cells) == 1:
        return (), _clean_parts(piece, words, openings, box)
    parts = _clean_parts(piece, words, sorted({*cells[1:], *openings}) if openings else cells[1:], box)
    made: list[Cell] = []
    for begin, past in pairwise([*cells, last + 1]):
        start, end = words.head[begin] - at, words.tail[past - 1] + 1 - at
        own = tuple([make_part((a - start, b - start, part)) for a, b, part in parts if start <= a and b <= end])
        made.append(_make_cell((words.left.item(begin), raw[start:end], gaps.get(begin, 0.0), own)))
    return tuple(made), parts


def _cell_starts(piece: _Piece, words: _Words, first: int, gaps: dict[int, float]) -> list[int]:
    """The words that begin a cell, ``first`` among them; a list's mark and an entry of a contents make none."""
    if is_contents_entry(piece.text):
        return [first]
    starts = [first]
    for word in gaps:
        if len(starts) > 1 or not _is_list_mark(_written(piece, words, first, word)):
            starts.append(word)
    return starts


def _is_list_mark(text: str) -> bool:
    return not text or is_bullet(f"{text} x") or (len(text) <= _MOST_OF_MARK and _LIST_MARK.fullmatch(text) is not None)


def _written(piece: _Piece, words: _Words, first: int, past: int) -> str:
    """The clean text of the words ``[first, past)``."""
    raw = piece.raw[words.head[first] - piece.at : words.tail[past - 1] + 1 - piece.at]
    return raw if piece.raw == piece.text else _clean(raw)


def _cells(piece: _Piece, words: _Words, starts: list[int], span: _Span, parts: Sequence[Part]) -> tuple[Cell, ...]:
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


def _parts(piece: _Piece, words: _Words, span: tuple[int, int], cuts: list[int], whole: Box | None) -> tuple[Part, ...]:
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
            own = _clean(own)
        if not text.startswith(own, written):
            return ()
        left, right = words.left.item(begin), words.right.item(past - 1)
        top, bottom = (whole.top, whole.bottom) if whole else (words.top.item(begin), words.bottom.item(begin))
        end = written + len(own)
        if own and right > left:
            parts.append(make_part((written, end, make_box((left, top, right, bottom)))))
        written = end + (own[-1] != LINE_END_HYPHEN) if own else written
    return tuple(parts) if written >= len(text) else ()


def _clean_parts(piece: _Piece, words: _Words, starts: Sequence[int], box: Box) -> tuple[Part, ...]:
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
