"""Reader of worksheet XML into grids: cached values, merged ranges and dropdowns, also x14 dropdowns.

openpyxl is not used: it cannot see x14 dropdowns and refuses workbooks with odd styles.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from lxml import etree

from tasks.questionnaires.formats.grid import Area, Grid, Validation, by_row
from tasks.questionnaires.formats.package import SheetPart, Workbook, string_text
from tasks.spreadsheets.row import column_number

_TextsOf = Mapping[int, Mapping[int, str]]

MAX_CHOICES = 200
LARGE_BYTES = 4 * 1024 * 1024
_AT_MOST = ("between", "lessThan", "lessThanOrEqual", "equal")
"""Operators of a validation by which its last formula is the most that is allowed."""
_CELL = r"\$?([A-Za-z]{1,3})?\$?(\d+)?"
_AREA = re.compile(rf"{_CELL}(?::{_CELL})?")
_REFERENCE = re.compile(rf"(?:(?P<sheet>'(?:[^']|'')+'|[^'!(),:]+)!)?(?P<area>{_CELL}(?::{_CELL})?)")
_LINK = re.compile(r"(?<![\w\]])\[(\d+)\]")
"""The number of another workbook in a formula: ``[1]Sheet1!A1``; a table's column, ``Table1[1]``, is none."""
_DIGITS = "0123456789"
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


def read_grids(workbook: Workbook) -> tuple[Grid, ...]:
    """A grid for each worksheet, in the workbook's order; chart and dialog sheets are left out."""
    sheets = [sheet for part in workbook.sheets if (sheet := _read_sheet(workbook, part))]
    texts = {(grid.sheet_name or "").casefold(): grid.texts for grid, _ in sheets}
    return tuple(
        replace(
            grid,
            validations=tuple(
                _validation(rule, grid.sheet_name or "", texts, workbook) for rule in root.iter("{*}dataValidation")
            ),
        )
        for grid, root in sheets
    )


def numbered_cells(row: Any) -> Iterator[tuple[int, Any]]:
    """The cells of a row with their columns; a cell without a reference follows the cell before it."""
    column = 0
    for cell in row.iterfind("{*}c"):
        reference = cell.get("r")
        column = parse_area(reference).left if reference else column + 1
        yield column, cell


def numbered_rows(root: Any) -> Iterator[tuple[int, Any]]:
    """The rows of a worksheet with their numbers; a row without a number follows the row before it."""
    number = 0
    for row in root.iterfind("{*}sheetData/{*}row"):
        number = int(row.get("r") or number + 1)
        yield number, row


def parse_area(reference: str) -> Area:
    """Parse a range: ``B2`` or ``B2:D9``, whole columns ``B:D`` and rows ``2:9``.

    Raises ValueError for anything else.
    """
    found = _AREA.fullmatch(reference.strip())
    if not found or not any(found.groups()):
        raise ValueError(f"{reference!r} is not a cell range")
    left, top, right, bottom = found.groups()
    if right is None and bottom is None:
        right, bottom = left, top
    columns = column_number(left or "A"), column_number(right) if right else _LAST_COLUMN
    return Area(int(top or 1), columns[0], int(bottom or _LAST_ROW), columns[1])


def _read_sheet(workbook: Workbook, part: SheetPart) -> tuple[Grid, Any] | None:
    """The grid of a worksheet without its validations, whose choices may stand in other sheets, and what is left of its
    XML without the rows; None for a chart or dialog sheet.
    """
    texts: dict[int, dict[int, str]] = {}
    cells = _Cells(set(), set(), set(), set(), {}, {})
    hidden_rows: set[int] = set()
    number = 0
    # A sheet may have a million empty rows: each is dropped as soon as it is read.
    rows = etree.iterparse(
        io.BytesIO(_without_empty_end(workbook.parts[part.part])),
        events=("end",),
        tag="{*}row",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
    )
    for _, row in rows:
        number = int(row.get("r") or number + 1)
        if row.get("hidden") in ("1", "true"):
            hidden_rows.add(number)
        if len(row):
            _read_row(workbook, number, row, texts, cells)
        row.clear()
        while row.getprevious() is not None:
            del row.getparent()[0]
    root = rows.root
    if etree.QName(root).localname != "worksheet":
        return None
    merged = (parse_area(element.get("ref", "")) for element in root.iterfind("{*}mergeCells/{*}mergeCell"))
    # Below the last text there may be a box for its answer.
    merges = by_row(merged, max(texts, default=0) + 1)
    hidden_columns = frozenset(
        column
        for element in root.iterfind("{*}cols/{*}col")
        if element.get("hidden") in ("1", "true")
        for column in range(int(element.get("min")), int(element.get("max")) + 1)
    )
    grid = Grid(
        part.name,
        texts,
        frozenset(cells.formulas),
        merges,
        hidden=part.hidden,
        hidden_rows=frozenset(hidden_rows),
        hidden_columns=hidden_columns,
        bold=frozenset(cells.bold),
        unlocked=frozenset(cells.unlocked),
        unsaved=frozenset(cells.unsaved),
        linked=cells.linked,
    )
    return grid, root


def _without_empty_end(xml: bytes) -> bytes:
    """A large worksheet without its rows behind the last one with a value; unchanged where that is not plain.

    A format that is set for whole columns leaves a million of them.
    """
    end = xml.rfind(b"</sheetData>")
    if len(xml) < LARGE_BYTES or end < 0:
        return xml
    last = max(xml.rfind(mark, 0, end) for mark in (b"</v>", b"</is>", b"</f>", b"<f"))
    row = xml.find(b"</row>", last, end)
    return xml if last < 0 or row < 0 else xml[: row + len(b"</row>")] + xml[end:]


class _Cells(NamedTuple):
    """Cells of a sheet, as row and column, that are found while it is read; ``linked`` has the file that each reads,
    and ``shared`` that of each formula of several cells.
    """

    formulas: set[tuple[int, int]]
    bold: set[tuple[int, int]]
    unlocked: set[tuple[int, int]]
    unsaved: set[tuple[int, int]]
    linked: dict[tuple[int, int], str]
    shared: dict[str, str]


def _read_row(workbook: Workbook, number: int, row: Any, texts: dict[int, dict[int, str]], cells: _Cells) -> None:
    column = 0
    for cell in row.iterfind("{*}c"):
        reference = cell.get("r")
        column = _column_of(reference.rstrip(_DIGITS)) if reference else column + 1
        style = int(cell.get("s") or 0)
        place = (number, column)
        if style in workbook.unlocked:
            cells.unlocked.add(place)
        if not len(cell):
            continue
        if (formula := cell.find("{*}f")) is not None:
            cells.formulas.add(place)
            if workbook.links:
                _note_link(workbook, place, formula, cells)
            if cell.find("{*}v") is None:
                cells.unsaved.add(place)
        if (text := _cell_text(cell, workbook.shared_strings)).strip():
            texts.setdefault(number, {})[column] = text
            if style in workbook.bold:
                cells.bold.add(place)


def _note_link(workbook: Workbook, place: tuple[int, int], formula: Any, cells: _Cells) -> None:
    """Note the workbook that a formula reads, also by the text that it shares with the cells above it."""
    found = _LINK.search(formula.text or "")
    named = workbook.links[int(found[1]) - 1] if found and 0 < int(found[1]) <= len(workbook.links) else ""
    if (group := formula.get("si")) is not None:
        named = cells.shared.setdefault(group, named) if formula.text else cells.shared.get(group, "")
    if named:
        cells.linked[place] = named


@lru_cache(maxsize=1024)
def _column_of(letters: str) -> int:
    return column_number(letters)


def _cell_text(cell: Any, shared_strings: tuple[str, ...]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return "".join(map(string_text, cell.iterchildren("{*}is")))
    value = cell.findtext("{*}v") or ""
    if not value or kind == "e":
        return ""
    if kind == "s":
        return shared_strings[int(value)]
    if kind == "b":
        return "TRUE" if value.strip() == "1" else "FALSE"
    if kind == "n":
        # Excel keeps 1.1 as 1.1000000000000001 and shows 15 digits.
        return format(float(value), ".15g")
    return value


def _validation(element: Any, sheet: str, texts: Mapping[str, _TextsOf], workbook: Workbook) -> Validation:
    # The x14 form has the range and the formulas in child elements, the plain one in attribute and text.
    squares = element.get("sqref") or element.findtext("{*}sqref") or ""
    formulas = ["".join(formula.itertext()) for formula in element.iterchildren("{*}formula1", "{*}formula2")]
    operator, last = element.get("operator", "between"), formulas[-1].strip() if formulas else ""
    choices: tuple[str, ...] = ()
    most = None
    if element.get("type") == "list" and formulas:
        choices = _choices(formulas[0], sheet, texts, workbook)
    elif element.get("type") == "textLength" and operator in _AT_MOST and last.isdigit():
        most = int(last) - (operator == "lessThan")
    prompt = " ".join(filter(None, (element.get("promptTitle"), element.get("prompt"))))
    return Validation(tuple(map(parse_area, squares.split())), choices, most, prompt)


def _choices(
    formula: str, sheet: str, texts: Mapping[str, _TextsOf], workbook: Workbook, depth: int = 0
) -> tuple[str, ...]:
    """The choices of a list formula: its own words, or the cells of a range or a defined name.

    Empty for formulas that would have to be calculated (INDIRECT, OFFSET).
    """
    formula = formula.strip().removeprefix("=").strip()
    if formula.startswith('"'):
        words = formula.strip('"').replace('""', '"').split(",")
        return tuple(word.strip() for word in words if word.strip())
    for name in (f"{sheet}!{formula}", formula):
        if depth < 3 and name.casefold() in workbook.defined_names:
            return _choices(workbook.defined_names[name.casefold()], sheet, texts, workbook, depth + 1)
    found = _REFERENCE.fullmatch(formula)
    if not found:
        return ()
    owner = found["sheet"] or sheet
    owner = owner[1:-1].replace("''", "'") if owner.startswith("'") else owner
    area = parse_area(found["area"])
    cells = (
        text.strip()
        for row, by_column in sorted(texts.get(owner.casefold(), {}).items())
        for column, text in sorted(by_column.items())
        if area.holds(row, column)
    )
    return tuple(dict.fromkeys(cells))[:MAX_CHOICES]
