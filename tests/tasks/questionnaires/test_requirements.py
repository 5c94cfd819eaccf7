"""Requirements: read as the questions that they stand for, and answered in the customer's words."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import fill_questionnaire
from tasks.questionnaires.reading.layout import Fill
from tasks.questionnaires.reading.legend import legend_of
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.requirements import as_question
from tasks.questions.wording import question_kind
from tests.made.questionnaires import answer_row, with_rule

Make = Callable[..., bytes]
KEY = "FC = Fully compliant, PC = Partially compliant, NC = Not compliant"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("The supplier shall encrypt backups.", "Do you encrypt backups?"),
        ("2.1 The supplier must be certified to ISO 27001.", "Are you certified to ISO 27001?"),
        ("Data must be stored in the EU.", "Is data stored in the EU?"),
        ("Backups are to be encrypted.", "Are backups encrypted?"),
        ("Vendor to provide evidence of insurance.", "Do you provide evidence of insurance?"),
        ("The solution shall support SAML.", "Does the solution support SAML?"),
        ("Contractors must be screened.", "Are contractors screened?"),
        ("Test data shall not be used in production.", "Is test data not used in production?"),
        ("MFA is required to be used by all staff.", "Is MFA used by all staff?"),
        ("The supplier shall describe its backups.", None),
        ("Must data be stored in the EU?", None),
        ("Describe how backups should be made.", None),
        ("Data retention", None),
        ("The office is to the north of the city.", None),
        ("", None),
    ],
)
def test_the_question_of_a_requirement(text: str, asked: str | None) -> None:
    assert as_question(text) == (text if asked is None else asked)
    assert question_kind(text, (), yes_no_header=False) == (
        "yes_no" if asked or text.startswith("Must") else "free_text"
    )


@pytest.mark.parametrize(
    ("title", "told", "words"),
    [
        ("Response", [f"Key: {KEY}"], "FC PC NC"),
        ("Compliance (Full / Partial / None)", [], "Full Partial None"),
        ("Compliant (Y/N)", [], "Y N"),
        ("Answer", ["Y: compliant; N: not compliant"], "Y N"),
        ("Rating (1-5)", ["1 = poor, 5 = very good"], ""),
        ("Answer (A/B/C)", [], ""),
        ("Answer", ["Please answer all questions by Friday."], ""),
    ],
)
def test_the_words_that_a_customer_gives(title: str, told: Sequence[str], words: str) -> None:
    assert " ".join(word.text for word in legend_of(title, told)) == words


@pytest.mark.parametrize(
    ("header", "rule", "above", "cells"),
    [
        (
            ["Compliance", "Comments"],
            "Fully compliant,Partially compliant,Not compliant",
            "",
            ["Fully compliant", "AES."],
        ),
        (["Response", "Comments"], "FC,PC,NC", KEY, ["FC", "AES."]),
        (["Response"], None, KEY, ["FC. AES."]),
        (["Compliant (Y/N)", "Remarks"], None, "", ["Y", "AES."]),
        (["Answer", "Comments"], "1,2,3,4,5", "", [None, "AES."]),
        (["Answer", "Comments"], "A,B,C", "", [None, "AES."]),
        (["Yes", "No", "N/A", "Notes"], None, "", ["x", None, None, "AES."]),
        (["Response"], None, "", ["Yes. AES."]),
    ],
    ids=["dropdown", "codes", "key alone", "letters", "scale", "grades", "crosses", "text"],
)
@pytest.mark.parametrize("fill", ["answered", "proposed"])
def test_a_yes_is_written_in_the_customers_words(
    make_sheet: Make, header: list[str], rule: str | None, above: str, cells: list[str | None], fill: Fill
) -> None:
    rows = [[above], ["Ref", "Requirement", *header], ["R1", "Data must be stored in the EU."], ["R2", "Keys."]]
    data = make_sheet(rows)
    if rule:
        data = with_rule(data, DataValidation("list", formula1=f'"{rule}"', sqref="C3:C4"))
    read = read_questionnaire(data, "q.xlsx")
    assert read.questions[0].kind == ("free_text" if rule in ("1,2,3,4,5", "A,B,C") else "yes_no")
    row = answer_row(read, "AES.")
    if fill == "proposed":
        row |= {"verdict": None, "status": "needs_review"}
    answer = filled_answer(read, "R1", [Given(row, [])], fill)
    after = fill_questionnaire(data, read, [answer])
    sheet = load_workbook(io.BytesIO(after)).active
    assert [cell.value for cell in sheet[3]][2 : 2 + len(header)] == cells
    if cells[0] is None and rule:
        status = sheet.cell(3, sheet.max_column).value
        asks = f"the answer column asks for one of {', '.join(rule.split(','))}: choose one"
        assert status == f"{row['status']}; {asks}"
    approved = load_workbook(io.BytesIO(after))
    approved.active.cell(3, approved.active.max_column).value = "approved"
    out = io.BytesIO()
    approved.save(out)
    if cells[0] is not None:
        (back,) = read_completed(out.getvalue(), "q.xlsx").rows
        assert back.verdict == "yes"


@pytest.mark.parametrize(("probability", "filled"), [(0.51, None), (0.7, "Yes")])
def test_a_proposal_is_filled_in_where_it_is_likely(make_sheet: Make, probability: float, filled: str | None) -> None:
    data = make_sheet([["Ref", "Question", "Answer", "Comments"], ["R1", "Is data kept in the EU?"], ["R2", "Keys?"]])
    data = with_rule(data, DataValidation("list", formula1='"Yes,No"', sqref="C2:C3"))
    read = read_questionnaire(data, "q.xlsx")
    proposed = {"verdict": None, "proposed_verdict": "yes", "verdict_probability": probability}
    row = answer_row(read, "In Dublin.") | proposed | {"status": "needs_review"}
    answer = filled_answer(read, "R1", [Given(row, [], filled_from=0.7)], "proposed")
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, [answer]))).active
    assert [sheet["C2"].value, sheet["D2"].value] == [filled, "In Dublin."]


def test_crosses_below_titles_of_their_own_leave_the_words_to_the_notes(make_sheet: Make) -> None:
    rows = [
        ["Cross one box."],
        ["Control", None, "Answer", None, None, "Notes"],
        ["ID", "Question", "Yes", "No", "N/A"],
    ]
    data = make_sheet([*rows, ["A.1", "Is data kept in the EU?"], ["A.2", "Are logs kept?"]])
    read = read_questionnaire(data, "q.xlsx")
    answer = filled_answer(read, "A.1", [Given(answer_row(read, "In Dublin.") | {"verdict": "no"}, [])])
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, [answer]))).active
    assert [cell.value for cell in sheet[4]][2:6] == [None, "x", None, "In Dublin."]


def test_without_a_word_for_it_a_partly_is_left_to_a_person(make_sheet: Make) -> None:
    data = make_sheet([["Ref", "Requirement", "Compliant (Y/N)", "Remarks"], ["R1", "Data must be kept in the EU."]])
    read = read_questionnaire(data, "q.xlsx")
    row = answer_row(read, "But for logs.") | {"verdict": "partial"}
    sheet = load_workbook(
        io.BytesIO(fill_questionnaire(data, read, [filled_answer(read, "R1", [Given(row, [])])]))
    ).active
    assert [cell.value for cell in sheet[2]][2:4] == [None, "But for logs."]
