"""A gold set of what people decided: approved, edited and rejected drafts, and the last word of several."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.review import finish
from tasks.errors import UsageError
from tasks.evaluation.gold.gold_set import read_gold
from tasks.evaluation.gold_task import reviewed_set
from tasks.records import GoldEvidence
from tasks.review.events import Change
from tasks.review.task import save_changes
from tests.made.reviewed_runs import CORPUS, RUN, asked, reviewed_run, rule


def test_decisions_become_gold_questions(tmp_path: Path) -> None:
    made = reviewed_run(tmp_path)
    out = tmp_path / "reviews.jsonl"
    with pytest.raises(UsageError, match="nobody has decided on drafts from 'default' yet"):
        reviewed_set(CORPUS, str(out), made.settings)

    def decide(*changes: Change) -> None:
        save_changes.fn(RUN, {}, changes, "Ann", made.settings)
        finish(RUN, "", made.settings, partial=True)

    def text_of(number: int) -> str:
        return made.item(f"Q-{number}").text or ""

    decide(Change("Q-1", "approve", text_of(1), "yes", draft_id=made.item("Q-1").draft_id))
    decide(
        Change("Q-2", "edit", f"As written: {rule(2)}"),
        Change("Q-3", "edit", "No. Each spring.", "no"),
        Change("Q-4", "reject"),
        Change("Q-1", "reject", after=made.item("Q-1").state.version),
    )
    decide(Change("Q-1", "approve", text_of(1), "yes", after=made.item("Q-1").state.version))
    said = reviewed_set(CORPUS, str(out), made.settings)
    assert (said["questions"], said["unanswerable"], said["with_verdict"], said["without_page"]) == (4, 1, 2, 1)
    by_text = {one.question: one for one in read_gold(str(out))}
    found, place = [by_text[asked(number)] for number in range(1, 5)], (GoldEvidence("policy.pdf", 1),)
    assert [(one.answerable, one.verdict, one.evidence) for one in found] == [
        (True, "yes", place),
        (True, None, place),
        (True, "no", ()),
        (False, None, ()),
    ], "the last decision counts, and of an edited text the places whose quote is left in it"
    assert {one.held_out for one in found} == {("library:q.xlsx",)}, "an approval does not answer itself"
