"""Questionnaires with each answer below its question: how they are read, filled, read again, and by a refresh."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.review_columns import REVIEW_TITLES
from tasks.records import SourceFile

Make = Callable[..., bytes]
Rows = list[list[object]]
BACKUP, RTO, LOG = "Describe your backup policy.", "What is your recovery time objective?", "Is access logged?"


def form(first: str = "1.1", second: str = "1.2", labels: tuple[str, str] = ("Answer:", "Answer:")) -> Rows:
    return [
        ["Nordbank - due diligence questionnaire"],
        ["Backup"],
        [first, BACKUP],
        [labels[0], None],
        [second, RTO],
        [labels[1], None],
    ]


def cells(data: bytes, name: str | None = None) -> dict[str, object]:
    book = load_workbook(io.BytesIO(data))
    sheet = book[name] if name else book.active
    return {cell.coordinate: cell.value for row in sheet.iter_rows() for cell in row if cell.value not in (None, "")}


def answered(question_id: str, text: str) -> FilledAnswer:
    return FilledAnswer(question_id, "answered", text, "", None, "high", 0.9, "policy.pdf, p. 3")


def read_by_a_refresh(data: bytes) -> list[tuple[str, int | None, str]]:
    document = convert(SourceFile("past.xlsx", "", len(data), ""), data, unstructured_reader)
    return [(one.kind, one.row_number, one.text) for one in document.elements]


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        ("1.1", "1.2", ("Answer", "Answer")),
        ("Q1", "Q2", ("Response", "Response")),
        ("Question 1", "Question 2", ("Answer 1", "Answer 2")),
        ("Question:", "Question:", ("Answer:", "Answer:")),
    ],
)
def test_each_answer_goes_beside_its_label(make_sheet: Make, first: str, second: str, labels: tuple[str, str]) -> None:
    data = make_sheet(form(first, second, labels), names=("Security",))
    read = read_questionnaire(data, "q.xlsx")
    assert [(one.text, one.row_number, one.section) for one in read.questions] == [
        (BACKUP, 3, "Backup"),
        (RTO, 5, "Backup"),
    ]
    ids = [one.question_id for one in read.questions]
    full = fill_questionnaire(data, read, [answered(ids[0], "Daily, kept for 35 days."), answered(ids[1], "4 hours")])
    got = cells(full)
    assert (got["B4"], got["B6"]) == ("Daily, kept for 35 days.", "4 hours")
    assert [got[f"{column}3"] for column in "CDEF"] == list(REVIEW_TITLES)
    assert [got[f"{column}{row}"] for row in (4, 6) for column in "EF"] == ["policy.pdf, p. 3", "answered"] * 2
    untouched = {"A1", "A2", "A3", "B3", "A4", "A5", "B5", "A6"}
    assert {at: got[at] for at in untouched} == {at: value for at, value in cells(data).items() if at in untouched}


def test_an_answer_behind_the_last_column_is_not_written_over(make_sheet: Make) -> None:
    data = make_sheet([["1.", "Is data encrypted?"], ["", "Answer:"], [], ["2.", "Are logs kept?"], ["", "Answer:"]])
    read = read_questionnaire(data, "q.xlsx")
    answers = [FilledAnswer(one.question_id, "answered", "Yes. It is.", "", "yes") for one in read.questions]
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, answers))).active
    assert [sheet.cell(row, 3).value for row in (2, 5)] == ["Yes. It is.", "Yes. It is."]
    assert sheet.cell(2, 4).value == "yes"


def test_the_customer_s_numbers_are_the_questions_ids(make_sheet: Make) -> None:
    read = read_questionnaire(make_sheet(form()), "q.xlsx")
    assert [one.question_id for one in read.questions] == ["1.1", "1.2"]


def test_what_a_person_has_said_is_kept_and_a_second_fill_uses_the_same_columns(make_sheet: Make) -> None:
    rows = form()
    rows[3][1] = "Weekly, in Oslo."
    data = make_sheet(rows)
    once = fill_questionnaire(data, read_questionnaire(data, "q.xlsx"), [answered("1.2", "4 hours")])
    again = read_questionnaire(once, "q.xlsx")
    assert again.sheets[0].answered_rows == (4, 6)
    assert [(one.text, one.section) for one in again.questions] == [(BACKUP, "Backup"), (RTO, "Backup")]
    twice = cells(fill_questionnaire(once, again, [answered("1.1", "Daily"), answered("1.2", "8 hours")]))
    assert twice["B4"] == "Weekly, in Oslo." and twice["B6"] == "4 hours"
    assert [twice[f"{column}3"] for column in "CDEF"] == list(REVIEW_TITLES)
    assert twice["G3"] == "bidfolio answer" and (twice["G4"], twice["G6"]) == ("Daily", "8 hours")


def test_a_dropdown_and_a_merged_label() -> None:
    book = Workbook()
    sheet = book.active
    for texts in ([None, "Supplier form"], [None, "Q1", LOG], ["Answer"], [None, "Q2", RTO], ["Answer"]):
        sheet.append(texts)
    for number in (3, 5):
        sheet.merge_cells(start_row=number, end_row=number, start_column=1, end_column=2)
    choices = DataValidation("list", formula1='"Yes,No,Partially"')
    sheet.add_data_validation(choices)
    choices.add("C3")
    out = io.BytesIO()
    book.save(out)
    read = read_questionnaire(out.getvalue(), "q.xlsx")
    assert [one.kind for one in read.questions] == ["yes_no", "free_text"]
    yes = FilledAnswer("Q1", "answered", "Yes", "Each access is logged.", "yes", "high", 0.9)
    got = cells(fill_questionnaire(out.getvalue(), read, [yes, answered("Q2", "4 hours")]))
    assert (got["C3"], got["C5"]) == ("Yes", "4 hours")
    assert "Each access is logged." in got.values(), "what the dropdown cannot say is not lost"


def test_a_csv_file() -> None:
    data = f"Due diligence\n1.1,{BACKUP}\nAnswer:\n1.2,{RTO}\nAnswer:\n".encode()
    read = read_questionnaire(data, "q.csv")
    full = fill_questionnaire(data, read, [answered("1.1", "Daily"), answered("1.2", "4 hours")]).decode()
    lines = full.splitlines()
    assert lines[2].startswith("Answer:,Daily,") and lines[4].startswith("Answer:,4 hours,")
    assert "bidfolio status" in lines[1]


def test_what_others_have_asked_is_not_asked_again(make_sheet: Make) -> None:
    clarified: Rows = [
        ["Clarifications"],
        ["Q1", RTO],
        ["Answer", "See 4.2."],
        ["Q2", BACKUP],
        ["Answer", "As you like."],
    ]
    asked: Rows = [["Question", "Answer"], [LOG, None]]
    read = read_questionnaire(make_sheet(clarified, asked), "q.xlsx")
    assert [one.text for one in read.questions] == [LOG]
    alone = read_questionnaire(make_sheet(clarified), "q.xlsx")
    assert [one.text for one in alone.questions] == [RTO, BACKUP] and alone.sheets[0].answered_rows == (3, 5)
    both = read_questionnaire(make_sheet(form(), asked), "q.xlsx")
    assert [one.text for one in both.questions] == [BACKUP, RTO, LOG]


def test_labels_in_several_columns_each_have_their_answer_beside_them(make_sheet: Make) -> None:
    rows = form()
    rows[5] = [None, "Answer:", None]
    data = make_sheet(rows, names=("Security",))
    read = read_questionnaire(data, "q.xlsx")
    got = cells(fill_questionnaire(data, read, [answered("1.1", "Daily"), answered("1.2", "4 hours")]))
    assert (got["B4"], got["B6"], got["C6"]) == ("Daily", "Answer:", "4 hours")


def test_an_answer_below_its_question_is_read_with_all_its_lines(make_sheet: Make) -> None:
    beside: Rows = [
        *form()[:3],
        ["Answer:", "Daily:"],
        [None, "- of databases"],
        [None, "- of files, kept for 35 days."],
        [],
        *form()[4:5],
        ["Answer:", "4 hours\nat the latest"],
        ["Comments:", "For tier 1."],
    ]
    rows = read_completed(make_sheet(beside, names=("Security",)), "past.xlsx").rows
    assert [(one.row_number, one.question, one.answer) for one in rows] == [
        (3, BACKUP, "Daily:\n- of databases\n- of files, kept for 35 days."),
        (8, RTO, "4 hours\nat the latest\nFor tier 1."),
    ]
    completed = read_completed(make_sheet(form()), "past.xlsx")
    assert completed.rows == [] and sum(completed.left_out.values()) == 2


def test_an_answer_behind_its_label_in_one_cell_is_an_answer_and_is_kept(make_sheet: Make) -> None:
    rows: Rows = [["Security"], [BACKUP], ["Answer: Daily."], [RTO], ["Answer:"], [LOG], ["Answer: Yes. All of it."]]
    data = make_sheet(rows)
    read = read_questionnaire(data, "q.xlsx")
    assert read.sheets[0].answered_rows == (3, 7)
    got = cells(fill_questionnaire(data, read, [answered(one.question_id, "A draft.") for one in read.questions]))
    assert (got["A3"], got["A5"], got["A7"]) == ("Answer: Daily.", "Answer: A draft.", "Answer: Yes. All of it.")
    found = read_completed(data, "past.xlsx").rows
    assert [(one.row_number, one.verdict, one.answer) for one in found] == [
        (2, None, "Daily."),
        (6, "yes", "Yes. All of it."),
    ]


def test_drafts_are_no_evidence_and_what_is_approved_is(make_sheet: Make) -> None:
    data = make_sheet(form())
    read = read_questionnaire(data, "q.xlsx")
    full = fill_questionnaire(data, read, [answered("1.1", "Daily, kept for 35 days."), answered("1.2", "4 hours")])
    book = load_workbook(io.BytesIO(full))
    book.active["F6"] = "approved by J. Doe"
    out = io.BytesIO()
    book.save(out)
    assert read_by_a_refresh(out.getvalue())[-2:] == [
        ("question", 3, f"{BACKUP}\n1.1"),
        ("row", 5, f"{RTO}\nAnswer: 4 hours\n1.2"),
    ]
