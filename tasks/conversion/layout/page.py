"""Records of a printed page: lines, cells and pages, as the PDF reader and OCR give them to the layout modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tasks.conversion.document.placed_text import Part, PlacedText
from tasks.records import Box, TextSource

SAME_BASELINE = 2.0
"""Baselines that differ by less, in points, count as the same."""


class Cell(NamedTuple):
    """A cell of a line: its left edge in points, its text, the gap before it over the type size, its printed parts."""

    x0: float
    text: str
    gap: float
    parts: tuple[Part, ...] = ()

    @property
    def placed_text(self) -> PlacedText:
        """The text with its printed parts."""
        return PlacedText(self.text, self.parts)


class Line(NamedTuple):
    """A line of a page, with its place in points from the displayed page's lower left corner.

    ``x0`` and ``y`` are the first character's origin; ``x1`` is the right edge and ``y_end`` the baseline of the last
    character (the baselines differ where a hyphenated word joined two printed lines). All are zero where the reader
    found no place. ``cells`` are the texts between wide gaps, none where there is no such gap. ``parts`` are the boxes
    of its text: several where it goes on over a line's end, has cells, or where a sentence ends in it.
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
        """Tell if the line's place on the page is known."""
        return self.size > 0

    @property
    def placed_text(self) -> PlacedText:
        """The text with its places."""
        return PlacedText(self.text, self.parts)


make_cell = partial(tuple.__new__, Cell)
make_line = partial(tuple.__new__, Line)
"""Fast constructors of Cell and Line from tuples of their fields: see ``make_part``."""


def with_boxes(line: Line, move: Callable[[Box], Box]) -> Line:
    """The line with each of its boxes, and those of its cells, as ``move`` gives them."""

    def moved(parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple(part._replace(box=move(part.box)) for part in parts)

    cells = tuple(cell._replace(parts=moved(cell.parts)) for cell in line.cells)
    return line._replace(cells=cells, parts=moved(line.parts))


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page of a PDF as its lines in reading order, which are packed where the PDF is long.

    ``failed`` is the reason why the page could not be read; ``has_images`` distinguishes a scan from a blank page.
    ``width`` and ``height`` are in points, as displayed, after rotation; 0 where the page could not be read.
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
    """The pages of a PDF and the title in its metadata."""

    pages: list[PrintedPage]
    title: str


PageReader = Callable[[bytes, int], list[Line]]
"""OCR reader of pages that are pictures: the lines of the page of that index, from 0, of the bytes of a PDF.

``tasks.conversion.ocr.tesseract`` has one. Raises ConversionError where a page cannot be read.
"""
