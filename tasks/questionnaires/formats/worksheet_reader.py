"""Reader of worksheet XML into grids: cached values, merged ranges and dropdowns, also x14 dropdowns.

openpyxl is not used: it cannot see x14 dropdowns and refuses workbooks with odd styles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from lxml import etree

from tasks.questionnaires.formats.grid import Area, Grid, Validation, by_row
from tasks.questionnaires.formats.package import SheetPart, Workbook, parse_xml, string_text
from tasks.spreadsheets.row import column_number

Texts = dict[int, dict[int, str]]

MAX_CHOICES = 200
_CELL = r"\$?([A-Za-z]{1,3})?\$?(\d+)?"
_AREA = re.compile(rf"{_CELL}(?::{_CELL})?")
_REFERENCE = re.compile(rf"(?:(?P<sheet>'(?:[^']|'')+'|[^'!(),:]+)!)?(?P<area>{_CELL}(?::{_CELL})?)")
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384


class _Rule(NamedTuple):
    areas: tuple[Area, ...]
    kind: str
    operator: str
    formulas: tuple[str, ...]
    prompt: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    part: SheetPart
    texts: Texts
    formulas: frozenset[tuple[int, int]]
    merges: dict[int, tuple[Area, ...]]
    rules: tuple[_Rule, ...]


def read_grids(workbook: Workbook) -> tuple[Grid, ...]:
    """A grid for each worksheet, in the workbook's order; chart and dialog sheets are left out."""
    sheets = [
        _read_sheet(workbook, part, root)
        for part in workbook.sheets
        if etree.QName(root := parse_xml(workbook.parts[part.part])).localname == "worksheet"
    ]
    texts = {sheet.part.name.casefold(): sheet.texts for sheet in sheets}
    return tuple(
        Grid(
            sheet_name=sheet.part.name,
            texts=sheet.texts,
            formulas=sheet.formulas,
            merges=sheet.merges,
            validations=tuple(_validation(rule, sheet.part.name, texts, workbook) for rule in sheet.rules),
            hidden=sheet.part.hidden,
        )
        for sheet in sheets
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
    return Area(
        int(top) if top else 1,
        column_number(left) if left else 1,
        int(bottom) if bottom else _LAST_ROW,
        column_number(right) if right else _LAST_COLUMN,
    )


def _read_sheet(workbook: Workbook, part: SheetPart, root: Any) -> _Sheet:
    texts: Texts = {}
    formulas = set()
    for row_number, row in numbered_rows(root):
        for column, cell in numbered_cells(row):
            if cell.find("{*}f") is not None:
                formulas.add((row_number, column))
            if (text := _cell_text(cell, workbook.shared_strings)).strip():
                texts.setdefault(row_number, {})[column] = text
    merged = (parse_area(element.get("ref", "")) for element in root.iterfind("{*}mergeCells/{*}mergeCell"))
    merges = by_row(merged, max(texts, default=0))
    rules = tuple(_rule(element) for element in root.iter("{*}dataValidation"))
    return _Sheet(part, texts, frozenset(formulas), merges, rules)


def _cell_text(cell: Any, shared_strings: tuple[str, ...]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find("{*}is")
        return string_text(inline) if inline is not None else ""
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


def _rule(element: Any) -> _Rule:
    # The x14 form has the range and the formulas in child elements, the plain one in attribute and text.
    squares = element.get("sqref") or element.findtext("{*}sqref") or ""
    found = (element.find(f"{{*}}formula{number}") for number in (1, 2))
    formulas = tuple("".join(formula.itertext()) for formula in found if formula is not None)
    areas = tuple(parse_area(square) for square in squares.split())
    prompt = " ".join(filter(None, (element.get("promptTitle"), element.get("prompt"))))
    return _Rule(areas, element.get("type", "none"), element.get("operator", "between"), formulas, prompt)


def _validation(rule: _Rule, sheet: str, texts: Mapping[str, Texts], workbook: Workbook) -> Validation:
    if rule.kind == "list" and rule.formulas:
        return Validation(rule.areas, _choices(rule.formulas[0], sheet, texts, workbook), prompt=rule.prompt)
    if rule.kind == "textLength" and rule.operator in ("between", "lessThan", "lessThanOrEqual", "equal"):
        limit = rule.formulas[-1].strip() if rule.formulas else ""
        if limit.isdigit():
            most = int(limit) - (rule.operator == "lessThan")
            return Validation(rule.areas, max_characters=most, prompt=rule.prompt)
    return Validation(rule.areas, prompt=rule.prompt)


def _choices(
    formula: str, sheet: str, texts: Mapping[str, Texts], workbook: Workbook, depth: int = 0
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
