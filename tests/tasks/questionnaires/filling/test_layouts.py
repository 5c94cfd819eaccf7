"""Filling of questionnaires whose answer cells are known: every answer stands where its maker expects it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import fill_with_notes
from tasks.questionnaires.reading.read_questionnaire import load_grids, read_questionnaire
from tasks.spreadsheets.row import column_letters
from tests.made.questionnaire_layouts import MAKERS, Layout
from tests.made.questionnaires import answer_row


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_each_open_question_has_its_answer_in_its_own_cell(make: Callable[[], Layout]) -> None:
    layout = make()
    read = read_questionnaire(layout.data, layout.file_name)
    kinds = {one.question_id: one.kind for one in read.questions}
    answers = []
    for row in (row for sheet in read.sheets for row in sheet.rows if row.row_number not in sheet.answered_rows):
        given = []
        for question_id, mark in read.asked_in(row.question_id):
            told = answer_row(read, "Keys are kept in an HSM.") | {"question_id": question_id}
            if kinds[question_id] != "yes_no":
                told |= {"verdict": None, "proposed_verdict": None, "verdict_probability": None}
            given.append(Given(told, [], mark))
        answers.append(filled_answer(read, row.question_id, given))
    done = fill_with_notes(layout.data, read, answers, review_columns=False)
    written = cells_of(done.data, layout.file_name) - cells_of(layout.data, layout.file_name)
    places = {(sheet, cell) for sheet, cell, _ in written}
    asked = [one for one in layout.questions if not (one.given or one.ticked)]
    cells = [[(one.sheet, cell) for cell in (one.answer, one.comment, *one.verdicts.values()) if cell] for one in asked]
    lacking = [one for one, known in zip(asked, cells, strict=True) if known and places.isdisjoint(known)]
    assert [f"{one.sheet}!{one.row}" for one in lacking] == []
    assert asked and done.unplaced == ()


def cells_of(data: bytes, file_name: str) -> set[tuple[str, str, str]]:
    """The sheet, reference and text of each cell."""
    return {
        (grid.sheet_name or "", f"{column_letters(column)}{row}", text)
        for grid in load_grids(data, file_name)
        for row, cells in grid.texts.items()
        for column, text in cells.items()
    }
