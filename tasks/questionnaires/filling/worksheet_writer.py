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
    """Write the cells, at least one, into a worksheet, and declare columns of these widths.

    Every text is an inline string: it can be no formula, and the shared strings stay as they are. ``texts`` are the
    texts before; with ``wrapping``, the styles that wrap, they determine how tall a row must be.
    """
    cells = tuple(cells)
    root = parse_xml(xml)
    _number(root)
    rows = dict(numbered_rows(root))
    # Before any cell is written over.
    styles = {place: style for place in {cell.like for cell in cells if cell.like} if (style := _style(rows, *place))}
    shown: dict[int, dict[int, str]] = {}
    for cell in cells:
        row = rows.get(cell.row)
        if row is None:
            row = rows[cell.row] = _new_row(root, cell.row)
        _set_text(_cell(root, row, cell, styles.get(cell.like) if cell.like else None), cell.text)
        _stretch_row(row, cell.column)
        shown.setdefault(cell.row, dict(texts.get(cell.row, {})))[cell.column] = cell.text
    _stretch_dimension(root, cells)
    _set_widths(root, widths)
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
    row = etree.Element(_tag(root, "row"), r=str(number))
    data = root.find("{*}sheetData")
    data.insert(sum(other < number for other, _ in numbered_rows(root)), row)
    return row


def _cell(root: Any, row: Any, write: CellWrite, style: str | None) -> Any:
    cells = dict(numbered_cells(row))
    cell = cells.get(write.column)
    if cell is None:
        cell = etree.Element(_tag(root, "c"), r=f"{column_letters(write.column)}{write.row}")
        row.insert(sum(column < write.column for column in cells), cell)
        if write.like is None:
            style = _inherited_style(root, row, write.column)
    if style is not None:
        cell.set("s", style)
    return cell


def _inherited_style(root: Any, row: Any, column: int) -> str | None:
    """The style of a cell that is missing in the file: the row's, else the column's."""
    if row.get("customFormat") in ("1", "true"):
        return str(row.get("s")) if row.get("s") else None
    columns = root.iterfind("{*}cols/{*}col")
    return next((c.get("style") for c in columns if int(c.get("min")) <= column <= int(c.get("max"))), None)


def _set_text(cell: Any, text: str) -> None:
    # The cell's old value is removed, with its type and metadata (vm, cm point into the metadata part).
    was_boolean = cell.get("t") == "b"
    for child in list(cell.iterchildren("{*}v", "{*}is")):
        cell.remove(child)
    for name in ("t", "vm", "cm"):
        cell.attrib.pop(name, None)
    text = clean_text(text)
    if was_boolean and text in ("TRUE", "FALSE"):
        # A box that is shown for the value stays one.
        cell.set("t", "b")
        etree.SubElement(cell, _tag(cell, "v")).text = str(int(text == "TRUE"))
    elif text:
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
    rows = sorted((area.top, area.bottom, *(cell.row for cell in cells)))
    columns = sorted((area.left, area.right, *(cell.column for cell in cells)))
    dimension.set("ref", f"{column_letters(columns[0])}{rows[0]}:{column_letters(columns[-1])}{rows[-1]}")


def _set_widths(root: Any, widths: Mapping[int, float]) -> None:
    """Declare the new columns' widths, and show them where a hidden range of columns would cover them."""
    if not widths:
        return
    cols = root.find("{*}cols")
    if cols is None:
        cols = etree.Element(_tag(root, "cols"))
        root.find("{*}sheetData").addprevious(cols)
    for column, width in sorted(widths.items()):
        new = etree.SubElement(cols, _tag(root, "col"), min=str(column), max=str(column), width=f"{width:g}")
        for old in list(cols)[:-1]:
            first, last = int(old.get("min")), int(old.get("max"))
            if first <= column <= last:
                if old.get("style"):
                    new.set("style", old.get("style"))
                _split(old, first, last, column)
        new.set("customWidth", "1")
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
