"""A PDF page's text as lines with their places, by pdfium's own calls: the part of the reader that must be fast.

A call by the ordinary bindings takes some 0.9 µs, most of it in checking arguments that are known to be right and
in letting go of the interpreter's lock (pdfium is for one thread anyway). :func:`_quick` leaves both out: 0.35 µs,
some forty calls a line.
"""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c

from tasks.conversion.columns import may_be_columns, order_columns
from tasks.conversion.layout import Cell, Line
from tasks.conversion.placed_text import Part, shift, union
from tasks.conversion.text import LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry
from tasks.records import Box

ASCENT = 0.78
DESCENT = 0.22
"""How far letters reach above and below their baseline, over the type size: lines set tight do not overlap."""

_BOLD = re.compile(rb"bold|black|heavy|semib|demi", re.I)
_BOLD_WEIGHT = 600
_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MIN_GAP = 0.8
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_SENTENCE_END = re.compile(r"[.!?][\"”’)]*( )(?=[\"“(]?[^\W_a-z])")
_NAME_BYTES = ctypes.c_ulong(96)


def _quick(function: Any, result: Any = ctypes.c_int) -> Any:
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_char_index = _quick(pdfium_c.FPDFText_GetCharIndexFromTextIndex)
_origin = _quick(pdfium_c.FPDFText_GetCharOrigin)
_char_box = _quick(pdfium_c.FPDFText_GetCharBox)
_font_size = _quick(pdfium_c.FPDFText_GetFontSize, ctypes.c_double)
_font_weight = _quick(pdfium_c.FPDFText_GetFontWeight)
_font_info = _quick(pdfium_c.FPDFText_GetFontInfo, ctypes.c_ulong)
_matrix = _quick(pdfium_c.FPDFText_GetMatrix)


class View(NamedTuple):
    """How a page is shown: its own left, bottom, right and top, and its quarter turns clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    turns: int = 0

    @property
    def width(self) -> float:
        """The width as displayed, in points."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        """The height as displayed, in points."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    @property
    def is_plain(self) -> bool:
        """Whether the page's own coordinates are the displayed ones."""
        return self.turns == 0 and self.left == 0 and self.bottom == 0

    def is_upright(self, dx: float, dy: float) -> bool:
        """Whether text that runs along (dx, dy) on the page is displayed from left to right."""
        along, across = ((dx, dy), (dy, -dx), (-dx, -dy), (-dy, dx))[self.turns]
        return along > abs(across)

    def show(self, x: float, y: float) -> tuple[float, float]:
        """A point of the page's own as displayed, from the lower left corner of what is seen."""
        match self.turns:
            case 1:
                return y - self.bottom, self.right - x
            case 2:
                return self.right - x, self.top - y
            case 3:
                return self.top - y, x - self.left
            case _:
                return x - self.left, y - self.bottom


def read_lines(text_page: Any, view: View) -> list[Line]:
    """The lines of the page's own area, as get_text_bounded gives them; no text gives none.

    get_text_range also holds what stands off the page. Where each of its lines begins and ends on the page, the two
    are the same, and the slower call is left out. Columns that the file draws line by line are put one after another.
    """
    ranged = _mark_hyphens(text_page.get_text_range(errors="replace"))
    probe = _Probe(text_page.raw, view, len(ranged))
    lines: list[Line] = []
    places: list[tuple[str, int]] = []
    at = 0
    for raw in _LINE_ENDS.split(ranged):
        stripped = raw.strip()
        if stripped:
            at = ranged.index(stripped, at)
            text = _clean(stripped)
            line = probe.place(stripped, text, at)
            if not line.placed or not probe.is_seen(line):
                return _read_bounded(text_page, probe, ranged)
            if text:
                lines.append(line)
                places.append((stripped, at))
            at += len(stripped)
    if may_be_columns(lines):
        printed = [
            one for line, (raw, at) in zip(lines, places, strict=True) for one in probe.take_apart(line, raw, at)
        ]
        return order_columns(printed) or lines
    return lines


def _read_bounded(text_page: Any, probe: _Probe, ranged: str) -> list[Line]:
    """The lines of get_text_bounded, which has no places, with those of get_text_range.

    The two are matched line by line, and a line that is not found there has no place.
    """
    bounded = _mark_hyphens(text_page.get_text_bounded())
    lines: list[Line] = []
    cursor = 0
    same = ranged == bounded
    for raw in _LINE_ENDS.split(bounded):
        stripped = raw.strip()
        if not stripped:
            continue
        at = ranged.find(stripped, cursor)
        text = _clean(stripped)
        if at < 0 or (not same and at > cursor + 2000):
            if text:
                lines.append(Line(text))
            continue
        cursor = at + len(stripped)
        if text:
            lines.append(probe.place(stripped, text, at))
    return lines


def _mark_hyphens(text: str) -> str:
    # A soft hyphen that is printed ends a line too: pdfium has joined the two lines by then.
    return text.replace("\ufffe", LINE_END_HYPHEN).replace("\xad", LINE_END_HYPHEN)


def _clean(raw: str) -> str:
    if LINE_END_HYPHEN not in raw:
        return clean_line(raw)
    return LINE_END_HYPHEN.join(clean_line(part) for part in raw.split(LINE_END_HYPHEN))


@lru_cache(maxsize=256)
def _says_bold(font_name: bytes) -> bool:
    return _BOLD.search(font_name) is not None


class _Gap(NamedTuple):
    """A wide gap after ``raw[:word]``: its two edges, and its width over the type size."""

    word: int
    right: float
    x: float
    wide: float


class _Probe:
    """Places of characters by their index in the text. It keeps its C buffers between calls, for speed."""

    def __init__(self, raw: Any, view: View, text_length: int) -> None:
        self.raw = ctypes.cast(raw, ctypes.c_void_p)
        # pdfium leaves characters without a code out of the text: with none of them the indices are the same.
        self.is_direct = pdfium_c.FPDFText_CountChars(raw) == text_length
        self.view = view
        self.width, self.height = view.width, view.height
        self.is_plain = view.is_plain
        self.sides = tuple(ctypes.c_double() for _ in range(4))
        self.x, self.y, _, _ = self.sides
        self.to_point = (ctypes.byref(self.x), ctypes.byref(self.y))
        self.to_sides = tuple(map(ctypes.byref, self.sides))
        self.name = ctypes.create_string_buffer(96)
        self.to_flags = ctypes.byref(ctypes.c_int())
        self.matrix = pdfium_c.FS_MATRIX()
        self.to_matrix = ctypes.byref(self.matrix)

    def is_seen(self, line: Line) -> bool:
        """Whether the line begins and ends on the page."""
        low, high = (line.y, line.y_end) if line.y < line.y_end else (line.y_end, line.y)
        return line.x0 >= 0 and line.x1 <= self.width and low >= 0 and high <= self.height

    def place(self, raw: str, text: str, at: int) -> Line:
        """The line of ``text``, whose uncleaned form ``raw`` begins at ``at`` in the page's text."""
        first, last = self._index(at), self._index(at + len(raw) - 1)
        if first < 0 or last < 0:
            return Line(text)
        x0, y = self._point(first)
        _, y_end = self._point(last)
        x1 = self._right(last)
        size = _font_size(self.raw, last)
        upright = True
        # Some writers set size 1 and scale by the matrix.
        if _matrix(self.raw, last, self.to_matrix):
            matrix = self.matrix
            size *= (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
            upright = self.view.is_upright(matrix.a, matrix.b)
        bold = self._is_bold(last) and (last == first or self._is_bold(first))
        flat = abs(y - y_end) < 1
        gaps: list[_Gap] = []
        # Character and text indices run together inside a line but for inserted characters: then no cells.
        if last - first + 1 == len(raw) and flat and size > 0 and not is_contents_entry(text):
            gaps = self._gaps(raw, first, x0, x1, size)
        if not upright:
            sides = union([self._sides(first), self._sides(last)])
            parts: tuple[Part, ...] = (Part(0, len(text), self._from_top(*sides)),) if sides and size > 0 else ()
        else:
            whole = self._box(x0, x1, max(y, y_end), min(y, y_end), size)
            parts = self._parts(raw, text, at, gaps, size, whole) or ((Part(0, len(text), whole),) if whole else ())
        cells = _cells(raw, x0, gaps, text, parts) if gaps else ()
        return Line(text, x0, x1, y, y_end, round(size, 1), bold, cells, parts)

    def take_apart(self, line: Line, raw: str, at: int) -> list[Line]:
        """The printed lines that pdfium joined at their hyphens, or ``line`` itself where it joined none."""
        if LINE_END_HYPHEN not in raw or abs(line.y - line.y_end) < 1:
            return [line]
        printed: list[Line] = []
        for piece in re.findall(f"[^{LINE_END_HYPHEN}]*{LINE_END_HYPHEN}?", raw):
            text = _clean(piece)
            if text.strip(LINE_END_HYPHEN):
                one = self.place(piece, text, at)
                cells = tuple(cell._replace(text=cell.text.replace(LINE_END_HYPHEN, "-")) for cell in one.cells)
                printed.append(one._replace(text=text.replace(LINE_END_HYPHEN, "-"), cells=cells))
            at += len(piece)
        return printed

    def _parts(
        self, raw: str, text: str, at: int, gaps: list[_Gap], size: float, whole: Box | None
    ) -> tuple[Part, ...]:
        """The boxes of a line in pieces, at the ends of printed lines, of sentences and of cells; none for one piece.

        None as well where the cleaned pieces do not make up the cleaned line.
        """
        edges = {gap.word: (gap.right, gap.x) for gap in gaps}
        cuts = list(edges)
        # Most lines have no stop but at their end.
        if raw.find(".", 0, -2) >= 0 or "? " in raw or "! " in raw:
            cuts += [end.start(1) for end in _SENTENCE_END.finditer(raw)]
        parted = LINE_END_HYPHEN in raw
        if parted:
            cuts += [index for index, c in enumerate(raw) if c == LINE_END_HYPHEN]
        if not cuts or whole is None:
            return ()
        clean = raw == text
        parts: list[Part] = []
        start, written = 0, 0
        left, top, last, bottom = whole
        for cut in [*sorted(set(cuts)), len(raw)]:
            piece = raw[start:cut] if clean else _clean(raw[start:cut])
            if not text.startswith(piece, written):
                return ()
            hyphen = raw[cut : cut + 1] == LINE_END_HYPHEN
            following = left
            if piece:
                while raw[start].isspace():
                    start += 1
                if cut in edges:
                    right, following = edges[cut]
                elif cut == len(raw):
                    right = last
                else:
                    # A hyphen has a box of its own, a blank only where the file has written it.
                    right = self._right(self._index(at + (cut if hyphen else self._before(raw, cut))))
                    following = self._point(self._index(at + self._after(raw, cut)))[0]
                if parted:
                    y = self._point(self._index(at + start))[1]
                    box = self._box(left, right, y, y, size)
                else:
                    box = Box(round(left, 2), top, round(right, 2), bottom) if right > left else None
                if box:
                    parts.append(Part(written, written + len(piece) + hyphen, box))
                written += len(piece) + 1
            elif hyphen:
                written += 1
            start, left = cut + 1, following
        return tuple(parts) if written >= len(text) else ()

    @staticmethod
    def _before(raw: str, index: int) -> int:
        return index - 1 if raw[index - 1] != " " else len(raw[:index].rstrip()) - 1

    @staticmethod
    def _after(raw: str, index: int) -> int:
        index += 1
        while index < len(raw) - 1 and raw[index].isspace():
            index += 1
        return index

    def _box(self, left: float, right: float, high: float, low: float, size: float) -> Box | None:
        if right <= left or size <= 0:
            return None
        return self._from_top(left, low - DESCENT * size, right, high + ASCENT * size)

    def _from_top(self, left: float, bottom: float, right: float, top: float) -> Box:
        return Box(round(left, 2), round(self.height - top, 2), round(right, 2), round(self.height - bottom, 2))

    def _index(self, at: int) -> int:
        """The index of the character at ``at`` in the page's text; below 0 where it has none."""
        return at if self.is_direct else _char_index(self.raw, at)

    def _point(self, index: int) -> tuple[float, float]:
        _origin(self.raw, index, *self.to_point)
        x, y = self.x.value, self.y.value
        return (x, y) if self.is_plain else self.view.show(x, y)

    def _right(self, index: int) -> float:
        if not self.is_plain:
            return self._sides(index).right
        _char_box(self.raw, index, *self.to_sides)
        return self.sides[1].value

    def _sides(self, index: int) -> Box:
        """A character's left, bottom, right and top as displayed, from the lower left corner."""
        _char_box(self.raw, index, *self.to_sides)
        left, right, bottom, top = (side.value for side in self.sides)
        (x0, y0), (x1, y1) = self.view.show(left, bottom), self.view.show(right, top)
        return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    def _gaps(self, raw: str, first: int, x0: float, x1: float, size: float) -> list[_Gap]:
        """The gaps in a line of some 0.8 of the type size or more.

        One call a word finds where gaps may be; only there are the edges of both sides looked up.
        """
        width = (x1 - x0) / len(raw)
        if width > 0.6 * size:
            width = 0.5 * size
        near = 0.45 * size
        gaps: list[_Gap] = []
        start, previous = 0, x0
        before = 0
        handle, (to_x, to_y), buffer, is_plain = self.raw, self.to_point, self.x, self.is_plain
        word = raw.find(" ")
        end = len(raw) - 1
        while 0 < word < end:
            if raw[word + 1] != " ":
                _origin(handle, first + word + 1, to_x, to_y)
                x = buffer.value if is_plain else self.view.show(buffer.value, self.y.value)[0]
                if x - previous > width * (word - before) + near:
                    right = self._right(first + self._before(raw, word))
                    wide = (x - right) / size
                    cell = _clean(raw[start:word]) if wide >= _MIN_GAP else ""
                    if cell and not (start == 0 and (is_bullet(cell + " x") or _LIST_MARK.fullmatch(cell))):
                        gaps.append(_Gap(word, right, x, wide))
                        start = word + 1
                previous, before = x, word + 1
            word = raw.find(" ", word + 1)
        return gaps

    def _is_bold(self, index: int) -> bool:
        if _font_weight(self.raw, index) >= _BOLD_WEIGHT:
            return True
        size = _font_info(self.raw, index, self.name, _NAME_BYTES, self.to_flags)
        return 0 < size <= 96 and _says_bold(self.name.value)


def _cells(raw: str, x0: float, gaps: list[_Gap], text: str, parts: tuple[Part, ...]) -> tuple[Cell, ...]:
    """The parts of a line between its gaps, with their places where they make up the line's text."""
    cells: list[Cell] = []
    start, left, wide, written = 0, x0, 0.0, 0
    for gap in [*gaps, _Gap(len(raw), 0.0, 0.0, 0.0)]:
        cell = _clean(raw[start : gap.word])
        own: tuple[Part, ...] = ()
        if text.startswith(cell, written):
            end = written + len(cell)
            own = tuple(shift((part for part in parts if written <= part.start and part.end <= end), -written))
        cells.append(Cell(left, cell, wide, own))
        start, left, wide, written = gap.word + 1, gap.x, gap.wide, written + len(cell) + 1
    return tuple(cells)
