"""The lines of a printed page, as a PDF reader hands them to the pure modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Cell(NamedTuple):
    """A part of a line after a gap: its left edge, its text, and the gap before it over the type size."""

    x0: float
    text: str
    gap: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page in reading order, with its place in points from the page's lower left corner.

    ``x0`` and ``y`` are the first character's origin, ``x1`` the right edge and ``y_end`` the baseline of the
    last one (they differ where a hyphenated word joined two printed lines). ``cells`` are the parts between
    wide gaps, none where there is no gap. All zero where the reader found no place.
    """

    text: str
    x0: float = 0.0
    x1: float = 0.0
    y: float = 0.0
    y_end: float = 0.0
    size: float = 0.0
    bold: bool = False
    cells: tuple[Cell, ...] = ()

    @property
    def placed(self) -> bool:
        """Whether the reader knows where the line stands."""
        return self.size > 0


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page's lines. ``failed`` says why it could not be read; ``has_images`` tells a scan from a blank."""

    page_number: int
    height: float
    lines: tuple[Line, ...]
    has_images: bool = False
    failed: str = ""
