"""Cells that ask more than one thing: each question is asked by itself, and their answers share the cell."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from openpyxl import load_workbook

from tasks.questionnaires.completed.completed_rows import read_completed
from tasks.questionnaires.filling.cell_answers import Given, filled_answer
from tasks.questionnaires.filling.fill_questionnaire import fill_questionnaire
from tasks.questionnaires.reading.layout import Questionnaire
from tasks.questionnaires.reading.read_questionnaire import read_questionnaire
from tasks.questions.compound_questions import asked_alone_of, parts_of
from tasks.records import Citation

Make = Callable[..., bytes]
WHY = "We ask this because our auditors want to know it and our regulator wrote to us about it. "
TWO = "Do you encrypt backups? How often are they tested?"


@pytest.mark.parametrize(
    ("text", "marks", "asked"),
    [
        (TWO, "a) b)", ["Do you encrypt backups?", "How often are they tested?"]),
        (
            "Do you have a policy? If yes, who approves it?",
            "a) b)",
            ["Do you have a policy?", "If yes, who approves it?"],
        ),
        (
            "a) Is data encrypted? b) Who holds the keys?\nc) How long are logs kept?",
            "a) b) c)",
            ["Is data encrypted?", "Who holds the keys?", "How long are logs kept?"],
        ),
        ("1. Is there a CISO?\n2. To whom does the CISO report?", "1. 2.", None),
        ("On backups: (i) are they encrypted? (ii) how long are they kept?", "(i) (ii)", None),
        (
            "Do you have a) a firewall, b) a web proxy and c) a sandbox?",
            "a) b) c)",
            ["Do you have a firewall?", "Do you have a web proxy?", "Do you have a sandbox?"],
        ),
        (
            "The supplier shall (a) encrypt backups and (b) test them yearly.",
            "(a) (b)",
            ["The supplier shall encrypt backups.", "The supplier shall test them yearly."],
        ),
        (f"Is data encrypted? {WHY * 6}Are keys rotated?", "a) b)", ["Is data encrypted?", "Are keys rotated?"]),
        ("Do you encrypt backups?", "", []),
        ("Is there a policy? If so, describe it.", "", []),
        ("Is each fault logged? If not, why not?", "", []),
        ("Is it in place? Yes/No?", "", []),
        ("How often are backups made: a) daily b) weekly c) monthly?", "", []),
        ("Which of these do you offer? a) phone support b) support by mail", "", []),
        ("Is clause 4 b) met? See a) above.", "", []),
        ("Is a copy kept in the U.S. or the EU?", "", []),
        ("", "", []),
    ],
)
def test_the_questions_of_a_cell(text: str, marks: str, asked: list[str] | None) -> None:
    found = parts_of(text)
    assert " ".join(part.mark for part in found) == marks
    if asked is not None:
        assert [part.text for part in found] == asked


def test_a_long_cell_is_asked_by_its_question_alone() -> None:
    long = f"{WHY * 40}Do you encrypt backups? {WHY}"
    assert len(long) > 3000 and asked_alone_of(long) == "Do you encrypt backups?"
    assert asked_alone_of(WHY * 40) == WHY * 40, "what asks nothing stays whole"
    assert asked_alone_of(f"{WHY}Do you encrypt backups?").startswith(WHY)


def read_of(make_sheet: Make, *texts: str, limit: str = "") -> tuple[bytes, Questionnaire]:
    rows = [
        ["Ref", "Question", "Answer (Yes/No)", f"Comments{limit}"],
        *([f"Q{at}", one] for at, one in enumerate(texts)),
    ]
    data = make_sheet(rows)
    return data, read_questionnaire(data, "q.xlsx")


def test_each_has_an_id_a_kind_and_its_share_of_the_room(make_sheet: Make) -> None:
    _, read = read_of(make_sheet, "Is there a policy?", TWO, limit=" (max 200 characters)")
    assert [(one.question_id, one.kind, one.ordinal, one.row_number) for one in read.questions] == [
        ("Q0", "yes_no", 0, 2),
        ("Q1(1)", "yes_no", 1, 3),
        ("Q1(2)", "free_text", 2, 3),
    ]
    assert [one.max_characters for one in read.questions] == [200, 94, 94]
    assert [row.question_id for row in read.sheets[0].rows] == ["Q0", "Q1"]
    _, taken = read_of(make_sheet, "Is there a policy?", TWO)
    assert [one.question_id for one in taken.questions] == ["Q0", "Q1(1)", "Q1(2)"], "the same on every machine"


def given(question_id: str, mark: str, text: str | None, verdict: str | None, status: str, detail: str = "") -> Given:
    row: dict[str, Any] = {"question_id": question_id, "text": text, "verdict": verdict, "proposed_verdict": verdict}
    row |= {"status": status, "detail": detail, "decline_reason": None if text else "no_evidence"}
    row |= {"confidence": 0.9 if text else 0.1, "confidence_label": "high", "verdict_probability": None}
    return Given(row, [Citation("d", f"{mark}.pdf", "0", 3, text, 0, 9)] if text else [], mark)


@pytest.mark.parametrize(
    ("second", "status", "verdict", "cells"),
    [
        (
            ("Each quarter.", None, "answered"),
            "answered",
            "yes",
            ["Yes", "a) Yes. With AES-256. [a).pdf, p. 3]\nb) Each quarter. [b).pdf, p. 3]"],
        ),
        (
            ("Not all of them.", "no", "needs_review"),
            "needs_review",
            None,
            [None, "a) Yes. With AES-256. [a).pdf, p. 3]\nb) No. Not all of them. [b).pdf, p. 3]"],
        ),
        ((None, None, "declined"), "needs_review", "yes", ["Yes", "a) Yes. With AES-256. [a).pdf, p. 3]"]),
    ],
    ids=["both", "two minds", "one declined"],
)
def test_the_answers_share_the_cells_of_their_row(
    make_sheet: Make,
    second: tuple[str | None, str | None, str],
    status: str,
    verdict: str | None,
    cells: list[str | None],
) -> None:
    data, read = read_of(make_sheet, TWO)
    first = given("Q0(1)", "a)", "With AES-256.", "yes", "answered")
    answer = filled_answer(read, "Q0", [first, given("Q0(2)", "b)", *second, "look at it")])
    assert (answer.status, answer.verdict) == (status, verdict)
    assert "b)" in answer.reason and "look at it" in answer.reason
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, [answer]))).active
    assert [cell.value for cell in sheet[2]][2:4] == cells


def test_of_two_declines_nothing_is_written_and_both_say_why(make_sheet: Make) -> None:
    data, read = read_of(make_sheet, TWO)
    parts = [given("Q0(1)", "a)", None, None, "declined", "one"), given("Q0(2)", "b)", None, None, "declined", "two")]
    answer = filled_answer(read, "Q0", parts)
    assert answer.reason == "a) declined: no_evidence; one; b) declined: no_evidence; two"
    sheet = load_workbook(io.BytesIO(fill_questionnaire(data, read, [answer]))).active
    assert [cell.value for cell in sheet[2]][2:4] == [None, None] and sheet["H2"].value.startswith("declined: a)")


def test_a_completed_row_is_one_answer_to_all_that_it_asks(make_sheet: Make) -> None:
    rows = [["Ref", "Question", "Answer"], ["1", "a) Is data encrypted? b) Who holds the keys?", "Yes. The board."]]
    (row,) = read_completed(make_sheet(rows), "past.xlsx").rows
    assert (row.question_id, row.verdict) == ("1", "yes")
    assert row.question == "a) Is data encrypted? b) Who holds the keys?"
