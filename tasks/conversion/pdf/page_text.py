"""Words, places and type of a PDF page's characters, from pdfium's text page. This part of the reader must be fast.

A call by the ordinary bindings takes some 0.9 µs, most of it for checking arguments that are known to be right and for
letting go of the interpreter's lock (pdfium is for one thread anyway). :func:`quick` leaves both out, and with pointers
that are made once it takes a third. Two calls a word and three a line are made; all else is done for a whole page at
once.
"""

from __future__ import annotations

import ctypes
import re
from collections import deque
from collections.abc import Iterable
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from tasks.text.characters import LINE_END_HYPHEN, RAISED

_BOLD = re.compile(rb"bold|black|heavy|semib|demi", re.I)
_BOLD_WEIGHT = 600
_MOST_NAME_BYTES = 96
_NAME_BYTES = ctypes.c_ulong(_MOST_NAME_BYTES)
_DOUBLE_BYTES = 8
_MATRIX_FLOATS = 6
NOTHING = "\u2060"
"""Filler for a character that is taken out; cleaning removes it."""
_BEYOND = frozenset((*RAISED, NOTHING))
_LARGE_PAGE_WORDS = 20_000
_IS_SOLID = bytes(not (code <= ord(" ") and chr(code).isspace()) for code in range(256))
"""Table by Latin-1 code: 1 where a character is no white space; characters beyond Latin-1 count as solid."""
_GOES_ON = bytes(is_solid and chr(code) != LINE_END_HYPHEN for code, is_solid in enumerate(_IS_SOLID))
"""Table by Latin-1 code: 1 where a solid character that follows belongs to the same word."""

Real = TypeVar("Real", float, NDArray[np.float64])
Floats = NDArray[np.float64]
Offsets = NDArray[np.int64]
Sides = tuple[float, float, float, float]
"""The left, bottom, right and top of a box, in points from the lower left corner."""


def quick(function: Any, result: Any = ctypes.c_int) -> Any:
    """Bind pdfium's ``function`` without argument checks: pass pointers as such, and the type of its ``result``."""
    return ctypes.PYFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_char_index = quick(pdfium_c.FPDFText_GetCharIndexFromTextIndex)
_origin = quick(pdfium_c.FPDFText_GetCharOrigin, None)
_char_box = quick(pdfium_c.FPDFText_GetCharBox, None)
_advance_box = quick(pdfium_c.FPDFText_GetLooseCharBox)
_is_generated = quick(pdfium_c.FPDFText_IsGenerated)
_font_size = quick(pdfium_c.FPDFText_GetFontSize, ctypes.c_double)
_font_weight = quick(pdfium_c.FPDFText_GetFontWeight)
_font_info = quick(pdfium_c.FPDFText_GetFontInfo, ctypes.c_ulong)
_matrix = quick(pdfium_c.FPDFText_GetMatrix, None)


class View(NamedTuple):
    """The visible area of a page, its sides in the page's own coordinates, and its quarter turns clockwise."""

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
        """Tell if the page's own coordinates are the displayed ones."""
        return self.turns == 0 and self.left == 0 and self.bottom == 0

    def is_upright(self, dx: Floats, dy: Floats) -> NDArray[np.bool_]:
        """Tell if text that runs along (dx, dy) on the page is displayed from left to right, one entry per pair."""
        if self.turns == 0:
            return dx > np.abs(dy)
        along, across = ((dy, -dx), (-dx, -dy), (-dy, dx))[self.turns - 1]
        return along > np.abs(across)

    def show(self, x: Real, y: Real) -> tuple[Real, Real]:
        """Convert the page's own coordinates to displayed ones, from the lower left corner of the visible area."""
        match self.turns:
            case 1:
                return y - self.bottom, self.right - x
            case 2:
                return self.right - x, self.top - y
            case 3:
                return self.top - y, x - self.left
            case _:
                return x - self.left, y - self.bottom

    def show_box(self, sides: Sides) -> Sides:
        """Convert the left, bottom, right and top of a box on the page to those displayed."""
        (x0, y0), (x1, y1) = self.show(sides[0], sides[1]), self.show(sides[2], sides[3])
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def own(self, x: Real, y: Real) -> tuple[Real, Real]:
        """Convert displayed coordinates to the page's own: the inverse of :meth:`show`."""
        match self.turns:
            case 1:
                return self.right - y, self.bottom + x
            case 2:
                return self.right - x, self.top - y
            case 3:
                return self.left + y, self.top - x
            case _:
                return self.left + x, self.bottom + y


class Words(NamedTuple):
    """Words in the text's order with their places, one entry per word: offsets of the first and last character, the
    first character's origin and the last one's right edge as displayed, NaN where pdfium knows no such character.

    ``first`` and ``last`` have one entry per stretch of text that was searched: the indices of its first and last word.
    """

    head: list[int]
    tail: list[int]
    x: Floats
    y: Floats
    right: Floats
    first: Offsets
    last: Offsets


class PageText:
    """Text of a page with its characters' places and type; LINE_END_HYPHEN stands for pdfium's own hyphen mark.

    ``is_rewritten`` where characters of pdfium's text are replaced, except by black boxes (``is_covered``).
    ``spaced_words`` are the offsets of letter-spaced words, before which a wide gap is a blank.
    """

    def __init__(self, raw: Any, view: View, text: str) -> None:
        self._handle = ctypes.byref(raw.contents)
        self._bold_fonts: dict[bytes, bool] = {}
        self.view = view
        self.text = text
        self.is_rewritten = False
        self.spaced_words: set[int] = set()
        self.is_covered = False
        # pdfium leaves characters without a code out of the text: with none of them the indices are the same.
        self.is_direct = pdfium_c.FPDFText_CountChars(raw) == len(text)

    def words(self, begin: Offsets, end: Offsets) -> Words:
        """The words within the stretches ``[begin, end)`` of the text, which follow one another; none is blank.

        A word ends at a blank, at a hyphen at a line's end, and where its stretch does.
        """
        heads, tails = self._solid_runs(begin, end)
        first, past = np.searchsorted(heads, begin), np.searchsorted(heads, end)
        counts = past - first
        if np.add.reduce(counts) < len(heads):
            within = np.concatenate([np.arange(*ends) for ends in zip(first, past, strict=True)])
            heads, tails = heads[within], tails[within]
            first = np.cumsum(counts) - counts
        head, tail = heads.tolist(), tails.tolist()
        scratch = _Scratch.of(len(head))
        xs, ys, rights, _ = scratch.pointers
        _call(_origin, repeat(self._handle), self.indices(head), xs, ys)
        if self.view.is_plain:
            unused = repeat(_UNUSED)
            _call(_char_box, repeat(self._handle), self.indices(tail), unused, rights, unused, unused)
            x, y, right = scratch.numbers[:3, : len(head)].copy()
        else:
            x, y = self.view.show(*scratch.numbers[:2, : len(head)].copy())
            right = self.sides(self.indices(tail))[2]
        return Words(head, tail, x, y, right, first, first + counts - 1)

    def _solid_runs(self, begin: Offsets, end: Offsets) -> tuple[Offsets, Offsets]:
        """The offsets of the first and last characters of all words of the text, cut where stretches begin and end."""
        codes = (self.text + " ").encode("latin-1", "replace")
        is_solid = np.frombuffer(codes.translate(_IS_SOLID), np.bool_)
        # Shifted by one entry: 1 where the word of the character before goes on.
        went_on = np.frombuffer(bytearray(b"\0" + codes.translate(_GOES_ON)), np.bool_)[:-1]
        went_on[begin] = False
        went_on[end] = False
        here = is_solid[:-1]
        return (here > went_on[:-1]).nonzero()[0], (here > (went_on[1:] & is_solid[1:])).nonzero()[0]

    def indices(self, offsets: list[int]) -> list[int]:
        """pdfium's indices of the characters at ``offsets`` in the text; below 0 where pdfium has none."""
        return offsets if self.is_direct else list(map(_char_index, repeat(self._handle), offsets))

    def origins(self, offsets: list[int]) -> tuple[Floats, Floats]:
        """The origins of the characters at ``offsets`` as displayed; NaN where pdfium knows no such character."""
        scratch = _Scratch.of(len(offsets))
        xs, ys, _, _ = scratch.pointers
        _call(_origin, repeat(self._handle), self.indices(offsets), xs, ys)
        x, y = scratch.numbers[:2, : len(offsets)].copy()
        return self.view.show(x, y)

    def ends(self, begin: Offsets, end: Offsets) -> list[int]:
        """The offsets of the last characters of the stretches ``[begin, end)``, but for raised ones at their ends."""
        lasts: list[int] = (end - 1).tolist()
        if self.is_rewritten:
            for index, first in enumerate(begin.tolist()):
                while lasts[index] > first and self.text[lasts[index]] in _BEYOND:
                    lasts[index] -= 1
        return lasts

    def type_at(self, indices: list[int]) -> tuple[Floats, NDArray[np.bool_]]:
        """The type sizes of the characters at pdfium's ``indices`` as displayed, and True for each that is upright."""
        size = np.array(list(map(_font_size, repeat(self._handle), indices)))
        scratch = _Scratch.of(len(indices))
        _call(_matrix, repeat(self._handle), indices, scratch.matrix_pointers)
        a, b, c, d = scratch.matrices[: len(indices), :4].T
        # Some writers set size 1 and scale by the matrix.
        scale = np.hypot(c, d)
        scale[~(scale > 0)] = 1.0
        return size * scale, self.view.is_upright(a, b)

    def are_bold(self, heads: list[int], tails: list[int]) -> list[bool]:
        """Tell, for each pair of pdfium's indices, if both characters are set in bold."""
        ends = zip(heads, tails, strict=True)
        return [self._is_bold(tail) and (head == tail or self._is_bold(head)) for head, tail in ends]

    def _is_bold(self, index: int) -> bool:
        """Tell if the character at pdfium's ``index`` is set in bold: by its font's name, or by its weight."""
        size = _font_info(self._handle, index, _TO_NAME, _NAME_BYTES, _TO_FLAGS)
        name = _NAME.value if 0 < size <= _MOST_NAME_BYTES else b""
        bold = self._bold_fonts.get(name) if name else None
        if bold is None:
            bold = _BOLD.search(name) is not None or _font_weight(self._handle, index) >= _BOLD_WEIGHT
            self._bold_fonts[name] = bold
        return bold

    def sides(self, indices: list[int]) -> Floats:
        """The left, bottom, right and top of the characters at pdfium's ``indices`` as displayed, shape (4, n)."""
        scratch = _Scratch.of(len(indices))
        _call(_char_box, repeat(self._handle), indices, *scratch.pointers)
        sides = scratch.numbers[:, : len(indices)].copy()
        x0, x1, y0, y1 = sides
        (x0, y0), (x1, y1) = self.view.show(x0, y0), self.view.show(x1, y1)
        return np.stack([np.minimum(x0, x1), np.minimum(y0, y1), np.maximum(x0, x1), np.maximum(y0, y1)])

    def advance_sides(self, indices: list[int]) -> Floats:
        """The sides of the characters as :meth:`sides` gives them, but from each one's origin to the end of its
        advance; NaN where pdfium knows no such character.
        """
        box = pdfium_c.FS_RECTF()
        to_box, unknown = ctypes.byref(box), (np.nan,) * 4
        boxes = [
            self.view.show_box((box.left, box.bottom, box.right, box.top))
            if _advance_box(self._handle, index, to_box)
            else unknown
            for index in indices
        ]
        return np.array(boxes).reshape(-1, 4).T

    def are_made_up(self, offsets: list[int]) -> list[bool]:
        """Tell, for each of the ``offsets`` in the text, if pdfium made the character up and the file has none."""
        return [_is_generated(self._handle, index) == 1 for index in self.indices(offsets)]


class _Scratch:
    """Reusable buffers for pdfium's results: four numbers and a matrix for each of ``size`` characters.

    A pointer takes half as long to make as a call does: these are made once and used again.
    """

    _last: _Scratch | None = None

    def __init__(self, size: int) -> None:
        self.size = size
        numbers = (ctypes.c_double * (4 * size))()
        matrices = (ctypes.c_float * (_MATRIX_FLOATS * size))()
        self.numbers: Floats = np.ctypeslib.as_array(numbers).reshape(4, size)
        self.matrices = np.ctypeslib.as_array(matrices).reshape(size, _MATRIX_FLOATS)
        at = [ctypes.byref(numbers, offset) for offset in range(0, 4 * size * _DOUBLE_BYTES, _DOUBLE_BYTES)]
        self.pointers = [at[row : row + size] for row in range(0, 4 * size, size)]
        self.numbers[:] = np.nan
        self.matrices[:] = np.nan
        self.matrix_pointers = [ctypes.byref(matrices, row * self.matrices.strides[0]) for row in range(size)]

    @classmethod
    def of(cls, size: int) -> _Scratch:
        """Buffers for ``size`` characters or more, filled with NaN, since pdfium leaves a value that it does not know
        as it is.

        Buffers larger than _LARGE_PAGE_WORDS are not kept for the next pages.
        """
        if size > _LARGE_PAGE_WORDS:
            return cls(size)
        if cls._last is None or cls._last.size < size:
            cls._last = cls(max(2 * size, 1024))
        cls._last.numbers[:, :size] = np.nan
        cls._last.matrices[:size] = np.nan
        return cls._last


_NAME = ctypes.create_string_buffer(_NAME_BYTES.value)
_TO_NAME = ctypes.byref(_NAME)
_TO_FLAGS = ctypes.byref(ctypes.c_int())
_UNUSED = ctypes.byref(ctypes.c_double())


def _call(function: Any, *arguments: Iterable[Any]) -> None:
    deque(map(function, *arguments), maxlen=0)
