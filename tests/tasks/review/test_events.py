"""Events of a review and their fold: two reviewers, rivals, runs after each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import UsageError
from tasks.review.event_log import EventLog
from tasks.review.events import Change, ReviewEvent, event_of, require_valid
from tasks.review.run_lookup import find_run
from tasks.review.state import ReviewConflict, ReviewState, fold, require_seen
from tasks.review.task import save_changes
from tasks.storage.lake import Lake
from tests.made.conversions import convert_bytes
from tests.made.reviewed_runs import LATER, RUN, ReviewedRun, reviewed_run, write_run

BEGUN = datetime(2026, 8, 1, 10, tzinfo=UTC)


def event(
    minute: int, reviewer: str, action: Any, text: str | None = None, after: str = "", **more: Any
) -> ReviewEvent:
    at = BEGUN + timedelta(minutes=minute)
    return ReviewEvent(RUN, "Q-1", at, reviewer, action, final_answer=text, after=after, **more)


def test_the_last_decision_stands_with_owner_and_remarks() -> None:
    first = event(1, "Ann", "approve", "Yes.", final_verdict="yes")
    second = event(3, "Ben", "edit", "Yes, weekly.", after=first.event_id)
    others = [event(2, "Ann", "assign", owner="Ben"), event(4, "Cay", "comment", comment="Good.")]
    state = fold([second, *others, first])["Q-1"]
    assert (state.status, state.final_answer, state.reviewer, state.owner) == ("edited", "Yes, weekly.", "Ben", "Ben")
    assert [remark.comment for remark in state.remarks] == ["Good."] and state.version == second.event_id
    assert fold([first, second, first]) == fold([second, first]), "an event that is there twice counts once"
    reopened = fold([first, second, event(5, "Ann", "reopen", after=second.event_id)])["Q-1"]
    assert (reopened.status, reopened.final_answer) == ("open", None) and reopened.version
    assert fold([]) == {}


def test_two_who_did_not_see_each_other_are_both_kept() -> None:
    first = event(1, "Ann", "edit", "48 hours")
    rival = event(2, "Ben", "edit", "24 hours")
    state = fold([first, rival])["Q-1"]
    assert state.status == "disputed" and not state.is_settled(RUN, "")
    assert [one.final_answer for one in state.disputed] == ["48 hours", "24 hours"]
    third = event(3, "Cay", "reject", after=first.event_id)
    assert len(fold([first, rival, third])["Q-1"].disputed) == 3
    settled = fold([first, rival, event(4, "Cay", "edit", "24 hours", after=rival.event_id)])["Q-1"]
    assert (settled.status, settled.final_answer, settled.disputed) == ("edited", "24 hours", ())


def test_two_who_say_the_same_have_no_dispute() -> None:
    first, second = event(1, "Ann", "approve", "Yes."), event(2, "Ben", "approve", "Yes.")
    assert fold([first, second])["Q-1"].status == "approved"
    require_seen([second], fold([first]))


def test_a_decision_that_has_not_seen_the_last_is_a_conflict() -> None:
    first = event(1, "Ann", "edit", "48 hours")
    states = fold([first])
    with pytest.raises(ReviewConflict, match="Ann has edited") as found:
        require_seen([event(2, "Ben", "edit", "24 hours")], states)
    assert (found.value.state.final_answer, found.value.event.final_answer) == ("48 hours", "24 hours")
    require_seen([event(2, "Ben", "comment", comment="Sure?"), event(3, "Ben", "assign", owner="Ann")], states)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Change("Q-1", "approve"), "no answer to approve"),
        (Change("Q-1", "edit", final_answer="  "), "no answer to approve"),
        (Change("Q-1", "comment", comment=" "), "the comment is empty"),
        (Change("Q-1", "edit", final_answer="x" * 40_000), "shorten it"),
        (Change("Q-1", "burn"), "no action 'burn'"),  # type: ignore[arg-type]
        (Change("Q-1", "edit", "Yes", "perhaps"), "no verdict 'perhaps'"),  # type: ignore[arg-type]
    ],
)
def test_what_decides_nothing_is_refused(change: Change, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        event_of(change, RUN, "Ann", BEGUN)


def test_nobody_decides_nothing() -> None:
    with pytest.raises(UsageError, match="give a name"):
        require_valid(event(1, " ", "reject"))


@pytest.fixture
def made(tmp_path: Path) -> ReviewedRun:
    return reviewed_run(tmp_path)


def save(made: ReviewedRun, *changes: Change, reviewer: str = "Ann", run_id: str = RUN) -> dict[str, ReviewState]:
    return save_changes.fn(run_id, made.load(run_id).earlier, changes, reviewer, made.settings)


def test_decisions_are_added_to_the_lake_and_never_changed(made: ReviewedRun) -> None:
    draft = made.item("Q-2")
    save(made, Change("Q-2", "approve", draft.text, draft_id=draft.draft_id), Change("Q-3", "reject"))
    before = made.home.joinpath("lake", "reviews").rglob("*.parquet")
    files = {path: path.read_bytes() for path in before}
    state = made.item("Q-2").state
    save(made, Change("Q-2", "edit", "Every month.", after=state.version), reviewer="Ben")
    assert len(files) == 1 and all(path.read_bytes() == data for path, data in files.items())
    assert made.item("Q-2").state.final_answer == "Every month."
    rows = EventLog(Lake(str(made.home))).events(RUN)
    assert sorted((row.question_id, row.reviewer, row.action) for row in rows) == [
        ("Q-2", "Ann", "approve"),
        ("Q-2", "Ben", "edit"),
        ("Q-3", "Ann", "reject"),
    ]


def test_a_save_reads_no_save_that_was_read_before(made: ReviewedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    usual, read = Lake.read, list[str]()

    def counted(lake: Lake, table: str, **partition: str) -> Any:
        read.append(table)
        return usual(lake, table, **partition)

    for number in range(4):
        save(made, Change(f"Q-{number}", "reject"))
    monkeypatch.setattr(Lake, "read", counted)
    states = save(made, Change("Q-4", "reject"))
    assert len(states) == 5 and read.count("reviews") == 1, "the one that was just added"


def test_of_changes_that_are_saved_together_all_are_or_none(made: ReviewedRun) -> None:
    save(made, Change("Q-2", "edit", "48 hours"))
    with pytest.raises(ReviewConflict):
        save(made, Change("Q-3", "reject"), Change("Q-2", "edit", "24 hours"), reviewer="Ben")
    assert made.item("Q-3").state == ReviewState()


def test_an_approval_outlives_another_run_of_answer(made: ReviewedRun) -> None:
    """The draft of the later run is another for one question: that is looked at again, and nothing is lost."""
    items = {item.question_id: item for item in made.load().items}
    save(
        made,
        *(Change(one, "approve", items[one].text, draft_id=items[one].draft_id) for one in ("Q-2", "Q-4")),
        Change("Q-5", "edit", "By hand.", draft_id=items["Q-5"].draft_id),
    )
    document = convert_bytes("policy.pdf", (made.home.parent / "documents/policy.pdf").read_bytes())
    write_run(made, LATER, document, {"Q-4": "Part 4 is checked every 9 weeks."})
    later = {item.question_id: item for item in made.load(LATER).items}
    assert later["Q-2"].is_settled(LATER) and later["Q-2"].state.status == "approved"
    assert later["Q-5"].is_settled(LATER) and later["Q-5"].state.final_answer == "By hand."
    changed = later["Q-4"]
    assert not changed.is_settled(LATER) and changed.state.final_answer == items["Q-4"].text
    save(
        made,
        Change("Q-4", "approve", changed.text, after=changed.state.version, draft_id=changed.draft_id),
        run_id=LATER,
    )
    assert made.item("Q-4", LATER).is_settled(LATER)
    assert made.item("Q-4").state.final_answer == items["Q-4"].text, "the earlier run stays as it was decided"


def test_a_run_is_found_by_its_id_its_beginning_its_files_and_as_the_last(made: ReviewedRun) -> None:
    document = convert_bytes("policy.pdf", (made.home.parent / "documents/policy.pdf").read_bytes())
    write_run(made, LATER, document)
    out = made.questionnaire.with_name("q.answered.xlsx")
    for wanted, run_id in ((RUN, RUN), (RUN[:10], RUN), (str(out), LATER), ("latest", LATER)):
        assert made.load(wanted).run_id == run_id
    with pytest.raises(UsageError, match="begins the names of 2 runs") as several:
        made.load("2026")
    assert RUN in str(several.value) and "q.xlsx" in str(several.value)
    with pytest.raises(UsageError, match=f"there is no run 'x'; the last are {LATER}"):
        made.load("x")
    with pytest.raises(UsageError, match="no questionnaire was answered here yet"):
        find_run([], "latest")
