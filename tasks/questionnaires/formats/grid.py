"""Format-independent grid of a sheet: its texts, merged ranges and validations, before columns are detected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Area(NamedTuple):
    """A rectangle of cells, its edges included."""

    top: int
    left: int
    bottom: int
    right: int

    def holds(self, row: int, column: int) -> bool:
        """Tell if the cell lies in the rectangle."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


@dataclass(frozen=True, slots=True)
class Validation:
    """Data validation of the cells in ``areas``: a list of ``choices`` or a limit of ``max_characters``.

    ``prompt`` is the input message that is shown on entering a cell.
    """

    areas: tuple[Area, ...]
    choices: tuple[str, ...] = ()
    max_characters: int | None = None
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The texts of a sheet by row and column (only cells with a text), with formulas, merged ranges and validations.

    A formula's text is its cached value. ``formulas`` lists the formula cells, also those that show nothing, and
    ``unsaved`` those of them without a cached value. ``merges`` has the merged ranges by each row that they touch
    (:func:`by_row`): a CAIQ has thousands. ``linked`` are the formula cells that read another workbook, with its name.
    ``bold`` and ``unlocked`` are cells by their style, empty ones too.
    """

    sheet_name: str | None
    texts: Mapping[int, Mapping[int, str]]
    formulas: frozenset[tuple[int, int]] = frozenset()
    merges: Mapping[int, tuple[Area, ...]] = field(default_factory=dict)
    validations: tuple[Validation, ...] = ()
    hidden: bool = False
    width: int = 0
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()
    unlocked: frozenset[tuple[int, int]] = frozenset()
    unsaved: frozenset[tuple[int, int]] = frozenset()
    linked: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def visible(self) -> Grid:
        """The grid without the texts of hidden rows and columns; itself where nothing is hidden."""
        if not self.hidden_rows and not self.hidden_columns:
            return self
        shown = {
            row: {column: text for column, text in cells.items() if column not in self.hidden_columns}
            for row, cells in self.texts.items()
            if row not in self.hidden_rows
        }
        return replace(self, texts={row: cells for row, cells in shown.items() if cells})

    def part(self, area: Area) -> Grid:
        """The grid with only the texts in ``area``: one of several tables of a sheet."""
        inside = {
            row: {column: text for column, text in cells.items() if area.left <= column <= area.right}
            for row, cells in self.texts.items()
            if area.top <= row <= area.bottom
        }
        return replace(self, texts={row: cells for row, cells in inside.items() if cells})

    def text(self, row: int, column: int) -> str:
        """The cell's text, stripped; '' where it is empty."""
        return self.texts.get(row, {}).get(column, "").strip()

    def row(self, row: int) -> dict[int, str]:
        """The texts of a row by column, stripped."""
        return {column: text.strip() for column, text in self.texts.get(row, {}).items()}

    def written(self, row: int, column: int | None) -> str:
        """The text that the cell shows, also of a merged range that it lies in; '' for none, and for no column."""
        return self.text(*self.anchor(row, column)) if column else ""

    def anchor(self, row: int, column: int) -> tuple[int, int]:
        """The cell that holds the content: the top left cell of a merged range, else the cell itself."""
        area = self.merge(row, column)
        return (area.top, area.left) if area else (row, column)

    def merge(self, row: int, column: int) -> Area | None:
        """The merged range that contains the cell; None where there is none."""
        return next((area for area in self.merges.get(row, ()) if area.holds(row, column)), None)

    def choices(self, row: int, column: int) -> tuple[str, ...]:
        """The choices of the cell's dropdown; empty where it has none."""
        found = (v.choices for v in self._validations(row, column) if v.choices)
        return next(found, ())

    def max_characters(self, row: int, column: int) -> int | None:
        """The text length that the cell's validation allows; None without a limit."""
        limits = [v.max_characters for v in self._validations(row, column) if v.max_characters]
        return min(limits, default=None)

    def prompts(self, row: int, column: int) -> tuple[str, ...]:
        """The input messages that the cell shows when it is entered; empty without any."""
        return tuple(dict.fromkeys(v.prompt for v in self._validations(row, column) if v.prompt))

    def last_column(self, rows: Iterable[int]) -> int:
        """The rightmost column that holds a text, a formula, an empty CSV field or, in one of ``rows``, a merged cell;
        0 for an empty sheet.
        """
        texts = (max(cells) for cells in self.texts.values() if cells)
        formulas = (column for _, column in self.formulas)
        return max(self.width, *texts, *formulas, *(area.right for row in rows for area in self.merges.get(row, ())), 0)

    def _validations(self, row: int, column: int) -> Iterator[Validation]:
        return (v for v in self.validations if any(area.holds(row, column) for area in v.areas))


def by_row(areas: Iterable[Area], last_row: int) -> dict[int, tuple[Area, ...]]:
    """Group the areas by the rows that they touch, down to ``last_row``: an area may reach to the sheet's last row."""
    rows: dict[int, tuple[Area, ...]] = {}
    for area in areas:
        for row in range(area.top, min(area.bottom, last_row) + 1):
            rows[row] = (*rows.get(row, ()), area)
    return rows
