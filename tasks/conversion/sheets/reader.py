"""Reader of workbooks (adapter to openpyxl) and of CSV files: rows of cells as text."""

from __future__ import annotations

import csv
import io
import re
import sys
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tasks.conversion.sheets.number_formats import cell_text, shapes_text
from tasks.conversion.sheets.text_boxes import TextBox, boxes_of
from tasks.conversion.sheets.visible_cells import hidden_in, merged_in, uncomputed_in, visible_rows
from tasks.errors import ConversionError
from tasks.spreadsheets.delimiters import find_delimiter, stated_delimiter
from tasks.spreadsheets.row import SheetRow, trimmed
from tasks.text.characters import clean_block

_VALUE = re.compile(rb"<(?:\w+:)?(?:v|is)[\s>]")
_ROW = re.compile(rb"<(?:\w+:)?row\b[^>]*?\sr=\"(\d+)\"")
_EMPTY_ROW = re.compile(
    rb"<(?P<p>(?:\w+:)?)row\b(?=[^>]*?\sr=\")[^>]*(?:/>|>(?:<(?P=p)c\b[^>]*(?:/>|></(?P=p)c>))*</(?P=p)row>)"
    rb"(?=\s*(?:</|<(?P=p)row\b[^>]*?\sr=\"))"
)
"""A row without a value, where it and the next state their numbers: without it, the rows after it keep theirs."""
_STRUCK_OUT = b"strike"
_STRUCK_RUN = re.compile(
    rb"<(?P<p>(?:\w+:)?)r>\s*<(?P=p)rPr>(?:(?!</(?P=p)rPr>).)*?<(?P=p)strike(?:\s+val=\"(?:1|true)\")?\s*/>.*?</(?P=p)r>",
    re.DOTALL,
)
"""A struck-out part of a cell's text."""
_MANY_BYTES = 1 << 22


class Sheet(NamedTuple):
    """A sheet's name, its rows that are not empty, and its text boxes.

    ``uncomputed`` is the number of visible formulas without a value in the file, None where it is unknown.
    """

    name: str
    rows: list[SheetRow]
    uncomputed: int | None = None
    boxes: Sequence[TextBox] = ()


class _Styles(NamedTuple):
    """Numbers of the cell styles that strike out the whole text, and the formats of those that change a text."""

    struck: frozenset[int]
    texts: Mapping[int, str]


def read_workbook(file_name: str, data: bytes) -> tuple[list[Sheet], str]:
    """Read every visible sheet of cells, with the values last computed; and the workbook's title.

    Hidden sheets, rows, columns and shapes are left out, so is struck-out text, and so are chart
    sheets, which hold no cells. A sheet is read down to its last row that holds a value, whatever its stated size:
    formatted empty rows cost next to nothing. Raises ConversionError where the workbook lists a sheet that is not in
    it, which openpyxl leaves out in silence.
    """
    from openpyxl.reader.excel import ExcelReader

    data = without_unread(data)

    with warnings.catch_warnings():
        # openpyxl warns of dropdowns and formats that it would lose on saving, but nothing is saved here.
        warnings.simplefilter("ignore", UserWarning)
        reader = ExcelReader(io.BytesIO(data), read_only=True, data_only=True)
        reader.read()
        workbook = reader.wb
        try:
            lost = [sheet.name for sheet, part in reader.parser.find_sheets() if part.target not in reader.valid_files]
            if lost:
                raise ConversionError(
                    f"{file_name}: damaged (it lacks the sheet {lost[0]!r}): open it in Excel and save it anew, or get "
                    "it again from where it is from"
                )
            seen = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
            styles = _styles(workbook)
            sheets = [_read_sheet(workbook, sheet, styles) for sheet in seen]
            return sheets, workbook.properties.title or ""
        finally:
            workbook.close()


def without_unread(data: bytes) -> bytes:
    """Remove from a workbook the text that is struck out within cells, and from large sheets the rows without a value;
    unchanged where there is neither.

    A parser takes as long for an empty row as for a full one, and a column that is formatted down to its end has a
    million.
    """
    changed: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        for part in old.infolist():
            if part.filename.startswith(("xl/worksheets/", "xl/sharedStrings")):
                raw = old.read(part)
                is_large = part.filename.startswith("xl/worksheets/") and part.file_size > _MANY_BYTES
                if is_large or _STRUCK_OUT in raw:
                    less = _EMPTY_ROW.sub(b"", raw) if is_large else raw
                    changed[part.filename] = _STRUCK_RUN.sub(b"", less) if _STRUCK_OUT in raw else less
        if not changed:
            return data
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as new:
            for part in old.infolist():
                new.writestr(part.filename, changed.get(part.filename) or old.read(part))
        return out.getvalue()


def read_csv(text: str) -> list[SheetRow]:
    """Read the records of ``text`` that are not empty, numbered from 1 as a spreadsheet numbers them.

    A first line that tells Excel the delimiter is counted and not read.
    """
    # A cell may be as long as the file: the module's own limit is 128 KB.
    csv.field_size_limit(sys.maxsize)
    rows: list[SheetRow] = []
    first = 2 if stated_delimiter(text) else 1
    for number, record in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=find_delimiter(text)), start=1):
        if not any(record) or number < first:
            continue
        cells = trimmed([clean_block(cell) if cell else "" for cell in record])
        if cells:
            rows.append(SheetRow(number, cells))
    return rows


def _styles(workbook: Any) -> _Styles:
    from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE

    fonts = {at for at, font in enumerate(workbook._fonts) if font.strike}
    own = enumerate(workbook._number_formats, start=BUILTIN_FORMATS_MAX_SIZE)
    formats = {at: form for at, form in (*BUILTIN_FORMATS.items(), *own) if shapes_text(form)}
    styles = list(enumerate(workbook._cell_styles))
    return _Styles(
        frozenset(at for at, style in styles if style.fontId in fonts),
        {at: formats[style.numFmtId] for at, style in styles if style.numFmtId in formats},
    )


def _read_sheet(workbook: Any, sheet: Any, styles: _Styles) -> Sheet:
    with workbook._archive.open(sheet._worksheet_path) as part:
        xml = part.read()
    last, merged, hidden = _last_row_with_value(xml), list(merged_in(xml)), hidden_in(xml)
    uncomputed = uncomputed_in(xml)
    partial = {row for row, _ in uncomputed}
    unseen = sum(row in hidden.rows or column in hidden.columns for row, column in uncomputed)
    del xml  # a large sheet's would stand beside all of its rows
    boxes = boxes_of(workbook._archive, sheet._worksheet_path, hidden)
    # A stated size of the whole sheet would fill every row up with 16,384 empty cells.
    sheet.reset_dimensions()
    rows: list[SheetRow] = []
    looks: list[int] = []
    for number, row in enumerate(() if last == 0 else sheet.iter_rows(max_row=last), start=1):
        is_struck = bool(styles.struck) and any(_is_struck(cell, styles) for cell in row)
        cells = trimmed(["" if is_struck and _is_struck(cell, styles) else _shown(cell, styles) for cell in row])
        if cells:
            rows.append(SheetRow(number, cells, number in partial or is_struck))
            looks.append(row[rows[-1].filled[0]]._style_id)
    return Sheet(sheet.title, visible_rows(rows, looks, merged, hidden), len(uncomputed) - unseen, boxes)


def _is_struck(cell: Any, styles: _Styles) -> bool:
    return cell.value is not None and cell._style_id in styles.struck


def _last_row_with_value(xml: bytes) -> int | None:
    """The number of the last row with a value; 0 where none has, None where the rows have no numbers."""
    end = max((found.start() for found in _VALUE.finditer(xml)), default=0)
    if end == 0:
        return 0
    numbers = _ROW.findall(xml, max(0, end - 2_000_000), end) or _ROW.findall(xml, 0, end)
    return int(numbers[-1]) if numbers else None


def _shown(cell: Any, styles: _Styles) -> str:
    value = cell.value
    # Looking a format up takes longer than reading the cell: only where the style has a format.
    if isinstance(value, str):
        return cell_text(value, styles.texts.get(cell._style_id, "") if styles.texts else "")
    return cell_text(value, "" if value is None else cell.number_format)
