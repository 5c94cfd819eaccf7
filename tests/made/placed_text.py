"""A check that printed lines stand where a PDF has them."""

from __future__ import annotations

from itertools import pairwise

import pypdfium2

from tasks.records import Box, Document
from tasks.text.characters import fold


def text_in(pdf: pypdfium2.PdfDocument, page_number: int, box: Box) -> str:
    """The text that pdfium finds in ``box``, which is turned back to the page's own coordinates."""
    page = pdf[page_number - 1]
    left, bottom, right, top = page.get_bbox()
    # A sliver off each side: pdfium counts letters that the box just touches.
    x0, y0, x1, y1 = box.left + 0.4, box.top + 0.4, box.right - 0.4, box.bottom - 0.4
    sides = {
        0: (left + x0, top - y1, left + x1, top - y0),
        90: (left + y0, bottom + x0, left + y1, bottom + x1),
        180: (right - x1, bottom + y0, right - x0, bottom + y1),
        270: (right - y1, top - x1, right - y0, top - x0),
    }[page.get_rotation()]
    text = page.get_textpage().get_text_bounded(*sides)
    return fold(text.replace("\ufffe", ""))


def check_places(document: Document, data: bytes, exact: bool = True) -> int:
    """Every printed part holds its own words and no others; the parts are in order and cover the text."""
    pdf = pypdfium2.PdfDocument(data)
    for line in document.lines:
        own, found = fold(document.text[line.start : line.end]), text_in(pdf, line.page_number, line.box)
        assert found == own if exact else own in found or found in own, (line, own, found)
    for a, b in pairwise(document.lines):
        assert a.end <= b.start
    printed = "".join(document.text[line.start : line.end] for line in document.lines)
    assert fold(printed) == fold(document.text)
    for element in document.elements:
        assert element.box is not None
    return len(document.lines)
