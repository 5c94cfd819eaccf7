"""Search for the tables of questions in all sheets of a file: which are the supplier's, and which are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Area, Grid
from tasks.questionnaires.reading.cards import read_cards
from tasks.questionnaires.reading.headerless import columns_without_header, read_boxes, read_ending_in_labels
from tasks.questionnaires.reading.labelled import LabelMap, read_labelled
from tasks.questionnaires.reading.layout import SheetLayout
from tasks.questionnaires.reading.mapping import (
    QuestionnaireMap,
    SheetMap,
    check_sheets,
    mapped_tables,
    with_question_column,
)
from tasks.questionnaires.reading.not_for_supplier import Read, is_told, normal, reason_to_skip
from tasks.questionnaires.reading.sections import AskedRow, asked_rows
from tasks.questionnaires.reading.sheet_layouts import ReadSheet, lay_out, read_company_details
from tasks.questionnaires.reading.stacked import read_stacked
from tasks.questionnaires.reading.tables import LAST_COLUMN, LAST_ROW, Table, find_tables
from tasks.spreadsheets.row import column_letters

HIDDEN = "it is hidden"
NO_QUESTIONS = "it has no questions"
REVIEW_COLUMNS = 5
"""The columns that an inline fill may add behind each of two tables side by side."""


class Found(NamedTuple):
    """The tables of a file, in reading order; the sheets left out, with the reasons; and what a person should see."""

    sheets: tuple[ReadSheet, ...]
    skipped: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def find_sheets(grids: Sequence[Grid], file_name: str, given: QuestionnaireMap | None, question_column: str) -> Found:
    """Find the tables of questions in the visible sheets; none where there are none.

    If there are any others, a sheet with all its answers below their questions is left out: customers add other
    bidders' questions to their own. Raises UsageError for a map or a column that does not fit the file.
    """
    wanted = given or QuestionnaireMap(sheets={})
    check_sheets(wanted, grids, file_name)
    found = _find(grids, file_name, wanted, question_column, heeds=True)
    if any(sheet.rows for sheet in found.sheets):
        return found
    # A confidential questionnaire may say "internal use only" in its own first rows.
    told = [
        f"sheet {name!r}: {reason}; it is read all the same, as no other has questions"
        for name, reason in found.skipped
        if is_told(reason)
    ]
    return (
        _find(grids, file_name, wanted, question_column, heeds=False)._replace(warnings=tuple(told)) if told else found
    )


def _find(
    grids: Sequence[Grid], file_name: str, wanted: QuestionnaireMap, question_column: str, *, heeds: bool
) -> Found:
    """The tables of the sheets; without ``heeds``, of those as well whose first rows say not to fill them in."""
    sheets: list[ReadSheet] = []
    skipped: list[tuple[str, str]] = []
    warnings: list[str] = []
    asked: set[str] = set()
    for grid in grids:
        name = grid.sheet_name or ""
        if grid.hidden and name not in wanted.sheets:
            skipped.append((name, HIDDEN))
            continue
        read, reason = _read_sheet(grid, file_name, wanted.of(grid.sheet_name), question_column, asked, heeds=heeds)
        if reason:
            skipped.append((name, reason))
            if is_told(reason):
                warnings.append(f"sheet {name!r} is left out: {reason}. If it is yours to fill in, name it in a --map")
        asked |= {normal(row.text) for sheet in read for row in sheet.rows}
        sheets += read
        warnings += _warnings(grid, read)
    if not any(sheet.rows for sheet in sheets) and not question_column:
        empty = {name for name, reason in skipped if reason == NO_QUESTIONS}
        empty |= {sheet.layout.sheet_name or "" for sheet in sheets}
        headless, more = _without_headers([grid for grid in grids if (grid.sheet_name or "") in empty])
        sheets += headless
        warnings += more
        skipped = [one for one in skipped if one[0] not in {sheet.layout.sheet_name or "" for sheet in sheets}]
    elif not sheets:
        raise UsageError(
            f"{file_name}: --question-column {question_column}: no sheet has a question in that column. Give the "
            "letter of the column that holds the questions, or its title."
        )
    return Found(tuple(_still_open(sheets)), tuple(skipped), tuple(dict.fromkeys(warnings)))


def _still_open(sheets: Sequence[ReadSheet]) -> Sequence[ReadSheet]:
    open_ = [one for one in sheets if not one.layout.is_stacked or len(one.layout.answered_rows) < len(one.rows)]
    return open_ if any(one.rows for one in open_) else sheets


def _read_sheet(
    grid: Grid, file_name: str, given: SheetMap, question_column: str, asked: set[str], *, heeds: bool
) -> tuple[list[ReadSheet], str | None]:
    """The tables of a sheet, and the reason why it is left out where it is."""
    if given == "skip":
        return [], "the map skips it"
    shown = grid.visible()
    if isinstance(given, LabelMap):
        return [read_labelled(shown, given, file_name)], None
    if not isinstance(given, str):
        tables = mapped_tables(given, shown, file_name)
        return [*_details(shown, tables), *(_table(grid, table, is_given=True) for table in tables)], None
    if question_column:
        tables = with_question_column(shown, question_column, find_tables(shown))
        read = [_table(grid, table, is_given=True) for table in tables]
        return [one for one in read if one.rows], None
    if whole := _whole_sheet(shown):
        return [whole], None
    read, reasons, asking = [], [], []
    tables = find_tables(shown)
    top = min((table.columns.header_row for table in tables), default=0)
    for at, table in enumerate(tables):
        one = _table(grid, table)
        if not one.rows and not (one.layout.facts and one.answer_title):
            continue
        asking.append(table)
        reason = reason_to_skip(Read(shown, table.columns, one.rows, top), asked)
        if reason and (heeds or not is_told(reason)):
            reasons.append(reason)
        else:
            beside = sum(other.columns.header_row == table.columns.header_row for other in tables[:at])
            last = one.layout.last_column + beside * REVIEW_COLUMNS
            read.append(one._replace(layout=replace(one.layout, last_column=last)))
    if reasons and not read:
        return [], reasons[0]
    read = [*_details(shown, asking), *read]
    return read, None if read else NO_QUESTIONS


def _details(grid: Grid, tables: Sequence[Table]) -> list[ReadSheet]:
    """The company's details that are asked for above a sheet's tables, or on a sheet without any."""
    top = min((table.columns.header_row for table in tables), default=LAST_ROW + 1)
    above = grid.part(Area(1, 1, top - 1, LAST_COLUMN))
    return [ReadSheet(layout, ()) for layout in read_company_details(above)]


def _whole_sheet(grid: Grid) -> ReadSheet | None:
    """A sheet whose answers stand below their questions, or beside their labels; None for any other."""
    if cards := read_cards(grid):
        return ReadSheet(*cards)
    readers: tuple[Callable[[Grid], tuple[SheetLayout, tuple[AskedRow, ...]] | None], ...]
    readers = (read_stacked, read_ending_in_labels, read_boxes)
    found = next(filter(None, (read(grid) for read in readers)), None)
    return ReadSheet(*found) if found else None


def _table(grid: Grid, table: Table, *, is_given: bool = False) -> ReadSheet:
    rows = tuple(asked_rows(table.grid, table.columns, table.title))
    return lay_out(grid, table.columns, rows, is_given=is_given)


def _without_headers(grids: Sequence[Grid]) -> tuple[list[ReadSheet], list[str]]:
    """The sheets with a column that surely holds questions, though no header says so, and a warning for each."""
    sheets, warnings = [], []
    for grid in grids:
        shown = grid.visible()
        columns = columns_without_header(shown)
        if columns is None:
            continue
        read = _table(grid, Table(shown, columns))
        where = f"sheet {grid.sheet_name!r}" if grid.sheet_name else "the file"
        warnings.append(
            f"{where} has no header: column {column_letters(columns.question)} was taken for the questions "
            f"({len(read.rows)}), and column {column_letters(columns.answer or 0)} for the answers. If that is wrong, "
            "name the column with --question-column, or all columns with --map"
        )
        sheets.append(read)
    return sheets, warnings


def _warnings(grid: Grid, read: Sequence[ReadSheet]) -> list[str]:
    found: list[str] = []
    if not read:
        return found
    where = f"sheet {grid.sheet_name!r}" if grid.sheet_name else "the file"
    columns = {sheet.layout.question_column for sheet in read}
    unsaved = sum(column in columns for _, column in grid.unsaved)
    if unsaved:
        found.append(
            f"{where}: {unsaved} question texts are formulas whose values the file does not have. Open it in Excel or "
            "LibreOffice, save it, and run the command again"
        )
    found += _links(grid, read, where)
    hidden = sum(row in grid.hidden_rows for row in grid.texts)
    if hidden:
        found.append(f"{where}: {hidden} hidden rows are not asked; unhide them to have them asked")
    return found


def _links(grid: Grid, read: Sequence[ReadSheet], where: str) -> Iterator[str]:
    """A warning for each other workbook that questions or the cells for their answers are read from by formula."""
    asked = {(row.row_number, sheet.layout.question_column) for sheet in read for row in sheet.rows}
    places = {grid.anchor(*cell) for sheet in read for row in sheet.layout.rows for cell in sheet.layout.cells_of(row)}
    for name in dict.fromkeys(grid.linked.values()):
        cells = {cell for cell, file in grid.linked.items() if file == name}
        counts = [(len(cells & asked), "question"), (len(cells & (places - asked)), "answer")]
        told = " and ".join(f"{count} {noun}{'s' if count > 1 else ''}" for count, noun in counts if count)
        verb = "comes" if sum(count for count, _ in counts) == 1 else "come"
        if told:
            yield (
                f"{where}: {told} {verb} by a link from another workbook, {name or 'without a name'}: the values that "
                "this file has saved are used, and the links stay. If they are out of date, open both in Excel, save "
                "this file, and run the command again"
            )
