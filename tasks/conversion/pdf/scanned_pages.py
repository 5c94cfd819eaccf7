"""Scanned pages of a PDF: find the pages to read by OCR, and merge the recognised lines with the page's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import pypdfium2.raw as pdfium_c

from tasks.conversion.layout.page import Line, PageReader, PrintedPage
from tasks.conversion.pdf.page_text import View
from tasks.errors import ConversionError
from tasks.records import Box
from tasks.text.characters import fold

_FORM_DEPTH = 3
"""Deepest nesting of pictures in form XObjects, which are drawings that a page refers to."""
_FEW_WORDS = 50
"""Least words of a page that is read as text: headers, footers and captions have fewer. A page of prose is never read
again for a photo on it, which would take seconds."""
FEW_CHARACTERS = 6 * _FEW_WORDS
"""Rough equivalent of _FEW_WORDS, for a quick look at whether a file is worth several processes."""
_MIN_SHARE = 0.2
"""Least share of the page that pictures of a scan cover. Scans are pasted at the width of the text (58% of A4), at half
a page, or two by two (24%); logos, signatures and seals hardly ever come to more than a tenth. Of manuals and papers,
one page in two hundred is read by OCR for it."""
_MOST_OVERLAP = 0.5


def is_picture(page: Any, view: View, lines: Sequence[Line]) -> bool:
    """Tell if a page is a scan: it holds only pictures, or its ``lines`` are few words and pictures cover a good part
    of it.

    A page without lines is a scan where it has any picture; a page without pictures never is.
    """
    words = 0
    for line in lines:
        # Most pages have enough words in their first lines.
        words += count_words([line])
        if words >= _FEW_WORDS:
            return False
    return shows_pictures(page, view, is_alone=not lines)


def shows_pictures(page: Any, view: View, is_alone: bool) -> bool:
    """Tell if pictures cover a good part of a page; with ``is_alone``, without text, if it has any picture."""
    pictures = page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=_FORM_DEPTH)
    if is_alone:
        return any(pictures)
    least = _MIN_SHARE * view.width * view.height
    # Some scanners cut a page into strips, a picture each.
    return any(area >= least for area in accumulate(_seen_area(picture, view) for picture in pictures))


def recognised(page: PrintedPage, data: bytes, ocr: PageReader) -> PrintedPage:
    """``page`` of the PDF ``data``, a scan by :func:`is_picture`, with the lines that ``ocr`` finds beside its own.

    Its ``text_source`` is "ocr" then; "native" where no more words are found than it has itself, as on a photo, and
    "none" where nothing is found at all, or ``ocr`` fails.
    """
    try:
        lines = ocr(data, page.page_number - 1)
    except ConversionError as error:
        return replace(page, failed=str(error))
    if not page.lines:
        return replace(page, lines=tuple(lines), text_source="ocr")
    if not lines:
        return page
    if count_words(lines) <= count_words(page.lines):
        return replace(page, text_source="native")
    return replace(page, lines=_with_own(page, lines), text_source="ocr")


def count_words(lines: Sequence[Line]) -> int:
    """Count the words of the clean ``lines``; no lines have none."""
    # Clean lines have one blank between two words, and none at their ends.
    return sum([line.text.count(" ") for line in lines]) + len(lines)


def _seen_area(picture: Any, view: View) -> float:
    sides = picture.get_bounds()
    form = picture.container
    while form is not None:
        sides = form.get_matrix().on_rect(*sides)
        form = form.container
    left, bottom, right, top = sides
    width = min(right, view.right) - max(left, view.left)
    height = min(top, view.top) - max(bottom, view.bottom)
    return float(max(width, 0.0) * max(height, 0.0))


def _with_own(page: PrintedPage, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Merge the ``lines`` that OCR found with the page's own lines.

    OCR reads the page's own words too, and sometimes wrongly: its lines where they stand are left out. So are own lines
    whose words OCR found elsewhere, such as the text layer under a picture.
    """
    own = [part.box for line in page.lines for part in line.parts]
    merged = [line for line in lines if not _is_covered(line, own)]
    found = fold(" ".join(line.text for line in merged))
    for line in page.lines:
        if fold(line.text) not in found:
            lower = (at for at, other in enumerate(merged) if _top(other) > _top(line))
            merged.insert(next(lower, len(merged)), line)
    return tuple(merged)


def _top(line: Line) -> float:
    return min((part.box.top for part in line.parts), default=0.0)


def _is_covered(line: Line, boxes: Sequence[Box]) -> bool:
    area = sum(_area(part.box) for part in line.parts)
    shared = sum(_shared(part.box, box) for part in line.parts for box in boxes)
    return shared > _MOST_OVERLAP * area > 0


def _area(box: Box) -> float:
    return max(box.right - box.left, 0.0) * max(box.bottom - box.top, 0.0)


def _shared(one: Box, other: Box) -> float:
    return _area(
        Box(
            max(one.left, other.left),
            max(one.top, other.top),
            min(one.right, other.right),
            min(one.bottom, other.bottom),
        )
    )
