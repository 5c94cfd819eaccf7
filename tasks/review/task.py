"""Stages of a review: load a run with its decisions, save decisions, and write what was approved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from configs.settings import Settings
from tasks.errors import UsageError
from tasks.questionnaires.customers_file import CustomersFile, ReadAs, filled_suffix
from tasks.questionnaires.output_names import final_path, response_path
from tasks.review.event_log import EventLog
from tasks.review.events import Change, event_of
from tasks.review.final_file import final_file, still_open
from tasks.review.items import ReviewItem, items_of
from tasks.review.page_html import report_html
from tasks.review.run_lookup import earlier_runs, find_run, source_path, with_summary
from tasks.review.state import ReviewState, fold, require_seen
from tasks.review.view import Place, item_json
from tasks.review.workbook_import import Imported, read_decisions
from tasks.runtime.runs import now, run_started_at
from tasks.runtime.stage import stage
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tasks.storage.output_file import checked_target, write_whole

Earlier = Mapping[str, frozenset[str]]
"""The earlier runs over the same file, each with the questions that it asked in the same words."""
GENERATOR = b'name="generator" content="bidfolio"'


@dataclass(frozen=True, slots=True)
class Review:
    """A run under review: its questionnaire ``source``, the filled copy ``out``, and an item for each question."""

    run_id: str
    plan: str
    corpus: str
    source: str
    out: str
    source_sha256: str
    read_as: ReadAs
    index_version: str
    answered_on: date
    items: tuple[ReviewItem, ...]
    earlier: Earlier = field(default_factory=dict)

    @property
    def open_items(self) -> list[ReviewItem]:
        """The items that a person has to look at."""
        return [item for item in self.items if not item.is_settled(self.run_id)]


@stage("load the review of {wanted}")
def load_review(wanted: str, settings: Settings) -> Review:
    """Load the run that ``wanted`` names, with the decisions on it and on earlier runs over the same file.

    Raises UsageError as :func:`find_run`.
    """
    lake = Lake(settings.home)
    rows = _run_rows(lake)
    return _review_of(find_run(rows, wanted), rows, lake)


def _review_of(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], lake: Lake) -> Review:
    run_id, plans = run["run_id"], lake.values("answers", "plan", run_id=run["run_id"])
    plan = plans[0] if plans else run["plan"]
    partition = {"run_id": run_id, "plan": plan}
    questions = lake.read("questions", run_id=run_id).to_pylist()
    asked = _asked(questions)
    earlier = {
        one: frozenset(question_id for question_id, _ in asked & _asked(lake.read("questions", run_id=one).to_pylist()))
        for one in earlier_runs(rows, run)
        if lake.values("reviews", "save_id", run_id=one)
    }
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
        ReadAs(summary.get("map") or "", summary.get("question_column") or ""),
        run["index_version"] or "",
        run_started_at(run_id).date(),
        tuple(items),
        earlier,
    )


@stage("runs that may be reviewed")
def last_reviews(most: int, settings: Settings) -> list[Review]:
    """The reviews of the last questionnaires that were answered, ``most`` at most, the latest first."""
    lake = Lake(settings.home)
    rows = _run_rows(lake)
    done = (with_summary(row) for row in rows if row["kind"] == "answer" and row["status"] == "done")
    last = sorted(done, key=lambda row: str(row["run_id"]), reverse=True)[:most]
    return [_review_of(run, rows, lake) for run in last]


@stage("save decisions on {run_id}")
def save_changes(
    run_id: str, earlier: Earlier, changes: Sequence[Change], reviewer: str, settings: Settings
) -> dict[str, ReviewState]:
    """Save changes to answers of a run, all or none, and return the state of each question of the run.

    Raises ReviewConflict where another person decided since what ``after`` names, UsageError for an invalid change.
    """
    log = EventLog(Lake(settings.home))
    with log.alone():
        states = states_of(log, run_id, earlier)
        events = [event_of(change, run_id, reviewer, now()) for change in changes]
        require_seen(events, states)
        log.add({"run_id": run_id, "run_date": run_started_at(run_id).date()}, events)
    return states_of(log, run_id, earlier)


def states_of(log: EventLog, run_id: str, earlier: Earlier) -> dict[str, ReviewState]:
    """The state of each question with events in the run, or in one of the ``earlier`` runs over the same file."""
    before = (event for one, asked in earlier.items() for event in log.events(one) if event.question_id in asked)
    return fold([*before, *log.events(run_id)])


def watcher(run_id: str, earlier: Earlier, settings: Settings) -> Callable[[], dict[str, ReviewState]]:
    """The function that reads the states as they are now; what it read before it does not read again."""
    log = EventLog(Lake(settings.home))
    return lambda: states_of(log, run_id, earlier)


@stage("read the decisions in {path}")
def read_workbook(path: str, review: Review, reviewer: str, settings: Settings, *, overwrite: bool) -> Imported:
    """The changes that an edited evidence workbook asks for. Raises UsageError as :func:`read_decisions`."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    name = Path(path).name
    return read_decisions(data, name, review.run_id, review.items, reviewer, overwrite=overwrite)


@stage("write the report {path}")
def write_report(
    review: Review, path: str, about: str, picture: Place, pictures: Mapping[str, bytes], *, overwrite: bool
) -> str:
    """Write the HTML report of a review, completely or not at all, and return its path.

    ``picture`` gives the keys of ``pictures``, which are PNGs. Raises UsageError where the path may not be written, or
    holds a file that is no report and not ``overwrite``.
    """
    target = checked_target(path, "--report")
    data = {
        "mode": "report",
        "run_id": review.run_id,
        "file": Path(review.source).name,
        "about": about,
        "items": [item_json(item, review.run_id, picture) for item in review.items],
    }
    if target.exists() and not overwrite and GENERATOR not in target.read_bytes()[:4000]:
        raise UsageError(f"{target} is there already and is no report: give --overwrite, or name another --report")
    write_whole(target, report_html(f"{data['file']}: report", data, pictures).encode(), "--report")
    return str(target)


class Finished(NamedTuple):
    """The customer's file ``out`` with the number of answers ``written``, and how many are ``open`` and left empty; and
    the ``response`` document of a tender.
    """

    out: str
    written: int
    open: int
    warnings: tuple[str, ...]
    response: str | None = None


@stage("write what was approved of {review.run_id}")
def write_final(
    review: Review,
    read: Callable[[], CustomersFile],
    out: str,
    settings: Settings,
    *,
    partial: bool,
    with_answered: bool,
    overwrite: bool,
) -> Finished:
    """Write the customer's file from what was approved, to ``out``, "" for ``<name>.final.<suffix>``; of
    a tender the compliance matrix, with the response document beside it.

    ``read`` reads the questionnaire. With ``with_answered``, what the run answered on its own and nobody decided on
    counts as settled. Raises UsageError where answers are open and not ``partial``; for a questionnaire that is gone,
    or asks something else now; and for a path that may not be written, or holds a file that is not this run's own.
    """
    left = [
        item
        for item in review.open_items
        if not (with_answered and item.state.status == "open" and item.status == "answered")
    ]
    if left and not partial:
        raise UsageError(still_open(left, review.run_id))
    source, before = Path(review.source), Path(review.out or review.source)
    suffix = before.suffix if review.out else filled_suffix(review.source)
    target = checked_target(out or final_path(before, suffix), "--out")
    if target.resolve() == source.resolve():
        raise UsageError(f"--out {target} is the questionnaire itself: name another file")
    if target.suffix.lower() != suffix.lower():
        raise UsageError(f"--out {target} must end in {suffix}, as the filled copy does")
    if not source.is_file():
        raise UsageError(f"the questionnaire {source} is gone: put it back")
    data, questionnaire = read()
    settled = [item for item in review.items if item not in left]
    done = final_file(data, questionnaire, settled, settings.company, with_answered=with_answered)
    files = {target: done.data}
    if done.response:
        files[checked_target(response_path(target), "--out")] = done.response
    copies = FilledCopies(Lake(settings.home))
    identity = {"finished": review.run_id}
    for path in files:
        if path.exists() and not overwrite and not copies.is_own(path, identity):
            raise UsageError(
                f"{path} is there already and is not this run's own work as it left it: give --overwrite to replace "
                "it, or another --out"
            )
    for path, content in files.items():
        copies.record(path, identity, content)
        write_whole(path, content, "--out")
    response = str(response_path(target)) if done.response else None
    return Finished(str(target), done.written, len(left), done.warnings, response)


def _asked(questions: Sequence[Mapping[str, Any]]) -> frozenset[tuple[str, str]]:
    return frozenset((row["question_id"], row["question"]) for row in questions)


def _run_rows(lake: Lake) -> list[Mapping[str, Any]]:
    return [row for one in lake.values("runs", "run_id") for row in lake.read("runs", run_id=one).to_pylist()]
