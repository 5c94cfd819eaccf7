"""A run opened and recorded: what a person reads of it in Prefect's UI, and its row in the lake."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from prefect.artifacts import create_markdown_artifact, create_table_artifact

from configs.settings import Settings
from tasks.cache import StageCache
from tasks.lake import Lake
from tasks.references import Answered, Scan, Staged
from tasks.runs import Run, start_run
from tasks.stage import stage


@stage("open the run")
def open_run() -> Run:
    """A run that starts now."""
    return start_run()


@stage("record the refresh of {scan.corpus}")
def record_refresh(run: Run, scan: Scan, plan: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """The table of documents with what became of each, what changed, and the row in ``runs``."""
    lake = Lake(settings.home)
    rows = StageCache(lake).document_rows(scan.key) or []
    columns = ("file_name", "status", "kind", "page_count", "word_count", "reason")
    table = [{column: row.get(column) for column in columns} for row in rows]
    table.sort(key=lambda row: (row["status"] != "quarantined", row["file_name"]))
    create_table_artifact(key="documents", table=table, description=f"Documents of {scan.corpus}, quarantined first")
    create_markdown_artifact(key="refresh", markdown=_as_markdown(f"Refresh of {scan.corpus}", summary))
    record_run(lake, run, "refresh", plan, scan.source, summary, corpus=scan.corpus)


@stage("record the answers to {source}")
def record_answers(
    run: Run, source: str, answered: Answered, version: Staged, summary: Mapping[str, Any], settings: Settings
) -> None:
    """The table of answers, what needs a person first, the summary, and the row in ``runs``."""
    lake = Lake(settings.home)
    partition = {"run_id": answered.run_id, "plan": answered.plan}
    questions = {row["question_id"]: row for row in lake.read("questions", run_id=answered.run_id).to_pylist()}
    cited = {
        row["question_id"]: row
        for row in reversed(lake.read("citations", **partition).sort_by("citation_index").to_pylist())
    }
    rows = []
    for row in lake.read("answers", **partition).to_pylist():
        citation = cited.get(row["question_id"], {})
        rows.append(
            {
                "status": row["status"],
                "verdict": row["verdict"],
                "confidence": row["confidence_label"],
                "file_name": citation.get("file_name"),
                "page_number": citation.get("page_number"),
                "question": questions[row["question_id"]]["question"],
                "answer": row["text"],
                "why": row["decline_reason"] or row["detail"],
            }
        )
    order = ("needs_review", "failed", "declined", "answered")
    rows.sort(key=lambda row: order.index(row["status"]))
    create_table_artifact(key="answers", table=rows, description=f"Answers to {source}, those for a person first")
    create_markdown_artifact(key="answer-summary", markdown=_as_markdown(f"Answers to {source}", summary))
    record_run(lake, run, "answer", answered.plan, source, summary, corpus=version.corpus)


@stage("record the evaluation")
def record_evaluation(run: Run, gold: str, corpus: str, summary: Mapping[str, Any], settings: Settings) -> None:
    """The table of plans with their figures, and the row in ``runs``."""
    table = [{"plan": plan, **figures} for plan, figures in summary["plans"].items()]
    create_table_artifact(key="evaluation", table=table, description=f"Plans against {gold}")
    plans = ", ".join(summary["plans"])
    record_run(Lake(settings.home), run, "evaluate", plans, gold, summary, corpus=corpus)


def record_run(
    lake: Lake, run: Run, kind: str, plan: str, source: str, summary: Mapping[str, Any], *, corpus: str
) -> None:
    """The run's row in ``runs``."""
    row = {
        **run.identity,
        "kind": kind,
        "corpus": corpus,
        "plan": plan,
        "source": source,
        "index_version": summary.get("index_version"),
        "started_at": run.started_at,
        "duration_ms": int(run.seconds * 1000),
        "summary_json": json.dumps(summary),
    }
    lake.write("runs", [row], run_id=run.run_id)


def _as_markdown(title: str, summary: Mapping[str, Any]) -> str:
    lines = [f"# {title}", "", "| what | figure |", "|---|---|"]
    for key, value in summary.items():
        pairs = value.items() if isinstance(value, Mapping) else [("", value)]
        lines += [f"| {key} {name} | {figure} |".replace("  ", " ") for name, figure in pairs]
    return "\n".join(lines)
