"""Filled-in form fields, check boxes, radio buttons and free-text annotations of a PDF page.

pdfium leaves all of them out of the page's text. Password fields are not read, since no reader of the page sees their
text.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cache
from statistics import median_low
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.layout.page import Line
from tasks.conversion.pdf.annotations import shown
from tasks.conversion.pdf.check_marks import Mark, Word, with_marks
from tasks.conversion.pdf.letter_spacing import join_letters
from tasks.conversion.pdf.page_text import PageText, View
from tasks.conversion.pdf.typed_fields import Typed, among, with_fields
from tasks.text.characters import CHECKED, EMPTY, clean_line

_TYPED = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)
_BUTTONS = (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON)
_MAY_BE_TYPED = (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_WIDGET)
_SIZE = 10.0
"""The type size of a field, in points, on a page where no line has a place."""


def with_typed(page: Any, view: View, lines: Sequence[Line], put_on: Sequence[tuple[int, int]]) -> list[Line]:
    """Add the marks and texts of the page's annotations ``put_on`` to its ``lines``, in reading order."""
    found = list(_filled(page, view, put_on))
    if not found:
        return list(lines)
    marks = [one for one in found if isinstance(one, Mark)]
    typed = [one for one in found if not isinstance(one, Mark)]
    size = median_low([line.size for line in lines if line.placed] or [_SIZE])
    made, alone = with_marks(lines, marks, view.height, cache(lambda: _words(page, view)))
    made, others = with_fields(made, typed, view.height, size)
    return among(made, [*alone, *others])


def _filled(page: Any, view: View, put_on: Sequence[tuple[int, int]]) -> Iterator[Typed]:
    for annotation, _, sides in shown(page, put_on, _MAY_BE_TYPED):
        x0, low, x1, high = view.show_box(sides)
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


def _words(page: Any, view: View) -> list[Word]:
    with closing(page.get_textpage()) as text_page:
        text = PageText(text_page.raw, view, text_page.get_text_range(errors="replace"))
        join_letters(text)
        if not text.text.strip():
            return []
        runs = [run.span() for run in re.finditer(r"\S+", text.text)]
        heads, tails = (
            text.sides(text.indices(list(ends))) for ends in zip(*((a, b - 1) for a, b in runs), strict=True)
        )
        middles = (tails[1] + tails[3]) / 2
        return [Word(*word) for word in zip(heads[0].tolist(), tails[2].tolist(), middles.tolist(), strict=True)]
