"""Comparison of the questions that are found in a file with those that it has, by sheet and text of the cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tasks.questionnaires.formats.load_grids import load_grids
from tasks.questionnaires.reading.layout import Questionnaire, QuestionRow, SheetLayout
from tasks.spreadsheets.row import column_letters


class Compared(NamedTuple):
    """The questions in both, those found alone, those missed, and those whose answer goes elsewhere."""

    right: int
    wrong: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]
    misplaced: tuple[tuple[str, str], ...]


def compared(data: bytes, read: Questionnaire, expected: Iterable[tuple[str, str, str]]) -> Compared:
    """Compare what was ``read`` of the workbook ``data`` with sheet, text and answer cell of each question."""
    grids = {grid.sheet_name: grid for grid in load_grids(data, read.file_name)}
    rows = {question.question_id: question.row_number for question in read.questions}
    found: dict[tuple[str, str], str] = {}
    for sheet in read.sheets:
        for row in sheet.rows:
            first, _ = read.asked_in(row.question_id)[0]
            text = grids[sheet.sheet_name].text(rows[first] or 0, sheet.question_column)
            found[(sheet.sheet_name or "", _plain(text))] = answer_cell(sheet, row)
    wanted = {(sheet, _plain(text)): cell for sheet, text, cell in expected}
    both = found.keys() & wanted.keys()
    return Compared(
        len(both),
        tuple(sorted(found.keys() - wanted.keys())),
        tuple(sorted(wanted.keys() - found.keys())),
        tuple(sorted(key for key in both if found[key] != wanted[key])),
    )


def answer_cell(sheet: SheetLayout, row: QuestionRow) -> str:
    """The name of the cell for the answer, or for the first verdict; "" without one."""
    cell = sheet.answer_cell(row)
    if sheet.verdict_columns:
        cell = (row.row_number, sheet.verdict_columns[0].column)
    return f"{column_letters(cell[1])}{cell[0]}" if cell else ""


def _plain(text: str) -> str:
    return " ".join(text.split())
