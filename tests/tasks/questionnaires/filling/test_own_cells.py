"""A filled copy without review columns: answers stand in the customer's own cells, and all else is told beside."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.questionnaires.completed.completed_rows import DRAFTS, read_completed
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import Filled, FilledAnswer, fill_with_notes
from tasks.questionnaires.filling.placement import NO_CELL, WITHHELD
from tasks.questionnaires.reading.layout import Fill
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.records import Citation
from tests.made.questionnaires import answer_row, with_rule

Make = Callable[..., bytes]
ASKED = "Do you encrypt backups at rest?"
TEXT = "Keys are kept in an HSM."
YES = FilledAnswer("1", "answered", "Yes", TEXT, "yes")


def fill(data: bytes, *answers: FilledAnswer, name: str = "q.xlsx") -> Filled:
    return fill_with_notes(data, read_questionnaire(data, name), answers, review_columns=False)


def rows(data: bytes) -> list[list[object]]:
    return [[cell.value for cell in row] for row in load_workbook(io.BytesIO(data)).active]


def test_nothing_but_the_customers_cells_is_written(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Answer", "Comments"], [1, ASKED], [2, "Do you log access?"]])
    done = fill(data, YES, FilledAnswer("2", "declined", reason="no evidence"))
    assert rows(done.data) == [
        ["No.", "Question", "Answer", "Comments"], [1, ASKED, "Yes", TEXT], [2, "Do you log access?", None, None],
    ]  # fmt: skip
    assert (done.notes, done.unplaced, done.added, len(done.drafts)) == ({}, (), (), 1)


def test_a_csv_file_keeps_its_columns() -> None:
    data = f"No.;Question;Answer;Comments\n1;{ASKED};;\n".encode()
    done = fill(data, YES, name="q.csv")
    assert done.data.decode() == f"No.;Question;Answer;Comments\n1;{ASKED};Yes;{TEXT}\n"


@pytest.mark.parametrize(("titles", "column"), [(["No.", "Question"], 3), (["No.", "Question", None, "Mandatory"], 5)])
def test_a_sheet_without_any_place_gets_a_column_called_answer(
    titles: list[str | None], column: int, make_sheet: Make
) -> None:
    data = make_sheet([titles, [1, ASKED], [2, "Do you log access?"]])
    done = fill(data, FilledAnswer("1", "answered", f"Yes. {TEXT}", "", "yes"), FilledAnswer("2", "declined"))
    sheet = load_workbook(io.BytesIO(done.data)).active
    assert [sheet.cell(row, column).value for row in (1, 2, 3)] == ["Answer", f"Yes. {TEXT}", None]
    assert done.added == ("Sheet1",) and done.notes == {}
    assert read_questionnaire(done.data, "q.xlsx").sheets[0].answer_column == column


def test_comments_alone_are_the_place_for_answers(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Comments"], [1, ASKED]])
    done = fill(data, FilledAnswer("1", "answered", "Yes", TEXT, "yes"))
    assert rows(done.data)[1] == [1, ASKED, f"Yes. {TEXT}"]
    assert done.added == ()


def test_a_draft_without_a_cell_is_told_with_its_reason(make_sheet: Make) -> None:
    rule = DataValidation(type="list", formula1='"Yes,No"')
    rule.add("C2:C9")
    data = with_rule(make_sheet([["No.", "Question", "Answer"], [1, ASKED], [2, "Do you log access?"]]), rule)
    done = fill(data, FilledAnswer("1", "answered", "Partial", TEXT, "partial"), replace(YES, question_id="2"))
    assert [row[2] for row in rows(done.data)[1:]] == [None, "Yes"]
    assert (done.unplaced, len(done.drafts)) == (("1",), 1)
    assert done.notes == {"1": ("the answer column has no choice for this answer",), "2": (NO_CELL,)}


def test_a_text_that_is_too_long_for_its_cell_is_left_out_whole(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Answer (max. 20 characters)"], [1, "Describe your backups."]])
    done = fill(data, FilledAnswer("1", "answered", TEXT))
    assert rows(done.data)[1] == [1, "Describe your backups.", None]
    assert done.notes == {"1": (f"the answer cell takes 20 characters, and the text has {len(TEXT)}",)}
    assert done.unplaced == ("1",)


@pytest.mark.parametrize("text", ["x" * 32_768, "𝄞" * 16_384])
def test_a_text_that_no_cell_holds_is_left_out_whole(text: str, make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Answer"], [1, "Describe your backups."]])
    done = fill(data, FilledAnswer("1", "answered", text))
    assert rows(done.data)[1][2] is None and done.unplaced == ("1",)
    assert done.notes == {"1": (f"the answer cell takes 32767 characters, and the text has {len(text)}",)}


def test_review_columns_of_an_earlier_fill_are_kept_up_to_date(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Answer", "bidfolio status"], [1, ASKED, None, "declined: no evidence"]])
    done = fill(data, YES)
    assert rows(done.data)[1][2:4] == ["Yes", "answered"]


MARKS: list[tuple[list[list[object]], list[object]]] = [
    ([["No.", "Question", "Yes", "No", "N.A.", "Comments"], [1, ASKED]], ["x", None, None, TEXT]),
    ([["No.", "Question", "Yes", "No"], [1, ASKED]], ["x", None]),
    (
        [["#", "Question", "Yes", "No", "N/A", "Comments"], [0, "Have you an office?", None, "X"], [1, ASKED]],
        ["X", None, None, TEXT],
    ),
    ([["#", "Question", "Yes", "No", "N/A", "Comments"], [1, ASKED, "☐", "☐", "☐"]], ["☒", "☐", "☐", TEXT]),
    ([["Nr.", "Frage", "Ja", "Nein", "k.A.", "Bemerkung"], [1, ASKED]], ["x", None, None, TEXT]),
    (
        [["#", "Question", "Response", None, "Remarks"], [None, None, "Yes", "No", None], [1, ASKED]],
        ["x", None, TEXT],
    ),
]


@pytest.mark.parametrize(("sheet", "expected"), MARKS)
@pytest.mark.parametrize(("fill_in", "status"), [("answered", "answered"), ("proposed", "needs_review")])
def test_a_yes_is_marked_in_its_column_as_the_customer_marks(
    sheet: list[list[object]], expected: list[object], fill_in: Fill, status: str, make_sheet: Make
) -> None:
    data = make_sheet(sheet)
    read = read_questionnaire(data, "q.xlsx")
    question = next(one for one in read.questions if one.text == ASKED)
    row = answer_row(read, TEXT) | {"question_id": question.question_id, "status": status}
    if status == "needs_review":
        row["verdict"] = None
    done = fill(data, filled_answer(read, question.question_id, [Given(row, [])], fill_in))
    assert rows(done.data)[-1][2:] == expected
    assert done.unplaced == ()


def test_a_proposed_yes_is_not_marked_where_only_answers_are_filled_in(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Yes", "No", "Comments"], [1, ASKED]])
    read = read_questionnaire(data, "q.xlsx")
    row = answer_row(read, TEXT) | {"status": "needs_review", "verdict": None}
    done = fill(data, filled_answer(read, read.questions[0].question_id, [Given(row, [])]))
    assert rows(done.data)[1][2:] == [None, None, TEXT]


def test_a_mark_is_one_of_its_cells_dropdown(make_sheet: Make) -> None:
    rule = DataValidation(type="list", formula1='"-,✔"')
    rule.add("C2:D9")
    data = with_rule(make_sheet([["No.", "Question", "Yes", "No", "Comments"], [1, ASKED]]), rule)
    assert rows(fill(data, YES).data)[1][2:] == ["✔", None, TEXT]


def test_a_box_that_is_a_value_is_ticked_and_stays_one(make_sheet: Make) -> None:
    data = make_sheet(
        [
            ["No.", "Question", "Yes", "No", "Comments"],
            [1, ASKED, False, False],
            [2, "Do you log access?", True, False],
        ]
    )
    read = read_questionnaire(data, "q.xlsx")
    assert read.sheets[0].answered_rows == (3,)
    done = fill(data, YES)
    assert rows(done.data)[1][2:] == [True, False, TEXT]
    assert [row.verdict for row in read_completed(done.data, "q.xlsx").rows] == ["yes", "yes"]


def test_a_partial_answer_without_a_column_says_so_in_the_comment(make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Yes", "No", "Comments"], [1, ASKED]])
    done = fill(data, FilledAnswer("1", "answered", "Partial", TEXT, "partial"))
    assert rows(done.data)[1][2:] == [None, None, f"Partial. {TEXT}"]


def test_answers_below_their_questions_go_into_merged_cells() -> None:
    book, out = Workbook(), io.BytesIO()
    for line in (["1. " + ASKED], ["Answer:"], [None], ["2. Do you log access?"], ["Answer:"]):
        book.active.append(line)
    for row in (2, 5):
        book.active.merge_cells(start_row=row, end_row=row, start_column=2, end_column=4)
    book.save(out)
    read = read_questionnaire(out.getvalue(), "q.xlsx")
    answers = [FilledAnswer(one.question_id, "answered", f"Yes. {TEXT}") for one in read.questions]
    done = fill(out.getvalue(), *answers)
    assert [row[1] for row in rows(done.data)] == [None, f"Yes. {TEXT}", None, None, f"Yes. {TEXT}"]
    assert done.unplaced == ()


def test_drafts_are_known_again_until_a_person_changes_them(make_sheet: Make) -> None:
    data = make_sheet(
        [["No.", "Question", "Answer", "Comments"], [1, ASKED], [2, "Do you log access?"], [3, "Where are you?"]]
    )
    done = fill(
        data, YES, FilledAnswer("2", "answered", "Yes", "For a year."), FilledAnswer("3", "needs_review", "In Leeds.")
    )
    drafts = frozenset(done.drafts)
    book, out = load_workbook(io.BytesIO(done.data)), io.BytesIO()
    book.active["D3"] = "For two years."
    # Saved by another program, in another place.
    book.active.insert_rows(1)
    book.save(out)
    completed = read_completed(out.getvalue(), "past.xlsx", drafts)
    assert [row.answer for row in completed.rows] == ["For two years."]
    assert completed.left_out == {DRAFTS: 2}
    assert len(read_completed(out.getvalue(), "past.xlsx").rows) == 3


@pytest.mark.parametrize("text", ["=1+1", "-30 days", " spaced  out ", "two\nlines"])
def test_drafts_of_a_csv_file_are_known_again(text: str) -> None:
    data = b"Ref,Question,Answer\n1,How long are logs kept?,\n"
    done = fill(data, FilledAnswer("1", "answered", text), name="q.csv")
    assert read_completed(done.data, "q.csv", frozenset(done.drafts)).left_out == {DRAFTS: 1}


@pytest.mark.parametrize(
    ("text", "cell", "comment"), [("We enforce\nMFA", "Yes", "We enforce\nMFA"), ("Yes", "Yes", None)]
)
def test_an_approved_answer_is_given_as_it_was_approved(
    text: str, cell: str, comment: str | None, make_sheet: Make
) -> None:
    data = make_sheet([["No.", "Question", "Yes/No", "Comments"], [1, ASKED]])
    read = read_questionnaire(data, "q.xlsx")
    place = Citation("d", "policy.pdf", "0", 22, "We enforce MFA", 0, 14)
    given = [Given(answer_row(read, text) | {"generator": "library"}, [place])]
    assert rows(fill(data, filled_answer(read, "1", given)).data)[1] == [1, ASKED, cell, comment]


@pytest.mark.parametrize("status", ["answered", "needs_review"])
def test_a_contradicted_draft_stays_out_of_the_customers_file(status: str, make_sheet: Make) -> None:
    data = make_sheet([["No.", "Question", "Answer", "Comments"], [1, ASKED]])
    read = read_questionnaire(data, "q.xlsx")
    row = answer_row(read, TEXT) | {"status": status, "is_withheld": True}
    answer = filled_answer(read, "1", [Given(row, [])], "proposed")
    done = fill(data, answer)
    assert rows(done.data)[1] == [1, ASKED, None, None]
    assert (done.notes, done.unplaced) == ({"1": (WITHHELD,)}, ())
    inline = fill_with_notes(data, read, [answer], review_columns=True)
    assert TEXT in rows(inline.data)[1], "the reviewer's own column has it"
    assert rows(inline.data)[1][:4] == [1, ASKED, None, None]
