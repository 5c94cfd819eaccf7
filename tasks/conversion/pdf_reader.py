"""The adapter to pypdfium2: a PDF's pages as lines with their places, and nothing else of pdfium outside."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from tasks.conversion.layout import Cell, Line, PrintedPage
from tasks.conversion.text import LINE_END_HYPHEN, clean_line, is_bullet, is_contents_entry
from tasks.errors import ConversionError

_BOLD = re.compile(rb"bold|black|heavy|semib|demi", re.I)
_BOLD_WEIGHT = 600
_LIST_MARK = re.compile(r"(?:\(?[\w]{1,3}[.)]|[\d.]{1,12}|\W)\s*$")
_MIN_GAP = 0.8
_TAIL_BYTES = 4096


class PdfContent(NamedTuple):
    """A PDF's pages and its own title."""

    pages: list[PrintedPage]
    title: str


def read_pdf(file_name: str, data: bytes) -> PdfContent:
    """Every page of ``data``; one that cannot be read has no lines and says why.

    Raises ConversionError for a PDF that needs a password, is cut off, or cannot be opened at all.
    """
    tail = data.rstrip(b"\x00\r\n\t ")[-_TAIL_BYTES:]
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == pdfium_c.FPDF_ERR_PASSWORD:
            raise ConversionError(f"{file_name}: encrypted; save it without its password") from error
        if code == pdfium_c.FPDF_ERR_SECURITY:
            raise ConversionError(f"{file_name}: encrypted in a way that cannot be read") from error
        cut = "truncated or damaged" if b"%%EOF" not in tail else "damaged"
        raise ConversionError(f"{file_name}: {cut} (the PDF cannot be opened: {error})") from error
    try:
        # pdfium mends a file that is cut off and gives the pages it finds: others would be lost in silence.
        if b"%%EOF" not in tail and b"startxref" not in tail:
            raise ConversionError(f"{file_name}: truncated (the end of the PDF is missing)")
        if len(document) == 0:
            raise ConversionError(f"{file_name}: damaged (the PDF has no pages)")
        pages = [_read_page(document, index) for index in range(len(document))]
        if all(page.failed for page in pages):
            raise ConversionError(f"{file_name}: damaged (no page can be read: {pages[0].failed})")
        return PdfContent(pages, document.get_metadata_value("Title") or "")
    finally:
        document.close()


def _read_page(document: Any, index: int) -> PrintedPage:
    try:
        page = document[index]
    except pdfium.PdfiumError as error:
        return PrintedPage(index + 1, 0.0, (), failed=str(error))
    try:
        text_page = page.get_textpage()
        try:
            lines = _read_lines(text_page)
        finally:
            text_page.close()
        has_images = not lines and any(page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3))
        return PrintedPage(index + 1, page.get_height(), tuple(lines), has_images)
    except pdfium.PdfiumError as error:
        return PrintedPage(index + 1, 0.0, (), failed=str(error))
    finally:
        page.close()


def _read_lines(text_page: Any) -> list[Line]:
    """The lines of the page's own area, as get_text_bounded gives them.

    Places come by index from get_text_range, which also holds what stands off the page: the two are matched
    line by line, and a line that is not found there has no place.
    """
    bounded = _mark_hyphens(text_page.get_text_bounded())
    if not bounded.strip():
        return []
    ranged = _mark_hyphens(text_page.get_text_range(errors="replace"))
    probe = _Probe(text_page.raw)
    lines: list[Line] = []
    cursor = 0
    same = ranged == bounded
    for raw in re.split(r"\r\n|\r|\n", bounded):
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


class _Probe:
    """Places of characters by their index in the text. It keeps its C buffers between calls, for speed."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.x, self.y, self.a, self.b = (ctypes.c_double() for _ in range(4))
        self.name = ctypes.create_string_buffer(96)
        self.flags = ctypes.c_int()

    def place(self, raw: str, text: str, at: int) -> Line:
        """The line of ``text``, whose uncleaned form ``raw`` begins at ``at`` in the page's text."""
        handle = self.raw
        first = pdfium_c.FPDFText_GetCharIndexFromTextIndex(handle, at)
        last = pdfium_c.FPDFText_GetCharIndexFromTextIndex(handle, at + len(raw) - 1)
        if first < 0 or last < 0:
            return Line(text)
        pdfium_c.FPDFText_GetCharOrigin(handle, first, self.x, self.y)
        x0, y = self.x.value, self.y.value
        pdfium_c.FPDFText_GetCharOrigin(handle, last, self.x, self.y)
        y_end = self.y.value
        pdfium_c.FPDFText_GetCharBox(handle, last, self.a, self.b, self.x, self.y)
        x1 = self.b.value
        size = pdfium_c.FPDFText_GetFontSize(handle, last) * self._scale(last)
        bold = self._is_bold(last) and (last == first or self._is_bold(first))
        # Character and text indices run together inside a line but for inserted characters: then no cells.
        if last - first + 1 == len(raw) and abs(y - y_end) < 1 and size > 0 and not is_contents_entry(text):
            cells = self._cells(raw, first, x0, x1, size)
            if len(cells) > 1:
                return Line(text, x0, x1, y, y_end, round(size, 1), bold, cells)
        return Line(text, x0, x1, y, y_end, round(size, 1), bold)

    def _cells(self, raw: str, first: int, x0: float, x1: float, size: float) -> tuple[Cell, ...]:
        """The parts of a line between gaps of some 0.8 of the type size or more, or none.

        One call a word finds where gaps may be; only there are the edges of both sides looked up.
        """
        width = (x1 - x0) / len(raw)
        if width > 0.6 * size:
            width = 0.5 * size
        cells: list[Cell] = []
        start, left, previous, gap = 0, x0, x0, 0.0
        word = raw.find(" ")
        before = 0
        while 0 < word < len(raw) - 1:
            if raw[word + 1] != " ":
                pdfium_c.FPDFText_GetCharOrigin(self.raw, first + word + 1, self.x, self.y)
                x = self.x.value
                if x - previous > width * (word - before) + 0.45 * size:
                    wide = (x - self._right(first, raw, word)) / size
                    cell = _clean(raw[start:word]) if wide >= _MIN_GAP else ""
                    if cell and not (start == 0 and (is_bullet(cell + " x") or _LIST_MARK.fullmatch(cell))):
                        cells.append(Cell(left, cell, gap))
                        start, left, gap = word + 1, x, wide
                previous, before = x, word + 1
            word = raw.find(" ", word + 1)
        return (*cells, Cell(left, _clean(raw[start:]), gap)) if cells else ()

    def _right(self, first: int, raw: str, word: int) -> float:
        end = len(raw[:word].rstrip()) - 1
        pdfium_c.FPDFText_GetCharBox(self.raw, first + end, self.a, self.b, self.x, self.y)
        return self.b.value

    def _scale(self, index: int) -> float:
        """What the page's matrix makes of a nominal size: some writers set size 1 and scale by the matrix."""
        matrix = pdfium_c.FS_MATRIX()
        if not pdfium_c.FPDFText_GetMatrix(self.raw, index, matrix):
            return 1.0
        return float((matrix.c**2 + matrix.d**2) ** 0.5) or 1.0

    def _is_bold(self, index: int) -> bool:
        if pdfium_c.FPDFText_GetFontWeight(self.raw, index) >= _BOLD_WEIGHT:
            return True
        size = pdfium_c.FPDFText_GetFontInfo(self.raw, index, self.name, 96, self.flags)
        return 0 < size <= 96 and _BOLD.search(self.name.value) is not None
