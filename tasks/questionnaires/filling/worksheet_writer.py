"""Writer of texts into worksheet XML that leaves all else as it is: styles, formulas, dropdowns, extensions."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from tasks.questionnaires.filling.placement import CellWrite
from tasks.questionnaires.filling.row_height import fit_rows
from tasks.questionnaires.formats.package import parse_xml
from tasks.questionnaires.formats.safe_cell_text import clean_text
from tasks.questionnaires.formats.worksheet_reader import numbered_cells, numbered_rows, parse_area
from tasks.spreadsheets.row import column_letters

_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def write_cells(
    xml: bytes,
    cells: Iterable[CellWrite],
    widths: Mapping[int, float],
    texts: Mapping[int, Mapping[int, str]],
    wrapping: frozenset[int],
) -> bytes:
    """Write the cells into a worksheet, and declare columns of these widths. No cells give the same bytes.

    Every text is an inline string: it can be no formula, and the shared strings stay as they are. ``texts`` are the
    texts before; with ``wrapping``, the styles that wrap, they determine how tall a row must be.
    """
    cells = tuple(cells)
    if not cells:
        return xml
    root = parse_xml(xml)
    _number(root)
    rows = dict(numbered_rows(root))
    styles = {like: _style(rows, *like) for like in {cell.like for cell in cells if cell.like}}
    for cell in cells:
        row = rows.get(cell.row)
        if row is None:
            row = rows[cell.row] = _new_row(root, cell.row)
        _set_text(_cell(root, row, cell, styles.get(cell.like) if cell.like else None), cell.text)
        _stretch_row(row, cell.column)
    _stretch_dimension(root, cells)
    _set_widths(root, widths)
    shown = {row: dict(texts.get(row, {})) for row in {cell.row for cell in cells}}
    for cell in cells:
        shown[cell.row][cell.column] = cell.text
    fit_rows(root, {row: rows[row] for row in shown}, shown, wrapping)
    standalone = root.getroottree().docinfo.standalone
    return bytes(etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8", standalone=standalone))


def _style(rows: Mapping[int, Any], row: int, column: int) -> str | None:
    cells = numbered_cells(rows[row]) if row in rows else ()
    return next((cell.get("s") for number, cell in cells if number == column), None)


def _number(root: Any) -> None:
    """Write out row and cell references that the file leaves implicit: an insertion would shift them."""
    for number, row in numbered_rows(root):
        if not row.get("r"):
            row.set("r", str(number))
        for column, cell in numbered_cells(row):
            if not cell.get("r"):
                cell.set("r", f"{column_letters(column)}{number}")


def _new_row(root: Any, number: int) -> Any:
    data = root.find("{*}sheetData")
    row = etree.Element(_tag(root, "row"), r=str(number))
    after = [element for n, element in numbered_rows(root) if n < number]
    if after:
        after[-1].addnext(row)
    else:
        data.insert(0, row)
    return row


def _cell(root: Any, row: Any, write: CellWrite, style: str | None) -> Any:
    before = None
    for column, cell in numbered_cells(row):
        if column == write.column:
            if style is not None:
                cell.set("s", style)
            return cell
        if column < write.column:
            before = cell
    cell = etree.Element(_tag(root, "c"), r=f"{column_letters(write.column)}{write.row}")
    if style is None and write.like is None:
        style = _inherited_style(root, row, write.column)
    if style is not None:
        cell.set("s", style)
    if before is None:
        row.insert(0, cell)
    else:
        before.addnext(cell)
    return cell


def _inherited_style(root: Any, row: Any, column: int) -> str | None:
    """The style of a cell that is missing in the file: the row's, else the column's."""
    if row.get("customFormat") in ("1", "true"):
        return str(row.get("s")) if row.get("s") else None
    columns = root.iterfind("{*}cols/{*}col")
    return next((c.get("style") for c in columns if int(c.get("min")) <= column <= int(c.get("max"))), None)


def _set_text(cell: Any, text: str) -> None:
    # The cell's old value is removed, with its type and metadata (vm, cm point into the metadata part).
    for child in list(cell):
        if isinstance(child.tag, str) and etree.QName(child).localname in ("v", "is"):
            cell.remove(child)
    for name in ("t", "vm", "cm"):
        cell.attrib.pop(name, None)
    text = clean_text(text)
    if text:
        cell.set("t", "inlineStr")
        inline = etree.Element(_tag(cell, "is"))
        holder = etree.SubElement(inline, _tag(cell, "t"))
        holder.set(_XML_SPACE, "preserve")
        # "_x000D_" in a cell means the character of that number.
        holder.text = _LOOKS_ESCAPED.sub("_x005F_", text)
        cell.insert(0, inline)


def _stretch_row(row: Any, column: int) -> None:
    spans = [int(n) for n in re.findall(r"\d+", row.get("spans", ""))]
    if spans:
        row.set("spans", f"{min(*spans, column)}:{max(*spans, column)}")


def _stretch_dimension(root: Any, cells: Iterable[CellWrite]) -> None:
    dimension = root.find("{*}dimension")
    if dimension is None:
        return
    area = parse_area(dimension.get("ref", "A1"))
    places = [(cell.row, cell.column) for cell in cells]
    top, bottom = min(area.top, *(r for r, _ in places)), max(area.bottom, *(r for r, _ in places))
    left, right = min(area.left, *(c for _, c in places)), max(area.right, *(c for _, c in places))
    dimension.set("ref", f"{column_letters(left)}{top}:{column_letters(right)}{bottom}")


def _set_widths(root: Any, widths: Mapping[int, float]) -> None:
    """Declare the new columns' widths, and show them where a hidden range of columns would cover them."""
    if not widths:
        return
    cols = root.find("{*}cols")
    if cols is None:
        cols = etree.Element(_tag(root, "cols"))
        root.find("{*}sheetData").addprevious(cols)
    for column, width in sorted(widths.items()):
        styled: dict[str, str] = {}
        for old in list(cols):
            first, last = int(old.get("min")), int(old.get("max"))
            if first <= column <= last:
                styled = {"style": old.get("style")} if old.get("style") else {}
                _split(old, first, last, column)
        new = etree.SubElement(cols, _tag(root, "col"), min=str(column), max=str(column))
        for name, value in {"width": f"{width:g}", **styled, "customWidth": "1"}.items():
            new.set(name, value)
        cols[:] = sorted(cols, key=lambda col: int(col.get("min")))


def _split(old: Any, first: int, last: int, column: int) -> None:
    """Reduce a range of columns to its parts left and right of one column."""
    if column < last:
        right = copy.deepcopy(old)
        right.set("min", str(column + 1))
        old.addnext(right)
    if first < column:
        old.set("max", str(column - 1))
    else:
        old.getparent().remove(old)


def _tag(element: Any, name: str) -> str:
    return f"{{{etree.QName(element).namespace}}}{name}"
