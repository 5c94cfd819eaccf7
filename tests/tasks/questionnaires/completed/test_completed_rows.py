"""What a completed questionnaire answers, where it has answers of several times, drafts or marks."""

from __future__ import annotations

import io
from collections.abc import Sequence

import openpyxl
import pytest

from tasks.questionnaires.completed.completed_rows import AMBIGUOUS, UNANSWERED, read_completed
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire

ENCRYPT = "Do you encrypt data at rest?"
LOG = "Is access to data logged?"


def workbook(*rows: Sequence[str | int | None]) -> bytes:
    book = openpyxl.Workbook()
    for cells in rows:
        book.active.append(list(cells))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("other", "latest"),
    [
        ("Answer v1", "Answer v2"),
        ("2024 answer", "2025 answer"),
        ("Draft answer", "Answer"),
        ("Proposed answer", "Approved answer"),
        ("Last year's response", "Response"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_latest_answer_is_taken_and_filled(other: str, latest: str, is_first: bool) -> None:
    def row(old: str, new: str) -> list[str]:
        return [new, old] if is_first else [old, new]

    data = workbook(["Question", *row(other, latest)], [ENCRYPT, *row("No", "Yes")], [LOG, *row("No", "")])
    completed = read_completed(data, "past.xlsx")
    assert [(one.question, one.verdict, one.row_number) for one in completed.rows] == [(ENCRYPT, "yes", 2)]
    assert completed.left_out == {UNANSWERED: 1}
    (sheet,) = read_questionnaire(data, "past.xlsx").sheets
    assert sheet.answer_column == (2 if is_first else 3)


def test_a_draft_column_alone_is_still_there_to_be_filled() -> None:
    (sheet,) = read_questionnaire(workbook(["Question", "Draft answer"], [ENCRYPT, None], [LOG, None]), "a.xlsx").sheets
    assert sheet.answer_column == 2


def test_answers_to_the_first_question_are_no_second_row_of_the_header() -> None:
    data = workbook(["Question", "Answer", "Checked"], [ENCRYPT, "No", "Yes"], [LOG, "Yes", "Yes"])
    (sheet,) = read_questionnaire(data, "a.xlsx").sheets
    assert (sheet.answer_column, sheet.verdict_columns) == (2, ())


def test_a_row_with_two_marks_has_no_answer() -> None:
    data = workbook(
        ["Question", "Yes", "No", "Comments"],
        [ENCRYPT, "x", "x", "In one region."],
        [LOG, 0, 1, None],
        ["Are backups tested each quarter?", None, "No", None],
        ["Do you scan for weaknesses?", 0, 0, None],
    )
    completed = read_completed(data, "past.xlsx")
    assert [(one.verdict, one.row_number) for one in completed.rows] == [("no", 3), ("no", 4)]
    assert completed.left_out == {AMBIGUOUS: 1, UNANSWERED: 1}


def test_a_placeholder_is_no_answer_and_is_filled() -> None:
    data = workbook(
        ["Question", "Answer", "Comments"],
        [ENCRYPT, "TBD", "[enter response]"],
        [LOG, "N/A", "–"],
        ["Are backups tested each quarter?", "None", None],
    )
    completed = read_completed(data, "past.xlsx")
    assert [(one.row_number, one.verdict, one.answer) for one in completed.rows] == [
        (3, "not_applicable", None),
        (4, "no", None),
    ]
    assert completed.left_out == {UNANSWERED: 1}
    questionnaire = read_questionnaire(data, "a.xlsx")
    answer = FilledAnswer(questionnaire.questions[0].question_id, "answered", "Yes", "With AES-256.", "yes")
    filled = openpyxl.load_workbook(io.BytesIO(fill_questionnaire(data, questionnaire, [answer]))).active
    assert [cell.value for cell in filled[2]][1:3] == ["Yes", "With AES-256."]
