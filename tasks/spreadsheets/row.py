"""Row of a sheet, the common record of all readers of sheets, and the names of columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from typing import NamedTuple


class SheetRow(NamedTuple):
    """A row that is not empty: its number as the spreadsheet shows it, and its cells, "" where empty.

    ``is_partial`` where a cell has a formula without a stored value, or is struck out: the cell is "" here, but not
    empty in the sheet. ``is_plain`` where its only cell has the format of the rows around it, so that it is hardly a
    title; False where the reader does not know formats.
    """

    number: int
    cells: tuple[str, ...]
    is_partial: bool = False
    is_plain: bool = False

    @property
    def filled(self) -> list[int]:
        """The columns of the cells that are not empty."""
        return [column for column, cell in enumerate(self.cells) if cell]

    @property
    def texts(self) -> list[str]:
        """The cells that are not empty."""
        return [cell for cell in self.cells if cell]

    def cell(self, column: int | None) -> str:
        """The text in that column; "" behind the last cell, and for no column."""
        return self.cells[column] if column is not None and column < len(self.cells) else ""

    def padded(self, width: int) -> tuple[str, ...]:
        """The cells, with empty ones up to that many columns."""
        return self.cells + ("",) * (width - len(self.cells))

    def with_text(self, column: int, text: str) -> SheetRow:
        """The row with that text in a column."""
        cells = self.padded(column)
        return self._replace(cells=(*cells[:column], text, *cells[column + 1 :]))

    def without(self, columns: Collection[int]) -> SheetRow:
        """The row with these columns empty; with no cells where nothing is left."""
        return self._replace(cells=trimmed(["" if at in columns else cell for at, cell in enumerate(self.cells)]))


def trimmed(cells: list[str]) -> tuple[str, ...]:
    """The cells up to the last that is not empty."""
    while cells and not cells[-1]:
        cells.pop()
    return tuple(cells)


def values_below(rows: Sequence[SheetRow], column: int) -> list[str]:
    """The values in ``column`` of the rows, empty cells left out; no rows give none."""
    return [row.cells[column] for row in rows if column < len(row.cells) and row.cells[column]]


def column_number(letters: str) -> int:
    """The number of a column from its letters: A is 1, AA is 27."""
    return reduce(lambda number, letter: number * 26 + ord(letter) - 64, letters.upper(), 0)


def column_letters(number: int) -> str:
    """The letters of a column from its number: 1 is A, 27 is AA."""
    above, own = divmod(number - 1, 26)
    return (column_letters(above) if above else "") + chr(ord("A") + own)
