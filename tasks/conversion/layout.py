"""The lines of a printed page, as a PDF reader hands them to the pure modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from tasks.conversion.placed_text import Part, PlacedText
from tasks.records import TextSource


class Cell(NamedTuple):
    """A part of a line after a gap: its left edge, its text, the gap before it over the type size, its places."""

    x0: float
    text: str
    gap: float
    parts: tuple[Part, ...] = ()

    @property
    def placed_text(self) -> PlacedText:
        """The text with its places."""
        return PlacedText(self.text, self.parts)


class Line(NamedTuple):
    """One line of a page in reading order, with its place in points from the displayed page's lower left corner.

    ``x0`` and ``y`` are the first character's origin, ``x1`` the right edge and ``y_end`` the baseline of the
    last one (they differ where a hyphenated word joined two printed lines). ``cells`` are the parts between
    wide gaps, none where there is no gap. All zero where the reader found no place. ``parts`` are the boxes of its
    text: more than one where it goes on over a line's end, has cells, or where a sentence ends in it.
    """

    text: str
    x0: float = 0.0
    x1: float = 0.0
    y: float = 0.0
    y_end: float = 0.0
    size: float = 0.0
    bold: bool = False
    cells: tuple[Cell, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def placed(self) -> bool:
        """Whether the reader knows where the line stands."""
        return self.size > 0

    @property
    def placed_text(self) -> PlacedText:
        """The text with its places."""
        return PlacedText(self.text, self.parts)


make_line = partial(tuple.__new__, Line)
"""A line of a tuple of its fields: see ``make_part``."""


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page's lines, packed in a long PDF. ``failed`` says why it could not be read; ``has_images`` tells a scan
    from a blank.

    ``width`` and ``height`` are in points, as displayed: turned where the page is; 0 where it could not be read.
    """

    page_number: int
    height: float
    lines: Sequence[Line]
    has_images: bool = False
    failed: str = ""
    width: float = 0.0
    label: str | None = None
    text_source: TextSource = "native"


class PdfContent(NamedTuple):
    """A PDF's pages and its own title."""

    pages: list[PrintedPage]
    title: str


class PageReader(Protocol):
    """Reads a page that is a picture; ``tasks.conversion.ocr`` does."""

    def __call__(self, data: bytes, index: int, /) -> list[Line]:
        """The lines of the page ``index``, from 0, of the PDF ``data``; raises ConversionError where it fails."""
        ...
