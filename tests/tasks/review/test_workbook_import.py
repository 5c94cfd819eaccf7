"""Decisions taken back from the evidence workbook: rows in any order, some deleted, and edits in the wrong places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from flows.review import import_decisions
from tasks.errors import UsageError
from tasks.review.events import Change
from tasks.review.task import save_changes
from tests.made.reviewed_runs import RUN, ReviewedRun, edit_evidence, reviewed_run, rule


@pytest.fixture
def made(tmp_path: Path) -> ReviewedRun:
    return reviewed_run(tmp_path)


def take(made: ReviewedRun, path: Path, reviewer: str = "Ann", *, overwrite: bool = False) -> dict[str, Any]:
    return import_decisions(RUN, str(path), reviewer, made.settings, overwrite=overwrite)


def test_rows_that_were_sorted_and_deleted_are_taken_by_their_question_id(made: ReviewedRun) -> None:
    path = made.evidence()
    edits: dict[str, dict[str, str | None]] = {
        "Q-2": {"status": "approved", "owner": "Ben"},
        "Q-3": {"status": "edited", "final answer": "No, every year.", "verdict": "no", "comment": "Ask Cay."},
        "Q-4": {"status": "rejected"},
        "Q-6": {"status": "edited", "final answer": "Twice a year."},
    }
    edit_evidence(path, edits, without=("Q-0", "Q-5"))
    said = take(made, path)
    assert said["taken"] == {"approve": 1, "assign": 1, "edit": 2, "comment": 1, "reject": 1}
    assert (said["problems"], said["missing"], said["unchanged"], said["open"]) == ([], 2, 1, 3)
    states = {item.question_id: item.state for item in made.load().items}
    assert (states["Q-2"].status, states["Q-2"].final_answer, states["Q-2"].owner) == ("approved", rule(2), "Ben")
    assert (states["Q-3"].final_answer, states["Q-3"].final_verdict) == ("No, every year.", "no")
    assert states["Q-3"].remarks[0].comment == "Ask Cay."
    assert states["Q-4"].status == "rejected" and states["Q-6"].final_answer == "Twice a year."
    assert states["Q-1"].status == "open", "what the run answered is not approved by leaving it alone"
    again = take(made, path)
    assert (again["taken"], again["problems"]) == ({}, []), "the same workbook once more changes nothing"


def test_nothing_is_taken_silently_and_nothing_is_lost(made: ReviewedRun) -> None:
    path = made.evidence()
    edits: dict[str, dict[str, str | None]] = {
        "Q-0": {"proposed answer": "My own words.", "status": "approved"},
        "Q-1": {"quote": "Something else."},
        "Q-2": {"status": "fine"},
        "Q-3": {"final answer": "Half way."},
        "Q-4": {"status": "edited"},
        "Q-5": {"question id": "Q-77", "status": "approved"},
        "Q-6": {"status": "approved"},
    }
    edit_evidence(path, edits)
    said = take(made, path)
    problems = "\n".join(map(str, said["problems"]))
    for told in (
        "(Q-0): the column “proposed answer” was changed: write into “final answer”",
        "(Q-1): the column “quote” was changed",
        "(Q-2): the status 'fine' is none: choose approved, edited or rejected",
        "(Q-3): the answer was changed and the status is “needs review”: set it to “edited”",
        "(Q-4): the status is “edited” and “final answer” is empty",
        "the question id 'Q-77' is none of this run",
        "(Q-6): there is nothing to approve",
    ):
        assert told in problems
    assert (said["taken"], said["open"]) == ({}, 7)


def test_a_text_that_no_cell_takes_is_named_and_others_are_taken(made: ReviewedRun) -> None:
    path = made.evidence()
    edit_evidence(path, {"Q-2": {"status": "edited", "final answer": "long " * 6500}, "Q-3": {"status": "approved"}})
    said = take(made, path)
    assert "(Q-2): “final answer” has 32,499 characters, and may have 32,000: shorten it" in str(said["problems"])
    assert said["taken"] == {"approve": 1}


def test_what_another_person_decided_meanwhile_is_kept_and_named(made: ReviewedRun) -> None:
    path = made.evidence()
    draft = made.item("Q-2")
    change = Change("Q-2", "edit", "24 hours", draft_id=draft.draft_id)
    save_changes.fn(RUN, {}, [change], "Ben", made.settings)
    edit_evidence(path, {"Q-2": {"status": "approved"}, "Q-3": {"status": "approved"}})
    said = take(made, path)
    (problem,) = said["problems"]
    assert "(Q-2): Ben edited “24 hours” on " in problem and "give --overwrite" in problem
    assert made.item("Q-2").state.final_answer == "24 hours" and made.item("Q-3").state.status == "approved"
    assert take(made, path, overwrite=True)["problems"] == []
    assert made.item("Q-2").state.final_answer == rule(2)


def test_a_question_in_two_rows_is_taken_from_neither(made: ReviewedRun) -> None:
    path = made.evidence()
    edit_evidence(path, {"Q-2": {"status": "approved"}, "Q-3": {"question id": "Q-2", "status": "rejected"}})
    said = take(made, path)
    assert len(said["problems"]) == 2 and "stands in several rows" in str(said["problems"])
    assert made.item("Q-2").state.status == "open"


def test_a_workbook_of_another_run_or_without_its_columns_is_refused(made: ReviewedRun) -> None:
    path = made.evidence()
    book = load_workbook(path)
    for row in book["Summary"].iter_rows():
        for cell in row:
            if cell.value == RUN:
                cell.value = "20250101T000000-cccccc"
    other = path.with_name("other.xlsx")
    book.save(other)
    with pytest.raises(UsageError, match="is the evidence of the run 20250101T000000-cccccc"):
        take(made, other)
    book = load_workbook(path)
    book["Answers"].delete_cols([cell.value for cell in book["Answers"][1]].index("status") + 1)
    book.save(other)
    with pytest.raises(UsageError, match="the column 'status' is missing"):
        take(made, other)
    book = load_workbook(path)
    book["Answers"].cell(1, [cell.value for cell in book["Answers"][1]].index("question id") + 1).value = "id"
    book.save(other)
    with pytest.raises(UsageError, match="no column 'question id'"):
        take(made, other)
    with pytest.raises(UsageError, match="has no sheet 'Answers'"):
        take(made, made.questionnaire)
    with pytest.raises(UsageError, match="cannot read"):
        take(made, path.with_name("none.xlsx"))
