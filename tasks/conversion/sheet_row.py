"""A row of a sheet, as every reader of sheets gives it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class SheetRow(NamedTuple):
    """A row with something in it: its number as the spreadsheet shows it, and its cells, "" where empty.

    ``is_partial`` where a cell has a formula whose value the file has not, or is struck out: it is "" here, and is not
    empty. ``is_plain`` where its only cell looks as those of the rows around it do, so that it is hardly a title; where
    nothing tells how cells look it is not said.
    """

    number: int
    cells: tuple[str, ...]
    is_partial: bool = False
    is_plain: bool = False


def values_below(rows: Sequence[SheetRow], column: int) -> list[str]:
    """What stands in ``column`` of the rows, empty cells left out; no rows give nothing."""
    return [row.cells[column] for row in rows if column < len(row.cells) and row.cells[column]]
