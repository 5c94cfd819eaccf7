"""Annotations of a PDF page: form fields, notes, stamps and redactions that lie over its content."""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.pdf.page_text import Sides, quick

_UNSEEN = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
_annotation = quick(pdfium_c.FPDFPage_GetAnnot, ctypes.c_void_p)
_subtype = quick(pdfium_c.FPDFAnnot_GetSubtype)
_close = quick(pdfium_c.FPDFPage_CloseAnnot, None)


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


def shown(
    page: Any, annotations: Sequence[tuple[int, int]], subtypes: Collection[int]
) -> Iterator[tuple[Any, int, Sides]]:
    """Yield those of the page's ``annotations`` that have one of the ``subtypes`` and are shown, each with its subtype
    and its sides; each is closed when the next is asked for.
    """
    for at, subtype in annotations:
        if subtype not in subtypes:
            continue
        annotation, rectangle = pdfium_c.FPDFPage_GetAnnot(page, at), pdfium_c.FS_RECTF()
        try:
            is_hidden = pdfium_c.FPDFAnnot_GetFlags(annotation) & _UNSEEN
            if not is_hidden and pdfium_c.FPDFAnnot_GetRect(annotation, rectangle):
                yield annotation, subtype, (rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
