"""Redaction of text under black boxes on a PDF page: the boxes are meant to hide it, but the file still holds it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c

from tasks.conversion.pdf.annotations import shown
from tasks.conversion.pdf.page_text import PageText, Sides, quick
from tasks.text.characters import BLACKED_OUT

_DARK = 64
"""A colour counts as black where none of its parts, of 255, exceeds this."""
_MOST_SEGMENTS = 6
"""Most segments of a box's path: four sides, a move to the start, and a close."""
_MIN_HEIGHT = 4.0
"""Least height of a covering box in points; lower ones strike text out or underline it."""
_MOST_OBJECTS = 500
_CAN_COVER = (pdfium_c.FPDF_ANNOT_SQUARE, pdfium_c.FPDF_ANNOT_STAMP, pdfium_c.FPDF_ANNOT_REDACT)
_HANDLE = ctypes.c_void_p
_object = quick(pdfium_c.FPDFPage_GetObject, _HANDLE)
_object_type = quick(pdfium_c.FPDFPageObj_GetType)


def cover_text(page: PageText, of: Any, put_on: Sequence[tuple[int, int]]) -> None:
    """Replace each character under a black box, drawn or by the annotations ``put_on``, with BLACKED_OUT."""
    boxes = [
        *_drawn(of),
        *(
            sides
            for annotation, subtype, sides in shown(of, put_on, _CAN_COVER)
            if subtype == pdfium_c.FPDF_ANNOT_REDACT or _is_black(annotation)
        ),
    ]
    if not boxes:
        return
    offsets = [at for at, character in enumerate(page.text) if not character.isspace()]
    left, low, right, high = page.sides(page.indices(offsets))
    x, y = (left + right) / 2, (low + high) / 2
    is_covered = np.zeros(len(offsets), np.bool_)
    for x0, y0, x1, y1 in map(page.view.show_box, boxes):
        is_covered |= (x > x0) & (x < x1) & (y > y0) & (y < y1)
    text = list(page.text)
    for at in is_covered.nonzero()[0].tolist():
        text[offsets[at]] = BLACKED_OUT
        page.is_covered = True
    page.text = "".join(text)


def _drawn(page: Any) -> Iterator[Sides]:
    """Yield the black boxes that are drawn after all text, as a PDF editor draws them: a box before text may be its
    background.
    """
    handle = ctypes.byref(page.raw.contents)
    last = pdfium_c.FPDFPage_CountObjects(page) - 1
    for at in range(last, max(last - _MOST_OBJECTS, -1), -1):
        drawn = _HANDLE(_object(handle, at))
        kind = _object_type(drawn)
        if kind in (pdfium_c.FPDF_PAGEOBJ_TEXT, pdfium_c.FPDF_PAGEOBJ_FORM):
            return
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            yield from _black_box(ctypes.cast(drawn, pdfium_c.FPDF_PAGEOBJECT))


def _is_black(annotation: Any) -> bool:
    """Tell if an annotation is filled with black, by its interior colour or else by the boxes that it draws."""
    colours = [ctypes.c_uint() for _ in range(4)]
    if pdfium_c.FPDFAnnot_GetColor(annotation, pdfium_c.FPDFANNOT_COLORTYPE_InteriorColor, *colours):
        has_colour = pdfium_c.FPDFAnnot_HasKey(annotation, b"IC")
        return bool(has_colour) and max(colour.value for colour in colours[:3]) <= _DARK
    count = pdfium_c.FPDFAnnot_GetObjectCount(annotation)
    return any(list(_black_box(pdfium_c.FPDFAnnot_GetObject(annotation, at))) for at in range(max(count, 0)))


def _black_box(drawn: Any) -> Iterator[Sides]:
    """Yield the sides, in the page's own coordinates, of a path that is a box filled with black; nothing otherwise."""
    if pdfium_c.FPDFPageObj_GetType(drawn) != pdfium_c.FPDF_PAGEOBJ_PATH:
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    count = pdfium_c.FPDFPath_CountSegments(drawn)
    if not 4 <= count <= _MOST_SEGMENTS or not pdfium_c.FPDFPath_GetDrawMode(drawn, fill, stroke) or not fill.value:
        return
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetFillColor(drawn, red, green, blue, alpha):
        return
    sides = [ctypes.c_float() for _ in range(4)]
    is_black = max(red.value, green.value, blue.value) <= _DARK and alpha.value == 255
    if is_black and pdfium_c.FPDFPageObj_GetBounds(drawn, *sides) and sides[3].value - sides[1].value > _MIN_HEIGHT:
        left, bottom, right, top = (side.value for side in sides)
        yield left, bottom, right, top
