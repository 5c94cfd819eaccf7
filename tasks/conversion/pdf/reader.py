"""Reader of PDF files (adapter to pypdfium2): a PDF's pages as lines with their places."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from tasks.conversion.document.spooled_bytes import Spool
from tasks.conversion.layout.line_numbers import without_margin_numbers
from tasks.conversion.layout.page import Line, PageReader, PdfContent, PrintedPage
from tasks.conversion.layout.page_edges import ends_in_order
from tasks.conversion.layout.page_serialization import PLAIN_PAGES, pack
from tasks.conversion.pdf.annotations import annotations_of
from tasks.conversion.pdf.form_fields import with_typed
from tasks.conversion.pdf.letter_spacing import join_letters
from tasks.conversion.pdf.lines import read_lines
from tasks.conversion.pdf.page_text import NOTHING, PageText, View
from tasks.conversion.pdf.rotated_pages import upright
from tasks.conversion.pdf.scanned_pages import FEW_CHARACTERS, is_picture, recognised, shows_pictures
from tasks.errors import ConversionError

_TAIL_BYTES = 4096
_MAX_MISSING_PAGES = 10_000
"""After so many pages in a row that cannot be opened the reader stops: a file of a hundred bytes may state millions."""
_PAGES_A_DOCUMENT = 200
"""Pages read before the document is reopened: pdfium keeps all that a page needs, its pictures too, until the document
is closed, and opening it anew takes milliseconds."""
_LABEL = ctypes.create_string_buffer(256)
_GARBAGE = re.compile("[\ufffd\ue000-\uf8ff]")
_MAY_BE_GARBAGE = re.compile("[\ue000-\ufffd]")
"""Fast first test for _GARBAGE: one range is searched five times as fast as two, and few pages have any of it."""


class Sheet(NamedTuple):
    """A page's plain text from pdfium, and its size in points as displayed."""

    text: str
    width: float
    height: float


def read_sheets(data: bytes) -> list[Sheet]:
    """Read the plain text of each page of ``data``; empty where it is no PDF that can be read."""
    with suppress(pdfium.PdfiumError), closing(pdfium.PdfDocument(data)) as document:
        return [Sheet(_plain_text(page), *page.get_size()) for page in document]
    return []


def _plain_text(page: Any) -> str:
    with closing(page.get_textpage()) as text_page:
        drawn = PageText(text_page.raw, _view(page), text_page.get_text_range(errors="replace"))
        join_letters(drawn)
        return drawn.text.replace(NOTHING, "") if drawn.is_rewritten else str(text_page.get_text_bounded())


def read_dates(data: bytes) -> list[str]:
    """The modification and creation date of ``data``, as the file spells them; "" where it states none."""
    with closing(pdfium.PdfDocument(data)) as document:
        return [str(document.get_metadata_value(name) or "") for name in ("ModDate", "CreationDate")]


def count_pages(data: bytes) -> int:
    """Count the pages of ``data``; 0 where it is no PDF that can be opened."""
    with suppress(pdfium.PdfiumError), closing(pdfium.PdfDocument(data)) as document:
        return len(document)
    return 0


def has_scans(data: bytes) -> bool:
    """Tell if the first, middle or last page of ``data`` is a scan: a picture, or a picture with a few words."""
    with suppress(pdfium.PdfiumError), closing(pdfium.PdfDocument(data)) as document:
        count = len(document)
        return any(_is_scan(document, index) for index in sorted({0, count // 2, max(count - 1, 0)}))
    return False


def _is_scan(document: Any, index: int) -> bool:
    with suppress(pdfium.PdfiumError), closing(document[index]) as page:
        with closing(page.get_textpage()) as text:
            count = text.count_chars()
        return count <= FEW_CHARACTERS and shows_pictures(page, _view(page), is_alone=not count)
    return False


def _view(page: Any) -> View:
    left, bottom, right, top = page.get_bbox()
    return View(left, bottom, right, top, page.get_rotation() // 90)


def read_pdf(
    file_name: str, data: bytes, ocr: PageReader | None = None, begin: int = 0, end: int | None = None
) -> PdfContent:
    """Read every page of ``data``, or those from ``begin`` (from 0) to before ``end``; a page that cannot be read has
    no lines and a ``failed`` message.

    Stated pages at the end that cannot be opened do not exist, and are left out. A page without usable text that has a
    picture is read by ``ocr``, where it is given, and has no lines otherwise. A page of few words with pictures over a
    good part of it is read by ``ocr`` too, as a scan pasted above a footer; its own words stay. Without ``ocr``, and
    where that finds nothing, the ``text_source`` of both is "none".

    Raises ConversionError for a PDF that needs a password, is cut off, or cannot be opened at all, and where none of
    the pages can be read.
    """
    tail = data.rstrip(b"\x00\r\n\t ")[-_TAIL_BYTES:]
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        code = getattr(error, "err_code", None)
        # pdfium may give the error of the file that it opened before.
        if code == pdfium_c.FPDF_ERR_PASSWORD and b"/Encrypt" in data:
            raise ConversionError(f"{file_name}: encrypted; save it without its password") from error
        if code == pdfium_c.FPDF_ERR_SECURITY:
            raise ConversionError(f"{file_name}: encrypted in a way that cannot be read") from error
        cut = "truncated or damaged" if b"%%EOF" not in tail else "damaged"
        raise ConversionError(f"{file_name}: {cut} (the PDF cannot be opened: {error})") from error
    with closing(document):
        # pdfium repairs a truncated file and gives the pages it finds: the others would be lost in silence.
        if b"%%EOF" not in tail and b"startxref" not in tail:
            raise ConversionError(f"{file_name}: truncated (the end of the PDF is missing)")
        if len(document) == 0:
            raise ConversionError(f"{file_name}: damaged (the PDF has no pages)")
        pages = _read_pages(data, range(len(document))[begin:end])
        if all(page.failed for page in pages):
            raise ConversionError(f"{file_name}: damaged (no page can be read: {pages[0].failed})")
        if ocr is not None:
            pages = [recognised(page, data, ocr) if page.has_images else page for page in pages]
        return PdfContent(pages, document.get_metadata_value("Title") or "")


def _read_pages(data: bytes, indices: range) -> list[PrintedPage]:
    """Read the pages at ``indices``; at least one page comes back."""
    pages: list[PrintedPage] = []
    spool = Spool()
    missing = 0
    for start in range(0, len(indices), _PAGES_A_DOCUMENT):
        with closing(pdfium.PdfDocument(data)) as document:
            if document.get_formtype() != pdfium_c.FORMTYPE_NONE:
                document.init_forms()
            for index in indices[start : start + _PAGES_A_DOCUMENT]:
                page = _read_page(document, index)
                pages.append(pack(page, spool) if len(pages) >= PLAIN_PAGES else page)
                missing = missing + 1 if page.failed else 0
                if missing == _MAX_MISSING_PAGES:
                    return pages[: max(len(pages) - missing, 1)]
    return pages[: max(len(pages) - missing, 1)]


def _read_page(document: Any, index: int) -> PrintedPage:
    try:
        with closing(document[index]) as page:
            view, put_on = _view(page), annotations_of(page)
            with closing(page.get_textpage()) as text_page:
                lines = without_margin_numbers(read_lines(text_page, view, put_on))
                turned = upright(lines, text_page, view)
            if lines and not is_usable(lines):
                lines, turned = [], None
            # Turned lines have other coordinates than the form fields.
            typed = with_typed(page, view, lines if turned is None else [], put_on)
            lines = [*(turned or ()), *typed]
            has_images = is_picture(page, view, lines)
            return PrintedPage(
                index + 1,
                view.height,
                tuple(ends_in_order(lines)),
                has_images,
                width=view.width,
                label=_label(document, index),
                text_source="none" if has_images else "native",
            )
    except pdfium.PdfiumError as error:
        return PrintedPage(index + 1, 0.0, (), failed=str(error), text_source="none")


def _label(document: Any, index: int) -> str | None:
    """The page label (printed page number) that the file states; None where it states none."""
    size = pdfium_c.FPDF_GetPageLabel(document, index, _LABEL, len(_LABEL))
    label = (
        _LABEL.raw[: max(size - 2, 0)].decode("utf-16-le") if size <= len(_LABEL) else document.get_page_label(index)
    )
    return label.strip() or None


def is_usable(lines: Sequence[Line]) -> bool:
    """Tell if most characters are readable: fonts without a Unicode map give U+FFFD or private-use characters."""
    text = "".join([line.text for line in lines])
    if text.isascii() or (text.isprintable() and "\ufffd" not in text):
        # Private-use characters are not printable, and isprintable is five times as fast as the search.
        return True
    return not _MAY_BE_GARBAGE.search(text) or 2 * len(_GARBAGE.findall(text)) < len(text.replace(" ", ""))
