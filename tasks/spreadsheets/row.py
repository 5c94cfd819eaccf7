"""Row of a sheet, the common record of all readers of sheets."""

from __future__ import annotations

from collections.abc import Sequence
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


def values_below(rows: Sequence[SheetRow], column: int) -> list[str]:
    """The values in ``column`` of the rows, empty cells left out; no rows give none."""
    return [row.cells[column] for row in rows if column < len(row.cells) and row.cells[column]]
