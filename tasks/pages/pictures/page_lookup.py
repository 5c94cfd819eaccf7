"""Page requests: find the page of a document that a picture is requested for, and the part of its text to mark."""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.places import page_place
from tasks.records import Document, Page


class NoSuchPage(UsageError):
    """The requested document, page or quote does not exist and never did."""


class PageGone(UsageError):
    """The requested page belongs to a document that existed but was changed or removed since."""


class Place(NamedTuple):
    """Position of a quote: its page number, as :func:`number_at` counts, and the titles above it, joined by `` > ``."""

    number: int
    section_path: str


def place_at(document: Document, start: int) -> Place:
    """The page number and section of the character at ``start``; text before any title has an empty section path.

    A chunk has the section that it begins in and may run on into others; a citation names the section of its quote.
    Raises NoSuchPage if no page contains the character.
    """
    above = [one for one in document.elements if one.start is not None and one.start <= start]
    last = max(above, key=lambda one: one.start or 0, default=None)
    return Place(number_at(document, start), last.section_path if last else "")


def number_at(document: Document, start: int) -> int:
    """The number of the page that contains the character at ``start``; formats without page numbers are counted from 1.

    Raises NoSuchPage if no page contains it.
    """
    for index, page in enumerate(document.pages, start=1):
        if page.start <= start < page.end:
            return page.page_number or index
    raise NoSuchPage(f"{document.file_name} has no character {start}: take the offsets of a citation")


def page_of(document: Document, number: int) -> Page:
    """The page with that number, as :func:`number_at` counts them. Raises NoSuchPage if there is none."""
    for index, page in enumerate(document.pages, start=1):
        if number == (page.page_number or index):
            return page
    raise NoSuchPage(f"{document.file_name} has no page {number}: it has {len(document.pages)}")


def span_of(document: Document, page: Page, start: int | None, end: int | None, quote: str | None) -> tuple[int, int]:
    """The span of the document's text to mark: ``[start, end)``, or the place of the quote on the page.

    (0, 0) if neither is given. The quote may differ in white space; offsets beyond the page are clipped to it. Raises
    NoSuchPage if the part or the quote is not on the page, UsageError for one offset without the other.
    """
    if (start is None) != (end is None):
        raise UsageError("a part of a page needs both offsets: give start and end, as a citation has them")
    if start is not None and end is not None:
        first, last = max(start, page.start), min(end, page.end)
        if first >= last:
            raise NoSuchPage(
                f"the characters {start} to {end} of {document.file_name} are not on that page: take a citation's"
            )
        return first, last
    words = (quote or "").split()
    if not words:
        return 0, 0
    found = re.compile(r"\s+".join(map(re.escape, words))).search(document.text, page.start, page.end)
    if found is None:
        raise NoSuchPage(f"that page of {document.file_name} does not hold the quote: give it word for word")
    return found.span()


def title_of(document: Document, page: Page, number: int) -> str:
    """The heading above a page that is rendered from its text: the file name, with its sheet or page number."""
    if page.sheet_name:
        return f"{document.file_name}, sheet {page.sheet_name}"
    return f"{document.file_name}, {page_place(number)}" if page.page_number is not None else document.file_name
