"""The customer's file at the end: what was approved or edited stands in it, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.datavalidation import DataValidation

from flows.review import finish
from tasks.errors import UsageError
from tasks.review.events import Change
from tasks.review.learning import edits_of, entries_of
from tasks.review.task import save_changes
from tasks.storage.lake import Lake
from tests.made.reviewed_runs import DRAFTS, RUN, ReviewedRun, reviewed_run, rule


@pytest.fixture
def made(tmp_path: Path) -> ReviewedRun:
    return reviewed_run(tmp_path)


def decide(made: ReviewedRun, *changes: Change) -> None:
    save_changes.fn(RUN, {}, changes, "Ann", made.settings)


def cells(path: Path) -> dict[str, tuple[Any, ...]]:
    sheet = load_workbook(path).active
    return {row[0]: row[2:] for row in sheet.iter_rows(min_row=2, values_only=True)}


def approval(made: ReviewedRun, question_id: str) -> Change:
    item = made.item(question_id)
    return Change(question_id, "approve", item.text, item.draft_verdict, draft_id=item.draft_id)


def test_only_what_was_approved_is_written(made: ReviewedRun) -> None:
    edited = Change("Q-3", "edit", "No. Each spring.", "no", draft_id=made.item("Q-3").draft_id)
    decide(made, approval(made, "Q-1"), approval(made, "Q-2"), edited, Change("Q-4", "reject"))
    before = made.questionnaire.read_bytes()
    with pytest.raises(UsageError, match=r"3 answers are open \(.*\): decide on them with `bidfolio review") as open_:
        finish(RUN, "", made.settings)
    assert "1 to review" in str(open_.value) and "1 not in the documents" in str(open_.value)
    done = finish(RUN, "", made.settings, partial=True)
    out = made.questionnaire.with_name("q.final.xlsx")
    assert (done["out"], done["written"], done["left_empty"]) == (str(out), 3, 3)
    found = cells(out)
    assert found["Q-1"] == ("Yes", f"{rule(1)} [§ Part 1 of the policy, p. 1]")
    assert found["Q-2"] == (f"{rule(2)} [§ Part 1 of the policy, p. 1]", None)
    assert found["Q-3"] == ("No", "No. Each spring."), "an edited text stands as it was written"
    empty = (None, None)
    assert [found[f"Q-{number}"] for number in (0, 4, 5, 6)] == [empty] * 4
    assert load_workbook(out).active.max_column == 4, "no column of bidfolio's in what the customer gets"
    assert made.questionnaire.read_bytes() == before
    lake, asked = Lake(made.settings.home), [made.item(f"Q-{number}").question for number in (1, 2, 3)]
    assert done["learnt"] == 3
    (corpus,), (run,) = lake.values("library", "corpus"), lake.values("edits", "run_id")
    assert sorted(row["question"] for row in lake.read("library", corpus=corpus).to_pylist()) == sorted(asked)
    edits = {row["question_id"]: (row["status"], row["final"]) for row in lake.read("edits", run_id=run).to_pylist()}
    assert edits["Q-3"] == ("edited", "No. Each spring.") and edits["Q-4"] == ("rejected", None)


def test_what_was_answered_goes_out_without_a_look_only_if_it_is_asked_for(made: ReviewedRun) -> None:
    decide(made, *(Change(f"Q-{number}", "reject") for number in range(2, DRAFTS + 1)))
    with pytest.raises(UsageError, match=r"2 answers are open \(2 answered and not approved\).*--with-answered"):
        finish(RUN, "", made.settings)
    done = finish(RUN, "", made.settings, with_answered=True)
    assert (done["written"], done["left_empty"]) == (2, 0)
    assert cells(Path(done["out"]))["Q-0"][0].startswith(rule(0))


def test_a_file_that_somebody_changed_is_not_replaced(made: ReviewedRun) -> None:
    out = Path(finish(RUN, "", made.settings, partial=True)["out"])
    decide(made, approval(made, "Q-2"))
    finish(RUN, "", made.settings, partial=True)
    assert cells(out)["Q-2"][0]
    out.write_bytes(out.read_bytes() + b" ")
    with pytest.raises(UsageError, match="not this run's own work"):
        finish(RUN, "", made.settings, partial=True)
    finish(RUN, "", made.settings, partial=True, overwrite=True)
    for wrong, told in ((made.questionnaire, "is the questionnaire itself"), (out.with_suffix(".csv"), "must end in")):
        with pytest.raises(UsageError, match=told):
            finish(RUN, str(wrong), made.settings, partial=True)
    out.with_name(f"~${out.name}").touch()
    with pytest.raises(UsageError, match="open in another program"):
        finish(RUN, "", made.settings, partial=True)


def test_a_questionnaire_that_asks_something_else_now_gets_no_answer(made: ReviewedRun) -> None:
    decide(made, approval(made, "Q-2"))
    book = load_workbook(made.questionnaire)
    book.active["B4"] = "Who pays the fine if part 2 is not checked?"
    book.save(made.questionnaire)
    with pytest.raises(UsageError, match="does not ask 'Q-2' any more as it was answered"):
        finish(RUN, "", made.settings, partial=True)
    made.questionnaire.unlink()
    with pytest.raises(UsageError, match="is gone: put it back"):
        finish(RUN, "", made.settings, partial=True)


def test_an_edited_answer_that_is_a_choice_of_the_customers_is_chosen(made: ReviewedRun) -> None:
    book = load_workbook(made.questionnaire)
    rule_ = DataValidation(type="list", formula1='"Yes,No,Compensating control"')
    rule_.add("C2:C8")
    book.active.add_data_validation(rule_)
    book.save(made.questionnaire)
    decide(made, Change("Q-3", "edit", "compensating control", draft_id=made.item("Q-3").draft_id))
    done = finish(RUN, "", made.settings, partial=True)
    assert cells(Path(done["out"]))["Q-3"] == ("Compensating control", None)


def test_what_was_decided_becomes_entries_and_pairs_to_learn_from(made: ReviewedRun) -> None:
    edited = Change("Q-3", "edit", "No. Each spring.", "no", draft_id=made.item("Q-3").draft_id)
    decide(made, approval(made, "Q-2"), edited, Change("Q-4", "reject"), Change("Q-2", "assign", owner="Ben"))
    items = made.load().items
    first, second = entries_of(items)
    assert (first.answer, first.approved_by, first.owner) == (rule(2), "Ann", "Ben")
    assert first.evidence[0].quote == rule(2) and first.evidence[0].page_number == 1 and first.approved_on
    assert (second.answer, second.verdict) == ("No. Each spring.", "no")
    pairs = [(edit.question_id, edit.proposed, edit.final) for edit in edits_of(items, RUN)]
    assert pairs == [("Q-2", rule(2), rule(2)), ("Q-3", rule(3), "No. Each spring."), ("Q-4", rule(4), None)]
