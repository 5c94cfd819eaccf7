"""Reader of a PDF page's text layer: lines of text with their places, type and cells."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.conversion.document.placed_text import Part, make_box, make_part
from tasks.conversion.layout.column_wise_tables import rejoin_rows
from tasks.conversion.layout.columns import may_be_columns, order_columns
from tasks.conversion.layout.drawing_order import in_place
from tasks.conversion.layout.page import SAME_BASELINE, Cell, Line, make_line
from tasks.conversion.pdf.letter_spacing import join_letters
from tasks.conversion.pdf.line_breaks import break_lines, far_hyphens, returns
from tasks.conversion.pdf.line_cuts import Piece, PlacedWords, Span, clean, cut_line, make_piece
from tasks.conversion.pdf.numbered_rows import Printed, numbered_rows
from tasks.conversion.pdf.page_text import Floats, PageText, View, Words
from tasks.conversion.pdf.redactions import cover_text
from tasks.conversion.pdf.ruled_rows import Upright, cut_at_rules, in_rows, may_be_ruled, ruled_rows, upright_rules
from tasks.conversion.pdf.superscripts import raise_digits, rejoin
from tasks.text.characters import LIGATURES, LINE_END_HYPHEN

ASCENT = 0.78
DESCENT = 0.22
"""ASCENT and DESCENT: reach of letters above and below their baseline, over the type size, so that tightly set lines do
not overlap."""

_MIN_GAP = 0.8
_LEAST_GAP = 0.79
"""A gap below this, over the smallest type size, is below ``_MIN_GAP`` over any size, however the two are rounded."""
_NONE = np.zeros(0)
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*( )(?=[\"“(]?[^\W_a-z])")
_LOOK_AHEAD = 2000


def read_lines(text_page: Any, view: View, put_on: Sequence[tuple[int, int]] = ()) -> list[Line]:
    """Read the lines of a page's visible area, as get_text_bounded gives them; no text gives no lines. ``put_on`` are
    the page's annotations.

    get_text_range also holds text off the page. Where each of its lines begins and ends on the page, the two are the
    same, and the slower call is left out. Lines that the file draws late are put back in place, columns that it draws
    line by line are put one after another, and rows that it draws column by column, or whose cells do not begin at one
    height, are put together again.
    """
    drawn = _mark_hyphens(text_page.get_text_range(errors="replace"))
    page = PageText(text_page.raw, view, drawn)
    cover_text(page, text_page.page, put_on)
    raise_digits(page)
    join_letters(page)
    pieces = _pieces(page.text)
    # Computed on demand: few pages have numbers that only rules show to be cells.
    place = partial(_place, page, cache(partial(upright_rules, text_page.page, view)))
    placed = place(pieces)
    if not placed.are_seen:
        return _read_bounded(text_page, page, drawn, place)
    if placed.returns:
        break_lines(page, placed.returns)
        pieces = _pieces(page.text)
        placed = place(pieces)
    if placed.far:
        pieces = _cut_behind_hyphens(page, pieces, placed.far)
        placed = place(pieces)
    while not placed.descend and rejoin(page, pieces, placed.lines):
        pieces = _pieces(page.text)
        placed = place(pieces)
    if placed.edges and len(parted := _cut_at_steps(page, pieces, placed.lines)) > len(pieces):
        pieces = parted
        placed = place(pieces)
    lines, edges = placed.lines, placed.edges
    ruled = ruled_rows(text_page.page, view) if not placed.descend and may_be_ruled(lines) else []
    if ruled and (cut := cut_at_rules(page, pieces, ruled)):
        return rejoin_rows(_with_text(in_rows(place(cut.pieces).lines, cut)))
    if may_be_columns(lines, edges):
        printed = [part for line, piece in zip(lines, pieces, strict=True) for part in _printed(line, piece)]
        apart = list(map(_with_hyphen, place(printed).lines)) if len(printed) > len(pieces) else lines
        ordered = order_columns(in_place(_with_text(apart)))
        if ordered:
            return ordered
    told = _with_text(lines)
    return told if placed.descend else rejoin_rows(in_place(told))


def _cut_at_steps(page: PageText, pieces: Sequence[Piece], lines: Sequence[Line]) -> list[Piece]:
    """Cut pieces that pdfium joined across a wide gap though their parts stand at different heights.

    Such are the headings of a table, where a heading is set in the middle of two rows and other gaps stand in the line.
    """
    cut: list[Piece] = []
    for piece, line in zip(pieces, lines, strict=True):
        if abs(line.y - line.y_end) < SAME_BASELINE or LINE_END_HYPHEN in piece.raw:
            cut.append(piece)
            continue
        words = page.words(np.array([piece.at]), np.array([piece.at + len(piece.raw)]))
        is_step = np.abs(words.y[1:] - words.y[:-1]) > SAME_BASELINE
        is_gap = words.x[1:] - words.right[:-1] > _MIN_GAP * line.size
        steps = (is_step & is_gap).nonzero()[0] + 1
        # A label whose value stands a little higher, or a formula, has no other gap.
        starts = [0, *(steps.tolist() if np.count_nonzero(is_gap) > len(steps) == 1 else ()), len(words.head)]
        for begin, past in pairwise(starts):
            raw = page.text[words.head[begin] : words.tail[past - 1] + 1]
            cut.append(make_piece((raw, clean(raw), words.head[begin])))
    return cut


def _cut_behind_hyphens(page: PageText, pieces: Sequence[Piece], offsets: Sequence[int]) -> list[Piece]:
    """Cut the pieces before each of the ``offsets``; a part that ends with a hyphen mark keeps a plain hyphen."""
    cut: list[Piece] = []
    for piece in pieces:
        within = [offset for offset in offsets if piece.at < offset < piece.at + len(piece.raw)]
        for begin, end in pairwise([piece.at, *within, piece.at + len(piece.raw)]):
            raw = page.text[begin:end]
            cut.append(Piece(raw, clean(raw.rstrip(LINE_END_HYPHEN)) + "-" * raw.endswith(LINE_END_HYPHEN), begin))
    return cut


def _pieces(text: str) -> list[Piece]:
    """The lines of ``text`` that are not blank, without white space at their ends."""
    # Cleaning changes no printable text but ligatures and double blanks.
    is_plain = text.isascii() or not any(map(text.__contains__, LIGATURES))
    pieces: list[Piece] = []
    at = 0
    for line in text.split("\n"):
        raw = line.strip()
        if raw:
            is_clean = raw.isprintable() and "  " not in raw and (is_plain or raw.isascii())
            begin = at + len(line) - len(line.lstrip())
            pieces.append(make_piece((raw, raw if is_clean else clean(raw), begin)))
        at += len(line) + 1
    return pieces


def _read_bounded(
    text_page: Any, page: PageText, drawn: str, place: Callable[[Sequence[Piece]], _Placed]
) -> list[Line]:
    """The lines of get_text_bounded, which gives no places, with the places of the lines of get_text_range (``drawn``).

    The two are matched line by line, and a line that is not found has no place. Raised characters, the lines that they
    part, and text under black boxes are taken from the page; where a page has such boxes, a line that is not found is
    left out.
    """
    bounded = _mark_hyphens(text_page.get_text_bounded())
    same = drawn == bounded
    found: list[Piece] = []
    cursor = 0
    for raw, text, _ in _pieces(bounded):
        at = drawn.find(raw, cursor)
        if at >= 0 and (same or at <= cursor + _LOOK_AHEAD):
            cursor = at + len(raw)
            if page.is_rewritten or page.is_covered:
                if found and found[-1].at >= 0 and "\n" not in page.text[found[-1].at : at]:
                    at = found.pop().at
                raw, text = page.text[at:cursor], clean(page.text[at:cursor])
        elif page.is_covered:
            continue
        else:
            at = -1
        found.append(Piece(raw, text, at))
    placed = iter(place([piece for piece in found if piece.at >= 0]).lines)
    return _with_text([next(placed) if piece.at >= 0 else Line(piece.text) for piece in found])


def _with_text(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.text]


def _mark_hyphens(text: str) -> str:
    # A printed soft hyphen also ends a line: pdfium has joined the two lines by then.
    return text.replace("\ufffe", LINE_END_HYPHEN).replace("\xad", LINE_END_HYPHEN)


def _printed(line: Line, piece: Piece) -> list[Piece]:
    """Split a piece that pdfium joined at hyphens into its printed lines."""
    if LINE_END_HYPHEN not in piece.raw or abs(line.y - line.y_end) < 1:
        return [piece]
    pieces = re.finditer(f"[^{LINE_END_HYPHEN}]*{LINE_END_HYPHEN}?", piece.raw)
    printed = [Piece(raw := found.group(), clean(raw), piece.at + found.start()) for found in pieces]
    return [one for one in printed if one.text.strip(LINE_END_HYPHEN)]


def _with_hyphen(line: Line) -> Line:
    if not line.cells and LINE_END_HYPHEN not in line.text:
        return line
    cells = tuple(cell._replace(text=cell.text.replace(LINE_END_HYPHEN, "-")) for cell in line.cells)
    return line._replace(text=line.text.replace(LINE_END_HYPHEN, "-"), cells=cells)


class _Placed(NamedTuple):
    """Placed lines of a page, with what the reader needs to correct them.

    ``edges`` are the left sides of words after a wide gap in lines that end on another baseline (these have no cells);
    ``are_seen`` where all lines begin and end on the page; ``returns`` are the offsets of words that begin a line
    within a piece, ``far`` of words far below the hyphen before them; ``descend`` where each line begins below the end
    of the line before, as on most pages: then no line is out of place.
    """

    lines: list[Line]
    edges: list[float]
    are_seen: bool
    returns: list[int]
    far: list[int]
    descend: bool


def _place(page: PageText, uprights: Callable[[], Sequence[Upright]], pieces: Sequence[Piece]) -> _Placed:
    """Turn pieces into lines with the places that pdfium knows; a piece that it does not know has no place."""
    if not pieces:
        return _Placed([], [], True, [], [], True)
    raws, texts, ats = zip(*pieces, strict=True)
    lengths = list(map(len, texts))
    begin = np.array(ats)
    end = begin + np.array(lengths if raws == texts else list(map(len, raws)))
    heads, tails = page.indices(list(ats)), page.indices(page.ends(begin, end))
    size, is_upright = page.type_at(tails)
    found = page.words(begin, end)
    height = page.view.height
    # One entry per piece, as in all arrays and lists that follow.
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
    gaps, edges = _wide_gaps(found, size, is_parted, page.spaced_words)
    told = numbered_rows(Printed(pieces, found, gaps, size, uprights)) if gaps else ()
    openings = _openings(page.text, found.head, found.first.tolist())
    parts: list[tuple[Part, ...]] = [(whole,) for whole in map(make_part, zip(repeat(0), lengths, boxes))]
    cells: list[tuple[Cell, ...]] = [()] * len(pieces)
    is_odd = ~(is_known & has_box) | is_parted
    words = _words(found, size, height, bool(is_parted.any()))
    for index in {*gaps, *openings, *is_odd.nonzero()[0].tolist()}:
        if is_known[index]:
            words_of = found.first.item(index), found.last.item(index), heads[index], tails[index]
            of_type = bool(is_upright[index]), bool(is_parted[index]), bool(has_box[index])
            own = gaps.get(index, {}), openings.get(index, []), index in told
            span = Span(*words_of, *of_type, boxes[index], *own)
            cells[index], parts[index] = cut_line(page, pieces[index], words, span)
    lines = list(map(make_line, zip(texts, *columns, page.are_bold(heads, tails), cells, parts, strict=True)))
    if not is_known.all():
        for index in (~is_known).nonzero()[0].tolist():
            lines[index] = Line(texts[index])
    drop = y - y_end
    descend = bool(are_seen and drop.min() >= -SAME_BASELINE and (y_end[:-1] - y[1:] > SAME_BASELINE).all())
    below_it = page.text, found, size, drop
    return _Placed(lines, edges, bool(are_seen), returns(*below_it), far_hyphens(*below_it), descend)


def _words(found: Words, size: Floats, height: float, are_parted: bool) -> PlacedWords:
    left, right = found.x.round(2), found.right.round(2)
    if not are_parted:
        return PlacedWords(found.head, found.tail, left, right, _NONE, _NONE)
    own_size = np.repeat(size, found.last - found.first + 1)
    top, bottom = height - found.y - ASCENT * own_size, height - found.y + DESCENT * own_size
    return PlacedWords(found.head, found.tail, left, right, top.round(2), bottom.round(2))


def _wide_gaps(
    words: Words, size: Floats, is_parted: NDArray[np.bool_], spaced: Collection[int]
) -> tuple[dict[int, dict[int, float]], list[float]]:
    """The words after a wide gap, per piece index, with the gap over the type size; and the left sides of such words in
    pieces that end on another baseline. There is no gap where no blank is written, nor before ``spaced`` words.
    """
    gaps: dict[int, dict[int, float]] = {}
    edges: list[float] = []
    gap = words.x[1:] - words.right[:-1]
    wide = (gap >= _LEAST_GAP * size.min()).nonzero()[0]
    if not len(wide):
        return gaps, edges
    pieces = np.searchsorted(words.first, wide + 1, "right") - 1
    over_size = gap[wide] / size[pieces]
    is_within = (over_size >= _MIN_GAP) & (words.first[pieces] <= wide)
    each = (wide + 1)[is_within], pieces[is_within], over_size[is_within]
    for word, piece, ratio in zip(*(column.tolist() for column in each), strict=True):
        if words.head[word] == words.tail[word - 1] + 1 or words.head[word] in spaced:
            continue
        if is_parted[piece]:
            edges.append(words.x.item(word))
        else:
            gaps.setdefault(piece, {})[word] = ratio
    return gaps, edges


def _openings(text: str, heads: list[int], first: list[int]) -> dict[int, list[int]]:
    """The indices of the words that open a sentence within a piece, per piece index."""
    openings: dict[int, list[int]] = {}
    for stop in _SENTENCE_END.finditer(text):
        word = bisect_left(heads, stop.end(1))
        piece = bisect_right(first, word) - 1
        if first[piece] < word < len(heads):
            openings.setdefault(piece, []).append(word)
    return openings
