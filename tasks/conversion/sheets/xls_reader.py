"""Reader of Excel 97 to 2003 workbooks, and of 5 and 95 (adapter to xlrd): rows of cells as text."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tasks.conversion.sheets.number_formats import cell_text
from tasks.conversion.sheets.reader import Sheet
from tasks.conversion.sheets.visible_cells import Hidden, Merged, visible_rows
from tasks.errors import ConversionError
from tasks.spreadsheets.row import SheetRow, trimmed
from tasks.text.characters import decode_text

_FILTER = "_FilterDatabase"


def read_xls(file_name: str, data: bytes) -> tuple[list[Sheet], str]:
    """Read every visible sheet of cells, with the values last computed; and the workbook's title.

    Hidden sheets, rows and columns are left out, and chart and macro sheets. Raises
    ConversionError where it is encrypted; for a damaged file, whatever xlrd raises.
    """
    import xlrd

    try:
        # The formats tell a percentage from a number. xlrd prints its warnings unless given a log file.
        book = xlrd.open_workbook(
            file_contents=data, formatting_info=True, ragged_rows=True, on_demand=True, logfile=io.StringIO()
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise ConversionError(f"{file_name}: encrypted; save it without its password") from error
        raise
    sheets = []
    for index, name in enumerate(book.sheet_names()):
        sheet = book.sheet_by_index(index)
        if sheet.visibility == 0:
            sheets.append(Sheet(name, _rows(book, sheet, index)))
        book.unload_sheet(index)
    return sheets, _title(data)


def _rows(book: Any, sheet: Any, at: int) -> list[SheetRow]:
    rows: list[SheetRow] = []
    looks: list[int] = []
    for index in range(sheet.nrows):
        row = sheet.row(index)
        styles = [_style(book, cell) for cell in row]
        struck = [
            cell.value != "" and style is not None and _strikes(book, style.font_index)
            for cell, style in zip(row, styles, strict=True)
        ]
        runs = [sheet.rich_text_runlist_map.get((index, at), ()) for at in range(len(row))]
        cells = trimmed(
            ["" if gone else _text(book, cell, said) for cell, gone, said in zip(row, struck, runs, strict=True)]
        )
        if cells:
            rows.append(SheetRow(index + 1, cells, any(struck)))
            looks.append(next(cell.xf_index or 0 for cell, said in zip(row, cells, strict=False) if said))
    merged = [Merged(first + 1, past, column, end - 1) for first, past, column, end in sheet.merged_cells]
    return visible_rows(rows, looks, merged, _hidden(book, sheet, at))


def _hidden(book: Any, sheet: Any, at: int) -> Hidden:
    # The file format does not mark rows that a filter hides: where there is a filter, all rows are read.
    is_filtered = any(name.name == _FILTER and name.scope == at for name in book.name_obj_list)
    rows, columns = (
        frozenset(index for index, info in found.items() if info.hidden and not info.outline_level)
        for found in (sheet.rowinfo_map, sheet.colinfo_map)
    )
    return Hidden(frozenset() if is_filtered else frozenset(row + 1 for row in rows), columns)


def _strikes(book: Any, font: int) -> bool:
    return font < len(book.font_list) and bool(book.font_list[font].struck_out)


def _unstruck(book: Any, text: str, runs: Sequence[tuple[int, int]]) -> str:
    """The text without its struck-out parts: each of ``runs`` has a font, and begins where the one before ends."""
    starts = [0, *(at for at, _ in runs), len(text)]
    gone = [False, *(_strikes(book, font) for _, font in runs)]
    return "".join(text[at:end] for (at, end), left_out in zip(pairwise(starts), gone, strict=True) if not left_out)


def _text(book: Any, cell: Any, runs: Sequence[tuple[int, int]]) -> str:
    import xlrd

    match cell.ctype:
        case xlrd.XL_CELL_EMPTY | xlrd.XL_CELL_BLANK:
            return ""
        case xlrd.XL_CELL_TEXT:
            return cell_text(_unstruck(book, cell.value, runs))
        case xlrd.XL_CELL_BOOLEAN:
            return cell_text(bool(cell.value))
        case xlrd.XL_CELL_ERROR:
            return str(xlrd.error_text_from_code.get(cell.value, "#ERROR!"))
        case xlrd.XL_CELL_DATE:
            return cell_text(_moment(cell.value, book.datemode), _format(book, cell))
        case _:
            return cell_text(cell.value, _format(book, cell))


def _moment(value: float, datemode: int) -> dt.datetime | dt.time | float:
    """A date and time, or a time of day alone; the number itself where it is out of the calendar."""
    import xlrd

    try:
        moment: dt.datetime = xlrd.xldate_as_datetime(value, datemode)
    except (OverflowError, ValueError):
        return value
    # xlrd gives milliseconds; a sheet shows none.
    moment = (moment + dt.timedelta(microseconds=500_000)).replace(microsecond=0)
    return moment.time() if 0 < value < 1 else moment


def _format(book: Any, cell: Any) -> str:
    style = _style(book, cell)
    found = None if style is None else book.format_map.get(style.format_key)
    return str(found.format_str) if found is not None else ""


def _style(book: Any, cell: Any) -> Any:
    is_known = cell.xf_index is not None and cell.xf_index < len(book.xf_list)
    return book.xf_list[cell.xf_index] if is_known else None


def _title(data: bytes) -> str:
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as package:
        try:
            title = package.get_metadata().title or b""
        except Exception:
            # Broken properties leave the workbook readable.
            return ""
    return title if isinstance(title, str) else decode_text(title).text.strip("\x00")
