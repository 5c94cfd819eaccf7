"""Filled-in form fields, check boxes, radio buttons and free-text annotations of a PDF page.

pdfium leaves all of them out of the page's text. Password fields are not read, since no reader of the page sees their
text.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import median_low
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.layout.page import Line
from tasks.conversion.pdf.check_marks import Mark, Word, with_marks
from tasks.conversion.pdf.page_text import PageText, View, quick
from tasks.conversion.pdf.typed_fields import Typed, among, with_fields
from tasks.text.characters import CHECKED, EMPTY, clean_line

_TYPED = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)
_BUTTONS = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_MAY_BE_TYPED = (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_WIDGET)
_UNSEEN = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
_annotation = quick(pdfium_c.FPDFPage_GetAnnot, ctypes.c_void_p)
_subtype = quick(pdfium_c.FPDFAnnot_GetSubtype)
_close = quick(pdfium_c.FPDFPage_CloseAnnot, None)
_SIZE = 10.0
"""The type size of a field, in points, on a page where no line has a place."""


def annotations_of(page: Any) -> list[tuple[int, int]]:
    """The index and pdfium's subtype of each annotation of the page that is no link."""
    handle = ctypes.byref(page.raw.contents)
    found: list[tuple[int, int]] = []
    for at in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        # Most are links, of which some pages have a hundred.
        annotation = ctypes.c_void_p(_annotation(handle, at))
        subtype = _subtype(annotation)
        _close(annotation)
        if subtype != pdfium_c.FPDF_ANNOT_LINK:
            found.append((at, subtype))
    return found


def with_typed(page: Any, view: View, lines: Sequence[Line], put_on: Sequence[tuple[int, int]]) -> list[Line]:
    """Add the marks and texts of the page's annotations ``put_on`` to its ``lines``, in reading order."""
    found = list(_filled(page, view, put_on))
    if not found:
        return list(lines)
    marks, typed = [one for one in found if isinstance(one, Mark)], [one for one in found if isinstance(one, Typed)]
    size = median_low([line.size for line in lines if line.placed] or [_SIZE])
    made, alone = with_marks(lines, marks, view.height, cache(lambda: _words(page, view)))
    made, others = with_fields(made, typed, view.height, size)
    return among(made, [*alone, *others])


def _filled(page: Any, view: View, put_on: Sequence[tuple[int, int]]) -> Iterator[Typed | Mark]:
    for at, subtype in put_on:
        if subtype in _MAY_BE_TYPED:
            annotation = pdfium_c.FPDFPage_GetAnnot(page, at)
            try:
                yield from _filled_in(page, annotation, view)
            finally:
                pdfium_c.FPDFPage_CloseAnnot(annotation)


def _filled_in(page: Any, annotation: Any, view: View) -> Iterator[Typed | Mark]:
    rectangle = pdfium_c.FS_RECTF()
    if pdfium_c.FPDFAnnot_GetFlags(annotation) & _UNSEEN or not pdfium_c.FPDFAnnot_GetRect(annotation, rectangle):
        return
    (x0, x1), (low, high) = _sides(rectangle, view)
    if mark := _mark(page, annotation):
        yield Mark(mark, x0, x1, low, high)
    elif text := clean_line(_text(page, annotation)):
        yield Typed(text, x0, x1, low, high)


def _mark(page: Any, annotation: Any) -> str:
    """The mark of a check box or radio button, checked or empty; "" for any other annotation.

    Also "" where the file does not state the button's appearance, or where appearance and value differ: a mark that
    nobody made would be worse than none.
    """
    if page.formenv is None or pdfium_c.FPDFAnnot_GetFormFieldType(page.formenv, annotation) not in _BUTTONS:
        return ""
    shows, counts = (_string(pdfium_c.FPDFAnnot_GetStringValue, annotation, key) for key in (b"AS", b"V"))
    if not shows or (counts and counts != shows):
        return ""
    return CHECKED if pdfium_c.FPDFAnnot_IsChecked(page.formenv, annotation) else EMPTY


def _text(page: Any, annotation: Any) -> str:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium_c.FPDF_ANNOT_FREETEXT:
        return _string(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if kind != pdfium_c.FPDF_ANNOT_WIDGET or page.formenv is None:
        return ""
    if pdfium_c.FPDFAnnot_GetFormFieldType(page.formenv, annotation) not in _TYPED:
        return ""
    if pdfium_c.FPDFAnnot_GetFormFieldFlags(page.formenv, annotation) & pdfium_c.FPDF_FORMFLAG_TEXT_PASSWORD:
        return ""
    return _string(pdfium_c.FPDFAnnot_GetFormFieldValue, page.formenv, annotation)


def _string(get: Any, *of: Any) -> str:
    """Read a UTF-16 string from pdfium: first its length in bytes, then its text."""
    length = get(*of, None, 0)
    buffer = ctypes.create_string_buffer(length)
    get(*of, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def _sides(rectangle: Any, view: View) -> tuple[tuple[float, float], tuple[float, float]]:
    """The left and right, and the low and high side of a rectangle as displayed."""
    corners = view.show(rectangle.left, rectangle.bottom), view.show(rectangle.right, rectangle.top)
    (x0, x1), (low, high) = map(sorted, zip(*corners, strict=True))
    return (x0, x1), (low, high)


def _words(page: Any, view: View) -> list[Word]:
    """The words of the page with their places as displayed; none where the page has no text."""
    text_page = page.get_textpage()
    try:
        text = PageText(text_page.raw, view, text_page.get_text_range(errors="replace"))
        if not text.text.strip():
            return []
        runs = [run.span() for run in re.finditer(r"\S+", text.text)]
        heads, tails = (
            text.sides(text.indices(list(ends))) for ends in zip(*((a, b - 1) for a, b in runs), strict=True)
        )
        middles = (tails[1] + tails[3]) / 2
        return [Word(*word) for word in zip(heads[0].tolist(), tails[2].tolist(), middles.tolist(), strict=True)]
    finally:
        text_page.close()
