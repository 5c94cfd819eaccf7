"""Workbooks, such as the questionnaires answered before, and their rendering as XLSX or CSV."""

# pyright: reportUnknownMemberType=false
# openpyxl is untyped, and the stubs that pyright brings for it leave some arguments open.

import csv
import io
from collections.abc import Iterator
from datetime import date
from pathlib import PurePath

import openpyxl
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from configs.demo.packages import seal
from configs.demo.passages import Passage, Place, Rendered
from configs.demo.yamls import Frozen, SourceError

_HEAD, _BAND = PatternFill("solid", fgColor="1D3557"), PatternFill("solid", fgColor="DCE6EC")
_THIN = Side(style="thin", color="C9D3DA")
_BOX = Border(left=_THIN, right=_THIN, top=_THIN, bottom=_THIN)
_WRAPPED = Alignment(wrap_text=True, vertical="top")


class Sheet(Frozen):
    """A sheet: rows above the table, its header, and its rows; a row of a single cell is a band across it.

    `dropdown` is the heading of a column with what can be chosen there. Without a header the sheet is text.
    """

    name: str
    widths_chars: tuple[float, ...]
    preamble: tuple[tuple[str, ...], ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    merge_bands: bool = False
    dropdown: tuple[str, tuple[str, ...]] | None = None

    @property
    def grid(self) -> tuple[tuple[str, ...], ...]:
        """All rows from the top of the sheet."""
        return (*self.preamble, *((self.header,) if self.header else ()), *self.rows)


class Workbook(Frozen):
    """A workbook and its properties; the suffix of `file` says what it is rendered as."""

    file: str
    title: str
    author: str
    date: date
    sheets: tuple[Sheet, ...]


def render(workbook: Workbook) -> Rendered:
    """The workbook as XLSX or CSV bytes, the same for the same workbook, and a passage for each row.

    Rows count from 1 as a spreadsheet shows them. Raises `SourceError` for a CSV of several sheets and for
    another suffix.
    """
    suffix = PurePath(workbook.file).suffix
    if suffix == ".xlsx":
        return Rendered(_xlsx(workbook), tuple(_passages(workbook, named=True)))
    if suffix == ".csv" and len(workbook.sheets) == 1:
        return Rendered(_csv(workbook.sheets[0]), tuple(_passages(workbook, named=False)))
    raise SourceError(f"{workbook.file}: a workbook is an .xlsx, or a .csv of one sheet")


def _passages(workbook: Workbook, *, named: bool) -> Iterator[Passage]:
    line = 0
    for sheet in workbook.sheets:
        for row, cells in enumerate(sheet.grid, 1):
            line += 1
            yield Passage(line, " | ".join(cells), Place(sheet=sheet.name if named else None, row=row))


def _csv(sheet: Sheet) -> bytes:
    """The sheet as UTF-8, every row as wide as the widest."""
    text = io.StringIO()
    width = max(map(len, sheet.grid))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([*row, *[""] * (width - len(row))] for row in sheet.grid)
    return text.getvalue().encode()


def _xlsx(workbook: Workbook) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.properties.title, book.properties.creator = workbook.title, workbook.author
    for sheet in workbook.sheets:
        _fill(book.create_sheet(sheet.name), sheet)
    buffer = io.BytesIO()
    book.save(buffer)
    return seal(buffer.getvalue(), workbook.date)


def _fill(page: Worksheet, sheet: Sheet) -> None:
    header_row = len(sheet.preamble) + 1
    for number, cells in enumerate(sheet.grid, 1):
        for column, text in enumerate(cells, 1):
            cell = page.cell(number, column, text or None)
            if text.startswith("="):
                cell.data_type = "s"  # text, not a formula
            cell.alignment = _WRAPPED if number >= header_row or not sheet.header else Alignment(vertical="top")
        if sheet.header and number >= header_row:
            _dress(page, number, cells, sheet, is_header=number == header_row)
    if sheet.preamble:
        page["A1"].font = Font("Calibri", 14, bold=True)
    for column, width in enumerate(sheet.widths_chars, 1):
        page.column_dimensions[get_column_letter(column)].width = width
    if sheet.header:
        page.freeze_panes = f"A{header_row + 1}"
        page.print_title_rows = f"{header_row}:{header_row}"
        page.page_setup.orientation, page.page_setup.fitToHeight = "landscape", 0
        page.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    if sheet.dropdown:
        heading, choices = sheet.dropdown
        letter = get_column_letter(sheet.header.index(heading) + 1)
        validation = DataValidation("list", formula1=f'"{",".join(choices)}"', allow_blank=True, showErrorMessage=True)
        validation.add(f"{letter}{header_row + 1}:{letter}{len(sheet.grid)}")
        page.add_data_validation(validation)


def _dress(page: Worksheet, number: int, cells: tuple[str, ...], sheet: Sheet, *, is_header: bool) -> None:
    """Colours and boxes a row of the table, and merges it where it is a band."""
    for column in range(1, len(sheet.header) + 1):
        cell = page.cell(number, column)
        cell.border = _BOX
        if is_header:
            cell.fill, cell.font = _HEAD, Font("Calibri", 11, bold=True, color="FFFFFF")
        elif len(cells) == 1:
            cell.fill, cell.font = _BAND, Font("Calibri", 11, bold=True)
    if len(cells) == 1 and sheet.merge_bands:
        page.merge_cells(start_row=number, end_row=number, start_column=1, end_column=len(sheet.header))
