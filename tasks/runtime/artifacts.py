"""Records of runs: their artifacts in Prefect's UI, and their rows in the lake's table ``runs``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from configs.settings import Settings
from tasks.errors import BidfolioError, GateRefused, ReadOnly
from tasks.references import Answered, Converted, Scan, Staged
from tasks.runtime.acting import acting
from tasks.runtime.crashed import KILLED, close_rows
from tasks.runtime.flow_run import add_markdown, add_table, flow_run_id, is_in_flow, report_crashed
from tasks.runtime.runs import Run, start_run
from tasks.runtime.secret_redaction import secrets_removed
from tasks.runtime.stage import stage
from tasks.runtime.store_marks import in_progress, marks_of
from tasks.schemas import TABLES_BY_RUN
from tasks.storage.commits import Commits, of_run
from tasks.storage.document_rows import DocumentRows
from tasks.storage.home_format import FORMAT, PLACE, require_known
from tasks.storage.lake import Lake


@stage("open the run")
def open_run(kind: str, plan: str, source: str, corpus: str | None, settings: Settings, scope: str = "") -> Run:
    """Start a run and write its row in ``runs``; runs that were killed are closed before.

    Raises UsageError where the home cannot be written, or was made by a newer bidfolio.
    """
    lake = Lake(settings.home)
    require_known(lake.get(*PLACE), settings.home)
    close_crashed.fn(settings)
    if lake.get(*PLACE) != str(FORMAT).encode():
        lake.put(str(FORMAT).encode(), *PLACE)
    run = new_run(kind, plan, source, corpus, settings, scope)._replace(flow_run_id=flow_run_id())
    with suppress(OSError):  # the row, which is next, says what is wrong with the home
        marks_of(lake).mark(run.run_id, run.flow_run_id)
    record_run(run, settings, status="running")
    return run


def new_run(kind: str, plan: str, source: str, corpus: str | None, settings: Settings, scope: str = "") -> Run:
    """A run that begins now, of which nothing is recorded yet."""
    return start_run(kind, _findable(plan), source, corpus or None, scope, settings.user)


def is_tidy(settings: Settings) -> bool:
    """Tell if :func:`open_run` would have nothing to put in order: no run was killed, and the home has its format."""
    lake = Lake(settings.home)
    return lake.get(*PLACE) == str(FORMAT).encode() and not any(marks_of(lake).dead())


@stage("close runs that were killed")
def close_crashed(settings: Settings) -> None:
    """Close each run whose process is gone, as :func:`close_rows` does; in a flow, also its flow run in Prefect.

    A home that cannot be written stays as it is.
    """
    lake = Lake(settings.home)
    marks = marks_of(lake)
    for dead in marks.dead():
        with suppress(ReadOnly):
            close_rows(lake, dead.run_id)
            if not dead.flow_run_id:
                marks.unmark(dead.run_id)
            elif not is_in_flow():
                marks.close(dead)
            else:
                report_crashed(dead.flow_run_id, KILLED)
                marks.unmark(dead.run_id)


@stage("what is in progress")
def runs_in_progress(settings: Settings) -> frozenset[str]:
    """The ids of the runs that a process is writing now."""
    return in_progress(Lake(settings.home))


def _findable(plans: str) -> str:
    """The plans' names, with the paths of files made absolute, so that they are found from any folder."""
    names = plans.split(", ")
    return ", ".join(str(Path(name).absolute()) if name.endswith((".yaml", ".yml")) else name for name in names)


@stage("record the refresh of {converted.corpus}")
def record_refresh(run: Run, converted: Converted, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record a refresh: tables of documents, quarantined first, and of changes; the summary,
    and the row in ``runs``.
    """
    rows = DocumentRows(Lake(settings.home)).document_rows(converted.corpus, converted.key) or []
    columns = ("file_name", "status", "kind", "page_count", "word_count", "reason")
    table = [{column: row.get(column) for column in columns} for row in rows]
    table.sort(key=lambda row: (row["status"] != "quarantined", row["file_name"]))
    of_corpus = f"Documents of {converted.corpus}, quarantined first"
    add_table("documents", table, of_corpus)
    _tell_changes(converted, f"What changed in {converted.corpus}", settings)
    add_markdown("refresh", _as_markdown(f"Refresh of {converted.corpus}", summary))
    _record_done(run, converted.corpus, summary, settings)


@stage("record that {scan.corpus} is unchanged")
def record_unchanged(
    run: Run, scan: Scan, converted: Converted | None, summary: Mapping[str, Any], settings: Settings
) -> None:
    """Record a refresh without changes: the row in ``runs``, and in a flow a table of files that could not be read
    again.
    """
    said = f"Nothing has changed in {scan.corpus}: version {summary['index_version']} stays live"
    if converted is not None:
        _tell_changes(converted, said, settings)
    elif is_in_flow():
        add_table("changes", [], said)
    _record_done(run, scan.corpus, summary, settings, status="unchanged")


@stage("record the answers to {run.source}")
def record_answers(
    run: Run, answered: Answered, version: Staged, summary: Mapping[str, Any], settings: Settings
) -> None:
    """Record an answer run: the table of answers, those that need a person first, the summary,
    and the row in ``runs``.
    """
    lake = Lake(settings.home)
    partition = {"run_id": answered.run_id, "plan": answered.plan}
    questions = {row["question_id"]: row for row in lake.read("questions", run_id=answered.run_id).to_pylist()}
    cited = {
        row["question_id"]: row
        for row in reversed(lake.read("citations", **partition).sort_by("citation_index").to_pylist())
    }
    rows = [
        {
            "status": row["status"],
            "verdict": row["verdict"],
            "confidence": row["confidence_label"],
            "file_name": cited.get(row["question_id"], {}).get("file_name"),
            "page_number": cited.get(row["question_id"], {}).get("page_number"),
            "question": questions[row["question_id"]]["question"],
            "answer": row["text"],
            "why": row["decline_reason"] or row["detail"],
        }
        for row in lake.read("answers", **partition).to_pylist()
    ]
    order = ("needs_review", "failed", "declined", "answered")
    rows.sort(key=lambda row: order.index(row["status"]))
    add_table("answers", rows, f"Answers to {run.source}, those for a person first")
    add_markdown("answer-summary", _as_markdown(f"Answers to {run.source}", summary))
    _record_done(run, version.corpus, summary, settings)


@stage("record the evaluation")
def record_evaluation(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record an evaluation: the table of plans with their figures, and the row in ``runs``."""
    table = [
        {"plan": plan, **{name: value for name, value in figures.items() if not isinstance(value, Mapping)}}
        for plan, figures in summary["plans"].items()
    ]
    add_table("evaluation", _rounded(table), f"Plans against {run.source}")
    _record_done(run, corpus, summary, settings)


@stage("record what was tuned")
def record_tuning(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record a tuning: the summary, and the row in ``runs``."""
    add_markdown("tuning", _as_markdown(f"Tuning of {run.plan} on {corpus}", summary))
    _record_done(run, corpus, summary, settings)


@stage("record the grid")
def record_grid(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record a grid: the tables of factors and of the best configurations, the verdict, and the row in ``runs``."""
    factors = [{**row, "by_runs": row["by_runs"]["f"]} for row in summary["anova"]]
    said = f"What matters to {summary['objective']}"
    add_table("grid-factors", _rounded(factors), said)
    top = [{**row, "levels": ", ".join(f"{k} {v}" for k, v in row["levels"].items())} for row in summary["top"]]
    said = f"The best configurations of {summary['grid']}"
    add_table("grid-best", _rounded(top), said)
    told = {key: value for key, value in summary.items() if not isinstance(value, list | Mapping)}
    told |= {"best": ", ".join(f"{k} {v}" for k, v in summary["best"]["levels"].items())}
    told |= {"beats the plan in use": summary["best"]["beats"], "held out": summary["best"]["held_out"]}
    add_markdown("grid", _as_markdown(f"Grid {summary['grid']} on {corpus}", told))
    _record_done(run, corpus, summary, settings)


@stage("record the experiment")
def record_experiment(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record an experiment: the table of settings with their figures, and the row in ``runs``."""
    said = f"{summary['experiment']} on {corpus}: {summary['question']}"
    add_table("experiment", _rounded(summary["figures"]), said)
    _record_done(run, corpus, summary, settings)


@stage("record the page finders")
def record_page_finders(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """Record a comparison of page finders: the table of finders with their accuracy, and the row in ``runs``."""
    table = [
        {"chunk tokens": tokens, "finder": finder, **figures}
        for tokens, by_finder in summary["page_finder"].items()
        for finder, figures in by_finder.items()
    ]
    add_table("page-finders", _rounded(table), f"Page finders on {corpus}")
    _record_done(run, corpus, summary, settings)


@contextmanager
def failure_recorded(run: Run, settings: Settings) -> Iterator[None]:
    """Let the block act for the run, and record its failure in the row in ``runs``; a gate's refusal also as an
    artifact of the flow.

    Only the messages of bidfolio's own errors are recorded: those of others may hold a document's text, or a secret.
    """
    try:
        with acting(run):
            yield
    except BaseException as error:
        status = "refused" if isinstance(error, GateRefused) else "failed"
        told = str(error) if isinstance(error, BidfolioError) else type(error).__name__
        with suppress(BidfolioError, OSError):  # the failure may be that nothing can be written
            record_run(run, settings, status=status, error=told)
        if isinstance(error, GateRefused) and is_in_flow():
            add_markdown("refused", f"# Refused\n\n{told}")
        raise


@contextmanager
def refusal_told(converted: Converted, settings: Settings) -> Iterator[None]:
    """Record the changes that would have been made, with the reason, if a gate refuses the block."""
    try:
        yield
    except GateRefused as error:
        _tell_changes(converted, f"What would have changed in {converted.corpus}. Refused: {error}", settings)
        raise


def record_run(run: Run, settings: Settings, **columns: Any) -> None:
    """Write the run's row in ``runs``: its start and duration, and ``columns``, without secrets.

    When it has ended, the files that it has left in the lake are recorded.
    """
    remove = secrets_removed()
    told = {name: remove(columns[name]) for name in ("error", "summary_json") if columns.get(name)}
    row = {
        **run.identity,
        "kind": run.kind,
        "plan": run.plan,
        "source": run.source,
        "corpus": run.corpus,
        "scope": run.scope or None,
        "asked_by": run.asked_by or None,
        "flow_run_id": run.flow_run_id or None,
        "started_at": run.started_at,
        "duration_ms": int(run.seconds * 1000),
    }
    lake = Lake(settings.home)
    lake.write("runs", [row | columns | told], run_id=run.run_id)
    if columns.get("status") != "running":
        Commits(lake).put(of_run(run.run_id), [("lake", name, f"run_id={run.run_id}") for name in TABLES_BY_RUN])
        marks_of(lake).unmark(run.run_id)


def _tell_changes(converted: Converted, said: str, settings: Settings) -> None:
    changed = DocumentRows(Lake(settings.home)).changes(converted.corpus, converted.key)
    add_table("changes", change_table(changed), said)


def _record_done(run: Run, corpus: str, summary: Mapping[str, Any], settings: Settings, status: str = "done") -> None:
    told = {"index_version": summary.get("index_version"), "summary_json": json.dumps(summary)}
    record_run(run, settings, corpus=corpus, status=status, **told)


def _rounded(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with figures rounded to three decimals, for people; Parquet has all digits."""
    return [{key: round(one, 3) if isinstance(one, float) else one for key, one in row.items()} for row in rows]


def change_table(changes: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The changes as a table for people: those that need somebody first, figures before and now in one cell.

    The page that shows it breaks no line, so long texts stand last, without the file's name. No changes give no rows.
    """
    order = ("quarantined", "kept", "deleted", "renamed", "changed", "added")
    return [
        {
            "change": row["change"],
            "file_name": row["file_name"],
            "pages": _before_and_now(row["pages_before"], row["pages"]),
            "words": _before_and_now(row["words_before"], row["words"]),
            "why": _why(row),
        }
        for row in sorted(changes, key=lambda row: (order.index(row["change"]), row["file_name"]))
    ]


def _before_and_now(before: int | None, now: int | None) -> str:
    if before is None or now is None or before == now:
        return "" if (known := now if now is not None else before) is None else f"{known:,}"
    return f"{before:,} → {now:,}"


def _why(row: Mapping[str, Any]) -> str:
    if row["old_name"]:
        return f"was {row['old_name']}, with the same content"
    return (row["reason"] or "").removeprefix(f"{row['file_name']}: ")


def _as_markdown(title: str, summary: Mapping[str, Any]) -> str:
    lines = [f"# {title}", "", "| what | figure |", "|---|---|"]
    for key, value in summary.items():
        if value is None:
            continue
        pairs = value.items() if isinstance(value, Mapping) else [("", value)]
        lines += [f"| {key} {name} | {figure} |".replace("  ", " ") for name, figure in pairs]
    return "\n".join(lines)
