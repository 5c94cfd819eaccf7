"""Maps of a questionnaire: a person's word on its columns, messages for a wrong one, and the map that is written."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from openpyxl import load_workbook

from tasks.errors import UsageError
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_with_notes
from tasks.questionnaires.formats.load_grids import load_grids
from tasks.questionnaires.inspection import found_columns, inspected, map_of, question_cells, view
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.mapping import parse_map
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tests.made.form_layouts import FORMS, Form, one_a_sheet, stacked
from tests.made.raw_workbooks import Cell, RawSheet, raw_workbook
from tests.made.university_questionnaire import university_questionnaire

ROWS: Sequence[Sequence[Cell]] = [
    ["Topics"],
    ["Topic", "Wording", "Given", "Remark of ours", "Ja", "Nein"],
    ["Logs", "Access logs", None, None, None, None],
    ["Keys", "Key rotation", None, None, None, None],
    ["Total", "Both", None, None, None, None],
]
DATA = raw_workbook(RawSheet("Odd", ROWS), RawSheet("Other", [["Question", "Answer"], ["Do you log access?"]]))
MAP = """
sheets:
  Odd:
    header_row: 2
    question: Wording
    section: A
    answer: Given
    comment: D
    last_row: 4
  Other: skip
"""


def read(text: str, data: bytes = DATA, name: str = "odd.xlsx") -> Questionnaire:
    return read_questionnaire(data, name, parse_map(text, "map.yaml"))


def test_a_map_names_columns_by_letter_or_title_and_skips_sheets() -> None:
    found = read(MAP)
    assert [(one.text, one.section) for one in found.questions] == [("Access logs", "Logs"), ("Key rotation", "Keys")]
    assert found.skipped == (("Other", "the map skips it"),)
    answers = [FilledAnswer(one.question_id, "answered", "Yes.", "See above.", None) for one in found.questions]
    sheet = load_workbook(io.BytesIO(fill_with_notes(DATA, found, answers, review_columns=False).data))["Odd"]
    assert [sheet[cell].value for cell in ("C3", "D3", "C4", "C5")] == ["Yes.", "See above.", "Yes.", None]
    assert {column.confidence for column in found_columns(load_grids(DATA, "o.xlsx")[0], found.sheets[0])} == {1.0}


def test_a_map_of_marks_and_of_several_tables() -> None:
    marks = "sheets: {Odd: {header_row: 2, question: B, verdicts: {yes: Ja, no: F}}, Other: detect}"
    sheet, other = read(marks).sheets
    assert [tuple(one) for one in sheet.verdict_columns] == [("yes", 5), ("no", 6)]
    assert other.sheet_name == "Other" and not other.is_given
    several = (
        "sheets: {Odd: [{header_row: 2, question: B, answer: C, last_row: 3}, {header_row: 3, question: A, answer: D}]}"
    )
    tables = [table for table in read(several).sheets if table.sheet_name == "Odd"]
    assert [[row.row_number for row in table.rows] for table in tables] == [[3], [4, 5]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sheets: [", "this is no YAML"),
        ("Odd: {}", "begins with 'sheets:'"),
        ("sheets: {Odd: {header_row: 2}}", "sheets.Odd.0.question is missing"),
        ("sheets: {Odd: {answer_label: Say, question: B}}", "question is no key of a sheet of labels: it has answer_"),
        ("sheets: {Odd: 7}", "sheets.Odd is a table with header_row and question, a list of such tables, labels"),
        ("sheets: {Odd: {header_row: 2, question: B, anser: C}}", "anser is no key of a table: it has header_row"),
        ("sheets: {Odd: {header_row: two, question: B}}", "sheets.Odd.0.header_row"),
        ("sheets: {Odd: leave}", "skip or detect"),
        ("sheets: {Old: skip}", "a sheet 'Old', and the file has none of that name: 'Odd', 'Other'"),
        ("sheets: {Odd: {header_row: 2, question: Frage}}", "question: 'Frage' is no title in row 2 .*B 'Wording'"),
        ("sheets: {Odd: {header_row: 2, question: G}}", "the column question: G has no text below row 2"),
    ],
)
def test_a_wrong_map_is_told_by_key_and_remedy(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(text)


def test_a_csv_file_is_mapped_by_a_star() -> None:
    data = b"Topic,Wording,Given\nLogs,Access logs,\nKeys,Key rotation,\n"
    found = read("sheets: {'*': {header_row: 1, question: B, answer: Given}}", data, "odd.csv")
    assert [one.text for one in found.questions] == ["Access logs", "Key rotation"]


def test_the_map_that_is_written_reads_the_same() -> None:
    for data in [make().data for make in FORMS] + [university_questionnaire()]:
        found = read_questionnaire(data, "f.xlsx")
        again = read(map_of(found, load_grids(data, "f.xlsx")), data, "f.xlsx")
        assert [one.text for one in again.questions] == [one.text for one in found.questions]
        places = [[(sheet.answer_cell(row), sheet.comment_cell(row)) for row in sheet.rows] for sheet in found.sheets]
        assert [
            [(sheet.answer_cell(row), sheet.comment_cell(row)) for row in sheet.rows] for sheet in again.sheets
        ] == places


def test_what_was_understood_is_reported_with_confidences() -> None:
    data = university_questionnaire()
    found, grids = read_questionnaire(data, "u.xlsx"), load_grids(data, "u.xlsx")
    report = inspected(found, grids)
    assert report["questions"] == 316 and len(report["skipped"]) == 7
    table = report["tables"][1]
    assert (table["sheet"], table["header_row"], table["questions"]) == ("Organization", 4, 9)
    assert [(one["role"], one["column"], one["title"]) for one in table["columns"]] == [
        ("question", "B", ""),
        ("id", "A", "Company Information"),
        ("answer", "C", "Answer"),
        ("comment", "D", "Additional Information"),
    ]
    assert all(0.7 < one["confidence"] < 1 for one in table["columns"])


def test_the_view_shows_the_first_rows_with_their_roles() -> None:
    rows: Sequence[Sequence[Cell]] = [["Security"], ["No.", "Question", "Answer"], ["1", "Do you log\naccess?"]]
    data = raw_workbook(RawSheet("S", rows))
    found = read_questionnaire(data, "s.xlsx")
    assert view(load_grids(data, "s.xlsx")[0], found.sheets, {}) == [
        (1, [("Security", ""), ("", ""), ("", "")]),
        (2, [("No.", "title"), ("Question", "title"), ("Answer", "title")]),
        (3, [("1", "id"), ("Do you log access?", "question"), ("", "answer")]),
    ]


STACKED: Sequence[Sequence[Cell]] = [
    ["Nordbank asks you"],
    ["A.1", "Do you log access?"],
    ["", "Our supplier says", None],
    ["", "Notes", None],
    ["A.2", "Who reads the logs?"],
    ["", "Our supplier says:", "The team on duty."],
]


def test_a_map_of_labels_finds_the_places_of_answers() -> None:
    data = raw_workbook(RawSheet("Talk", STACKED))
    labels = "sheets: {Talk: {answer_label: our supplier says, comment_label: Notes}}"
    found = read(labels, data)
    assert [(one.question_id, one.text) for one in found.questions] == [
        ("A.1", "Do you log access?"),
        ("A.2", "Who reads the logs?"),
    ]
    (sheet,) = found.sheets
    assert sheet.answered_rows == (6,) and [row.answer_at for row in sheet.rows] == [(3, 3), (6, 3)]
    answers = [FilledAnswer(one.question_id, "answered", "Yes", "Each one.", "yes") for one in found.questions]
    filled = load_workbook(io.BytesIO(fill_with_notes(data, found, answers, review_columns=False).data)).active
    assert [filled[cell].value for cell in ("C3", "C4", "C6")] == ["Yes", "Each one.", "The team on duty."]
    with pytest.raises(UsageError, match="no question was found with a label 'Reply' below it"):
        read("sheets: {Talk: {answer_label: Reply}}", data)


@pytest.mark.parametrize(
    ("rows", "place", "filled"),
    [
        (
            [["Ask: Do you log?"], ["Say:"], ["Ask: Who reads it?"], ["Say:"]],
            "behind",
            {"A2": "Say: Yes", "A4": "Say: Yes"},
        ),
        (
            [["Ask", "Do you log?"], ["Say"], [], ["Ask", "Who reads it?"], ["Say"], []],
            "below",
            {"A3": "Yes", "A6": "Yes"},
        ),
    ],
)
def test_an_answer_stands_where_the_map_says(
    rows: Sequence[Sequence[Cell]], place: str, filled: dict[str, str]
) -> None:
    data = raw_workbook(RawSheet("Talk", rows))
    found = read(f"sheets: {{Talk: {{answer_label: Say, question_label: Ask, answer_place: {place}}}}}", data)
    assert [one.text for one in found.questions] == ["Do you log?", "Who reads it?"]
    answers = [FilledAnswer(one.question_id, "answered", "Yes") for one in found.questions]
    sheet = load_workbook(io.BytesIO(fill_with_notes(data, found, answers, review_columns=False).data)).active
    assert {cell: sheet[cell].value for cell in filled} == filled


@pytest.mark.parametrize("make", [stacked, one_a_sheet])
def test_questions_apart_from_their_answers_are_seen_and_sure(make: Callable[[], Form]) -> None:
    data = make().data
    found, grids = read_questionnaire(data, "s.xlsx"), load_grids(data, "s.xlsx")
    sure = [one["confidence"] for table in inspected(found, grids)["tables"] for one in table["columns"]]
    assert sure and min(sure) > 0.8
    first = found.questions[0]
    grid = next(one for one in grids if one.sheet_name == first.sheet_name)
    shown = view(grid, found.sheets[:1], question_cells(found, grids))
    marked = [text for _, cells in shown for text, role in cells if role == "question"]
    assert marked and first.text in marked[0]


def test_a_cover_sheet_is_reported_with_its_facts() -> None:
    cover = RawSheet("Cover", [["Supplier details"], ["Company name", None], ["Website", None]])
    data = raw_workbook(cover, RawSheet("Q", [["Question", "Answer"], ["Do you log access?"]]))
    found, grids = read_questionnaire(data, "s.xlsx"), load_grids(data, "s.xlsx")
    table = inspected(found, grids)["tables"][0]
    assert (table["facts"], table["columns"]) == (["Company name", "Website"], [])
    again = read_questionnaire(data, "s.xlsx", parse_map(map_of(found, grids), "map.yaml"))
    assert [sheet.facts for sheet in again.sheets] == [sheet.facts for sheet in found.sheets]
