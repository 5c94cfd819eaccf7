"""Forms after real questionnaires: the respondent's questions and no others are found, each with its answer's cell."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tests.made.form_layouts import FORMS, Form, public_tender_german, several_in_a_cell
from tests.made.found_questions import compared
from tests.made.university_questionnaire import EVALUATIONS, FACTS, expected_questions, university_questionnaire

LEAST = 0.98


@pytest.mark.parametrize("make", FORMS, ids=lambda make: make.__name__)
def test_a_form_s_questions_and_answer_cells(make: Callable[[], Form]) -> None:
    form = make()
    found = compared(form.data, read_questionnaire(form.data, "form.xlsx"), form.expected)
    assert (found.wrong, found.missed, found.misplaced) == ((), (), ())


def test_precision_and_recall_over_all_forms() -> None:
    forms = [make() for make in FORMS]
    found = [compared(form.data, read_questionnaire(form.data, "f.xlsx"), form.expected) for form in forms]
    right = sum(one.right for one in found)
    wrong, missed = (sum(map(len, texts)) for texts in zip(*((one.wrong, one.missed) for one in found), strict=True))
    assert right / (right + wrong) >= LEAST and right / (right + missed) >= LEAST


@pytest.fixture(scope="module")
def university() -> Questionnaire:
    return read_questionnaire(university_questionnaire(), "university.xlsx")


def test_all_questions_of_the_university_form_with_their_ids_and_sections(university: Questionnaire) -> None:
    found = [(one.sheet_name, one.question_id, one.text, one.section) for one in university.questions]
    assert found == expected_questions()


def test_each_section_has_its_own_columns(university: Questionnaire) -> None:
    product = [sheet for sheet in university.sheets if sheet.sheet_name == "Organization"]
    assert [sheet.comment_column for sheet in product] == [4, None, 4, 4, 4]
    assert {(sheet.id_column, sheet.question_column, sheet.answer_column) for sheet in university.sheets} == {(1, 2, 3)}
    assert {row.choices for sheet in product for row in sheet.rows} == {("Yes", "No", "N/A")}


def test_what_is_not_the_supplier_s_is_left_out_and_its_own_facts_are_no_questions(university: Questionnaire) -> None:
    skipped = dict(university.skipped)
    assert [skipped[name].partition(" '")[0] for name in EVALUATIONS] == ["its first rows say"] * 4
    assert skipped["Questions"] == skipped["Values"] == "it is hidden"
    assert [fact.label for sheet in university.sheets for fact in sheet.facts] == list(FACTS)


def test_marks_in_german_have_their_verdicts() -> None:
    (sheet,) = read_questionnaire(public_tender_german().data, "g.xlsx").sheets
    assert [one.verdict for one in sheet.verdict_columns] == ["yes", "no", "partial"]
    assert (sheet.comment_column, {row.question_id for row in sheet.rows}) == (6, {"1.1", "1.2", "1.3", "2.1", "2.2"})


def test_all_that_a_cell_asks_is_asked() -> None:
    read = read_questionnaire(several_in_a_cell().data, "s.xlsx")
    assert [one.question_id for one in read.questions[:6]] == ["1(1)", "1(2)", "1(3)", "2(1)", "2(2)", "2(3)"]
    assert read.questions[4].text == "Please describe your restore tests."
