"""What a person has typed onto a PDF's page: the fields of its form, and free text. pdfium keeps both out of the text.

Marks of check boxes are not read, nor passwords, which nobody sees.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.layout import Line
from tasks.conversion.pdf_text import View, quick
from tasks.conversion.placed_text import Part
from tasks.conversion.text import clean_line
from tasks.records import Box

_TYPED = (
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
    pdfium_c.FPDF_FORMFIELD_COMBOBOX,
    pdfium_c.FPDF_FORMFIELD_LISTBOX,
)
_MAY_BE_TYPED = (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_WIDGET)
_UNSEEN = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
_annotation = quick(pdfium_c.FPDFPage_GetAnnot, ctypes.c_void_p)
_subtype = quick(pdfium_c.FPDFAnnot_GetSubtype)
_close = quick(pdfium_c.FPDFPage_CloseAnnot, None)
_SIZE = 10.0
"""The size of a line of it, in points, where no other line tells one."""


def with_typed(page: Any, view: View, lines: Sequence[Line]) -> list[Line]:
    """The ``lines`` with those that were typed onto the page, each after the nearest that stands beside or above it."""
    size = lines[0].size if lines and lines[0].placed else _SIZE
    made = list(lines)
    typed = [(_place(line, lines), -line.y, line.x0, line) for line in _typed(page, view, size)]
    for place, _, _, line in sorted(typed, reverse=True):
        made.insert(place, line)
    return made


def _place(line: Line, lines: Sequence[Line]) -> int:
    """Before which of the ``lines`` it stands."""
    off = [
        (own.y_end - line.y + max(0.0, line.x0 - own.x1, own.x0 - line.x1), -at)
        for at, own in enumerate(lines)
        if own.y_end > line.y - line.size
    ]
    return 1 - min(off)[1] if off else 0


def _typed(page: Any, view: View, size: float) -> Iterator[Line]:
    handle = ctypes.byref(page.raw.contents)
    for at in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = ctypes.c_void_p(_annotation(handle, at))
        try:
            # Most are links, of which some pages have a hundred.
            if _subtype(annotation) in _MAY_BE_TYPED:
                yield from _typed_in(page, ctypes.cast(annotation, pdfium_c.FPDF_ANNOTATION), view, size)
        finally:
            _close(annotation)


def _typed_in(page: Any, annotation: Any, view: View, size: float) -> Iterator[Line]:
    text = clean_line(_text(page, annotation))
    rectangle = pdfium_c.FS_RECTF()
    if text and pdfium_c.FPDFAnnot_GetRect(annotation, rectangle):
        yield _line(text, rectangle, view, size)


def _text(page: Any, annotation: Any) -> str:
    if pdfium_c.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
        return ""
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
    """What pdfium gives as UTF-16, with its length in bytes before."""
    length = get(*of, None, 0)
    buffer = ctypes.create_string_buffer(length)
    get(*of, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")


def _line(text: str, rectangle: Any, view: View, size: float) -> Line:
    (x0, x1), (low, high) = (
        sorted(ends)
        for ends in zip(
            view.show(rectangle.left, rectangle.bottom), view.show(rectangle.right, rectangle.top), strict=True
        )
    )
    # The first line stands at the top of a field of several, and in the middle of a low one.
    baseline = max(high - 1.5 * size, (low + high) / 2 - size / 3)
    box = Box(x0, view.height - high, x1, view.height - low)
    return Line(text, x0, x1, baseline, baseline, size, parts=(Part(0, len(text), box),))
