"""Stages of a review: load a run with its decisions, save decisions, and write what was approved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from configs.settings import Settings
from tasks.records import Verdict
from tasks.review.event_log import EventLog
from tasks.review.events import Action, ReviewEvent, require_valid
from tasks.review.items import ReviewItem, items_of
from tasks.review.run_lookup import earlier_runs, find_run, source_path
from tasks.review.state import ReviewState, fold, require_seen
from tasks.runtime.runs import now, run_started_at
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake


@dataclass(frozen=True, slots=True)
class Review:
    """A run under review: its questionnaire ``source``, the filled copy ``out``, and an item for each question."""

    run_id: str
    plan: str
    corpus: str
    source: str
    out: str
    source_sha256: str
    index_version: str
    items: tuple[ReviewItem, ...]
    earlier: tuple[str, ...] = ()

    @property
    def open_items(self) -> list[ReviewItem]:
        """The items that a person has to look at."""
        return [item for item in self.items if not item.is_settled(self.run_id)]


@dataclass(frozen=True, slots=True)
class Change:
    """What a person wants to do to an answer; ``after`` is the version that was seen, as ReviewState has it."""

    question_id: str
    action: Action
    final_answer: str | None = None
    final_verdict: Verdict | None = None
    owner: str | None = None
    comment: str | None = None
    after: str = ""
    draft_id: str = ""


@stage("load the review of {wanted}")
def load_review(wanted: str, settings: Settings) -> Review:
    """Load the run that ``wanted`` names, with the decisions on it and on earlier runs over the same file.

    Raises UsageError as :func:`find_run`.
    """
    lake = Lake(settings.home)
    rows = _run_rows(lake)
    run = find_run(rows, wanted)
    run_id, plans = run["run_id"], lake.values("answers", "plan", run_id=run["run_id"])
    plan = plans[0] if plans else run["plan"]
    earlier = tuple(earlier_runs(rows, run))
    partition = {"run_id": run_id, "plan": plan}
    questions = lake.read("questions", run_id=run_id).to_pylist()
    items = items_of(
        questions,
        lake.read("answers", **partition).to_pylist(),
        lake.read("citations", **partition).to_pylist(),
        states_of(EventLog(lake), run_id, earlier),
    )
    summary = run["summary"]
    return Review(
        run_id,
        plan,
        run["corpus"] or "",
        source_path(run),
        summary.get("out") or "",
        summary.get("questionnaire_sha256") or "",
        run["index_version"] or "",
        tuple(items),
        earlier,
    )


@stage("save decisions on {run_id}")
def save_changes(
    run_id: str, earlier: Sequence[str], changes: Sequence[Change], reviewer: str, settings: Settings
) -> dict[str, ReviewState]:
    """Save changes to answers of a run, all or none, and return the state of each question of the run.

    Raises ReviewConflict where another person decided since what ``after`` names, UsageError for an invalid change.
    """
    log = EventLog(Lake(settings.home))
    with log.alone():
        states = states_of(log, run_id, earlier)
        events = [_event(run_id, change, reviewer) for change in changes]
        require_seen(events, states)
        log.add({"run_id": run_id, "run_date": run_started_at(run_id).date()}, events)
    return states_of(log, run_id, earlier)


def states_of(log: EventLog, run_id: str, earlier: Sequence[str]) -> dict[str, ReviewState]:
    """The state of each question with events in the run, or in one of the ``earlier`` runs over the same file."""
    return fold(event for one in (*earlier, run_id) for event in log.events(one))


def watcher(run_id: str, earlier: Sequence[str], settings: Settings) -> Callable[[], dict[str, ReviewState]]:
    """The function that reads the states as they are now; what it read before it does not read again."""
    log = EventLog(Lake(settings.home))
    return lambda: states_of(log, run_id, earlier)


def _event(run_id: str, change: Change, reviewer: str) -> ReviewEvent:
    return require_valid(
        ReviewEvent(
            run_id=run_id,
            question_id=change.question_id,
            at=now(),
            reviewer=reviewer.strip(),
            action=change.action,
            final_answer=change.final_answer,
            final_verdict=change.final_verdict,
            owner=change.owner,
            comment=change.comment,
            after=change.after,
            draft_id=change.draft_id,
        )
    )


def _run_rows(lake: Lake) -> list[Mapping[str, Any]]:
    return [row for one in lake.values("runs", "run_id") for row in lake.read("runs", run_id=one).to_pylist()]
