"""Cells that ask several questions, of which some lean on those before them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from tasks.chat.candidates import Candidate, Finding
from tasks.chat.query_rewriting import cells_of, condensed
from tasks.questions.rows import question_rows, questions_of
from tasks.records import Hit, Question
from tasks.retrieval.finding import Found
from tasks.schemas import to_table
from tests.made.chunks import chunk_of

FAR, NEAR = -4.0, 4.0


def finding(relevances: Mapping[str, float]) -> Finding:
    """Finds one hit for each text, of the relevance that is given for it, or else a good one."""

    def find(text: str) -> Candidate:
        hit = replace(Hit("ask", 1, chunk_of("A sentence."), 1.0, 1.0, 0.0, 0.0), relevance=relevances.get(text, NEAR))
        return Candidate(text, Found([[hit]], []), 1.0)

    return Finding(find, lambda texts: np.ones((len(texts), 1), np.float32))


def cell(*texts: str, row: int | None = 2) -> list[Question]:
    return [Question(f"{row}({at})", at, text, row_number=row) for at, text in enumerate(texts, start=1)]


def asked(some: list[Question], relevances: Mapping[str, float]) -> list[str]:
    return [one.text for one in condensed(some, finding(relevances))]


def test_a_question_whose_subject_stands_before_it_is_asked_with_it() -> None:
    expires = "When does the certificate expire?"
    some = cell("Do you hold ISO 27001?", expires)
    assert asked(some, {expires: FAR}) == ["Do you hold ISO 27001?", "When does the certificate expire (ISO 27001)?"]
    first, second = condensed(some, finding({expires: FAR}))
    assert (first.written, second.written, second.question_id) == (None, expires, "2(2)")


def test_one_that_finds_its_evidence_alone_stays_as_it_is() -> None:
    some = cell("Do you hold ISO 27001?", "How soon are customers told about a breach?")
    assert list(condensed(some, finding({f"{some[1].text[:-1]} (ISO 27001)?": FAR}))) == some


def test_each_goes_on_from_the_one_before_it() -> None:
    some = cell("Do you encrypt backups?", "How often are they tested?", "Who tests them?")
    assert asked(some, dict.fromkeys([one.text for one in some], FAR)) == [
        "Do you encrypt backups?",
        "How often are they tested (backups)?",
        "Who tests them (tested, backups)?",
    ]


def test_a_requirement_is_joined_as_the_question_that_it_stands_for() -> None:
    some = cell("The supplier shall encrypt backups.", "The supplier shall test them yearly.")
    assert asked(some, {})[0] == "The supplier shall encrypt backups."
    (found,) = (one for one in condensed(some, finding({"Do you test them yearly?": FAR})) if one.ordinal == 2)
    assert (found.text, found.written) == ("Do you test them yearly (backups)?", "The supplier shall test them yearly.")


@pytest.mark.parametrize(
    ("questions", "cells"),
    [
        ([], []),
        (cell("One?", row=1) + cell("Two?", row=2), []),
        (cell("One?", row=1) + cell("Two?", "Three?", row=2), [["Two?", "Three?"]]),
        ([replace(one, sheet_name=sheet) for sheet in "AB" for one in cell("One?", row=1)], []),
        (cell("One?", "Two?", row=None), []),
    ],
    ids=["nothing", "rows", "a cell", "sheets", "no place"],
)
def test_which_questions_share_a_cell(questions: list[Question], cells: list[list[str]]) -> None:
    assert [[one.text for one in some] for some in cells_of(questions)] == cells


def test_the_lake_has_the_words_of_the_customer_and_how_they_were_asked() -> None:
    first, second = condensed(cell("Is it encrypted?", "Who owns it?"), finding({"Who owns it?": FAR}))
    joined = replace(second, text="Who owns it (register)?", written="Who owns it?", said_before="Yes.")
    rows = list(question_rows({"run_id": "r", "run_date": None}, [first, joined]))
    assert [(row["question"], row["asked_as"]) for row in rows] == [
        ("Is it encrypted?", None),
        ("Who owns it?", "Who owns it (register)?"),
    ]
    assert questions_of(to_table("questions", rows)) == [first, joined]
