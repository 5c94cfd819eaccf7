"""Which page of a document a picture is asked of, and which part of its text is marked on it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.records import Document, Page


class NoSuchPage(UsageError):
    """A document, a page or a quote on it that is not there and never was."""


class PageGone(UsageError):
    """A page of a document that was there."""


class Place(NamedTuple):
    """Where a quote stands: the number of its page, as :func:`number_at` counts them, and the titles above it, joined
    by `` > ``.
    """

    number: int
    section_path: str


def place_at(document: Document, start: int) -> Place:
    """Where the character at ``start`` stands; what comes before any title is in no section. Raises NoSuchPage where
    no page holds it.

    A chunk has the section that it begins in, and may go on into others: a citation names the one of its quote.
    """
    above = [one for one in document.elements if one.start is not None and one.start <= start]
    last = max(above, key=lambda one: one.start or 0, default=None)
    return Place(number_at(document, start), last.section_path if last else "")


def number_at(document: Document, start: int) -> int:
    """The number of the page that holds the character at ``start``; where the format has none, sheets and the like are
    counted from 1. Raises NoSuchPage where none holds it.
    """
    for index, page in enumerate(document.pages, start=1):
        if page.start <= start < page.end:
            return page.page_number or index
    raise NoSuchPage(f"{document.file_name} has no character {start}: take the offsets of a citation")


def page_of(document: Document, number: int) -> Page:
    """The page of that number, as :func:`number_at` counts them. Raises NoSuchPage where there is none."""
    for index, page in enumerate(document.pages, start=1):
        if number == (page.page_number or index):
            return page
    raise NoSuchPage(f"{document.file_name} has no page {number}: it has {len(document.pages)}")


def span_of(document: Document, page: Page, start: int | None, end: int | None, quote: str | None) -> tuple[int, int]:
    """The part of the document's text to mark: ``[start, end)``, or where the quote stands on the page, whatever its
    blanks; (0, 0) where neither is given. What goes on over the page's end is cut there.

    Raises NoSuchPage where the part or the quote is not on the page, UsageError for one offset without the other.
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
    """What stands above a page that is painted from its text."""
    if page.sheet_name:
        return f"{document.file_name}, sheet {page.sheet_name}"
    return f"{document.file_name}, p. {number}" if page.page_number is not None else document.file_name
