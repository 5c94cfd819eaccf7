"""A column for a yes or no never gets a text: that goes to the comments, or beside, and a person says the word."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import FilledAnswer, fill_questionnaire
from tasks.questionnaires.filling.placement import NO_TEXT
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.review_columns import REVIEW_TITLES
from tasks.records import Citation
from tests.made.questionnaires import answer_row, with_rule

Make = Callable[..., bytes]
ASKED = ["Are backups encrypted?", "Within how many hours are customers notified?", "Is access logged?"]
TEXT = "Customers are notified within 48 hours of the discovery of a breach."


def rows_of(data: bytes) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in load_workbook(io.BytesIO(data)).active.iter_rows()]


def sheet(make_sheet: Make, *titles: str, filled: tuple[str, ...] = ()) -> bytes:
    answers = [*filled, *[None] * (len(ASKED) - len(filled))]
    return make_sheet([["Question", *titles], *([one, said] for one, said in zip(ASKED, answers, strict=True))])


@pytest.mark.parametrize(
    ("titles", "is_yes_no"),
    [
        (("Answer (Yes/No/Partial/N.A.)", "Comment (max 150 characters)"), True),
        (("Compliant (Y/N)", "Remarks"), True),
        (("Compliant?", "Comments"), True),
        (("Answer (Yes/No)",), True),
        (("Compliance",), False),
        (("Answer", "Comments"), False),
        (("Answer (Yes/No, please explain)",), False),
        (("Response (Y/N and details)",), False),
        (("Answer (Yes/No, max 500 characters)",), False),
    ],
)
def test_a_title_says_what_its_column_takes(make_sheet: Make, titles: tuple[str, ...], is_yes_no: bool) -> None:
    assert read_questionnaire(sheet(make_sheet, *titles), "q.xlsx").sheets[0].yes_no_only is is_yes_no


def test_other_answers_say_what_their_column_takes(make_sheet: Make) -> None:
    def read(*filled: str, titles: tuple[str, ...] = ("Answer", "Comments")) -> bool:
        return read_questionnaire(sheet(make_sheet, *titles, filled=filled), "q.xlsx").sheets[0].yes_no_only

    assert read("Yes", "N/A")
    assert not read("Yes", "Within two days.")
    assert not read("Yes")
    assert not read("Yes", "No", titles=("Answer",))


def test_dropdowns_and_guidance_say_what_their_column_takes(make_sheet: Make) -> None:
    plain = sheet(make_sheet, "Answer", "Comments")
    most = DataValidation("list", formula1='"Yes,No"', sqref="B2:B3")
    prompted = DataValidation("textLength", operator="lessThan", formula1="9", sqref="B2:B4")
    prompted.prompt = "Enter Yes, No or N/A"
    for rule in (most, prompted):
        assert read_questionnaire(with_rule(plain, rule), "q.xlsx").sheets[0].yes_no_only
    words = DataValidation("list", formula1='"High,Low"', sqref="B2:B4")
    assert not read_questionnaire(with_rule(plain, words), "q.xlsx").sheets[0].yes_no_only

    def below(guidance: str) -> bool:
        rows = [[guidance], ["Question", "Answer", "Comments"], *([one] for one in ASKED)]
        return read_questionnaire(make_sheet(rows), "q.xlsx").sheets[0].yes_no_only

    assert below("Put Yes, No or N/A in column B and explain your choice in column C.")
    assert not below("Answer in column B, in full sentences; a bare yes or no is not enough.")
    assert not below("Say yes or no, and describe how, in column B.")


def test_a_text_goes_to_the_comments_and_leaves_the_yes_or_no_to_a_person(make_sheet: Make) -> None:
    data = sheet(make_sheet, "Answer (Yes/No/Partial/N.A.)", "Comment (max 150 characters)")
    read = read_questionnaire(data, "q.xlsx")
    ids = [question.question_id for question in read.questions]
    answers = [
        FilledAnswer(ids[0], "answered", "Yes", "With AES-256.", "yes"),
        FilledAnswer(ids[1], "answered", TEXT),
        FilledAnswer(ids[2], "needs_review", "No. Only logins are.", "", "no"),
    ]
    found = rows_of(fill_questionnaire(data, read, answers))
    assert [row[1:3] for row in found[1:]] == [
        ["Yes", "With AES-256."],
        [None, TEXT],
        ["No", "No. Only logins are."],
    ]
    assert found[2][-1] == "answered", "the text has its place"


def test_without_comments_a_text_goes_beside(make_sheet: Make) -> None:
    data = sheet(make_sheet, "Answer (Yes/No)")
    read = read_questionnaire(data, "q.xlsx")
    found = rows_of(fill_questionnaire(data, read, [FilledAnswer(read.questions[1].question_id, "answered", "", TEXT)]))
    assert found[0][2:] == ["bidfolio answer", *REVIEW_TITLES]
    assert found[2][1:3] == [None, TEXT] and found[2][-1] == f"answered; {NO_TEXT}"


def shown(read: Questionnaire, row: dict[str, Any], *cited: Citation) -> FilledAnswer:
    return filled_answer(read, row["question_id"], [Given(row, cited)])


def test_the_yes_that_a_text_says_is_not_told_twice(make_sheet: Make) -> None:
    read = read_questionnaire(sheet(make_sheet, "Answer"), "q.xlsx")
    for text in ("Yes.", "Yes, all of them are."):
        assert shown(read, answer_row(read, text)).answer_text == text
    assert shown(read, answer_row(read, "No-one may read them.")).answer_text == "Yes. No-one may read them."


def test_a_text_that_is_too_long_for_its_cell_goes_elsewhere(make_sheet: Make) -> None:
    long = "Yes, all administrator access is logged for 12 months."
    for titles in ("Answer (max 40 characters)", "Comments"), ("Answer (max 40 characters)",):
        data = sheet(make_sheet, *titles)
        read = read_questionnaire(data, "q.xlsx")
        ids = [question.question_id for question in read.questions]
        said, worded = FilledAnswer(ids[0], "needs_review", long, "", "yes"), FilledAnswer(ids[1], "answered", long)
        found = rows_of(fill_questionnaire(data, read, [said, worded]))
        assert found[1][1] == "Yes" and found[2][1] is None
        assert found[1][2] == found[2][2] == long
        assert found[2][-1] == "answered; the answer cell takes 40 characters, and the text has 54"


def test_the_limit_of_the_comments_holds_and_the_yes_or_no_takes_nothing_of_it(make_sheet: Make) -> None:
    apart = sheet(make_sheet, "Answer (Yes/No, 3 characters max)", "Comment (max 60 characters)")
    shared = sheet(make_sheet, "Answer (max 60 characters)")
    for data, is_apart in ((apart, True), (shared, False)):
        read = read_questionnaire(data, "q.xlsx")
        assert {(one.max_characters, one.verdict_apart) for one in read.questions} == {(60, is_apart)}
        row = answer_row(read, "All backups are encrypted with AES-256.")
        cited = Citation("d", "a.pdf", "0", 3, row["text"], 0, 9, "Backups")
        answer = shown(read, row, cited)
        said = f"{row['text']} {cited.inline}"
        if is_apart:
            assert (answer.answer_text, answer.comment_text) == ("Yes", said) and 55 < len(said) <= 60
        else:
            assert (answer.answer_text, answer.comment_text) == (f"Yes. {row['text']}", "")
    row |= {"verdict": None, "question_id": read_questionnaire(apart, "q.xlsx").questions[0].question_id}
    assert shown(read_questionnaire(apart, "q.xlsx"), row).answer_text == ""
