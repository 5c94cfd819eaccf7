"""Headings that hold digits, such as "FY24" or "1-50 users", told apart from the figures below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from tasks.spreadsheets.row import SheetRow, values_below

_MAX_CHARACTERS = 40
_YEAR = re.compile(r"(?:19|20)\d\d(?:/\d\d)?")
_HOURS_BY_DAYS = re.compile(r"\d{1,2} ?[x×] ?\d(?: ?[x×] ?\d{3})?|(?:8|9|10|12|16|24)/[57]", re.I)
_AROUND = re.compile(
    r"\b(?:US|CA?|AU?|HK|S)\$|\b[Tkm][€$£]|[\s€$£¥+\-−~<>≤≥()]|"
    r"\b[Tk]?(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|JPY|CNY|CAD|AUD|INR)\b"
)
_NUMBER = re.compile(r"\d[\d.,'’]*")
_DATE = re.compile(r"\d{1,4}(?:[-./]\d{1,4}){2}(?: \d\d:\d\d)?")

_Kind = Literal["words", "label", "year", "quantity", "number", "share", "date"]
_FIGURES: frozenset[_Kind] = frozenset({"quantity", "number", "share", "date"})


def names_term(cell: str, is_first: bool = True) -> bool:
    """Tell if ``cell`` may be a heading without a letter: a year, or "24/7" in the first row of a table."""
    return _YEAR.fullmatch(cell) is not None or (is_first and _HOURS_BY_DAYS.fullmatch(cell) is not None)


def first_column(rows: Sequence[SheetRow]) -> int:
    """The first column in which any of ``rows`` has a value; 0 where none has."""
    return min((i for row in rows for i, cell in enumerate(row.cells) if cell), default=0)


def heads_figures(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell if ``row`` is a header over figures: its cells are short and of another kind than the values below, which
    are figures in two columns or more behind the first.

    A record is of the kind of the rows below. A single column of figures may be values beside their labels.
    """
    # Rows below an empty row may be another table.
    below = [other for at, other in enumerate(below, start=1) if other.number == row.number + at] or below
    names = first_column([row, *below])
    columns = row.filled
    if any(len(row.cells[i]) > _MAX_CHARACTERS or not _is_label(row, below, i, i == names) for i in columns):
        return False
    return sum(any(_kind(value) in _FIGURES for value in values_below(below, i)) for i in columns if i != names) > 1


def heads_terms(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell if two cells or more of ``row`` behind the first hold digits and head figures."""
    behind = row.cells[first_column([row, *below]) + 1 :]
    return sum(_kind(cell) != "words" for cell in behind) > 1 and heads_figures(row, below)


def is_record(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell if a cell of ``row`` behind the first is a figure of the kind that is usual below it, so that it is no
    heading.
    """
    figures = {i: kind for i, cell in enumerate(row.cells) if i and (kind := _kind(cell)) in _FIGURES}
    kinds = {i: _kinds(below, i) for i in figures}
    return any(0 < len(kinds[i]) <= 2 * kinds[i].count(own) for i, own in figures.items())


def _is_label(row: SheetRow, below: Sequence[SheetRow], column: int, names_records: bool) -> bool:
    """Tell if the cell is a heading, not a value of the column.

    "1 year" heads figures of one other kind; above several kinds it is a value.
    """
    own = _kind(row.cells[column])
    kinds = _kinds(below, column)
    match own:
        case "words":
            return True
        case "label" | "year":
            return 2 * kinds.count(own) < max(1, len(kinds))
        case "quantity":
            return not names_records and len(below) > 1 and len(set(kinds)) < 2 and own not in kinds
        case _:
            return False


def _kinds(rows: Sequence[SheetRow], column: int) -> list[_Kind]:
    return [kind for kind in map(_kind, values_below(rows, column)) if kind != "words"]


def _kind(cell: str) -> _Kind:
    if not any(c.isdigit() for c in cell):
        return "words"
    if _YEAR.fullmatch(cell):
        return "year"
    figure = _AROUND.sub("", cell)
    if _HOURS_BY_DAYS.fullmatch(cell) or not figure[0].isdigit():
        return "label"
    if _DATE.fullmatch(cell):
        return "date"
    if _NUMBER.fullmatch(figure):
        return "number"
    return "share" if _NUMBER.fullmatch(figure.removesuffix("%")) else "quantity"
