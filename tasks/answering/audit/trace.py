"""Trace of one answer: question, hits, attempts, checks and citations, in the order in which it came about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

from configs.settings import Settings
from tasks.answering.audit.replay import OF_AN_ANSWER
from tasks.errors import UsageError
from tasks.retrieval.hit_rows import duplicates_of
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake

SHOWN_ANSWERS = 5
_PREFIX = re.compile(r"[0-9a-f]{1,16}")
_QUESTION = ("question_id", "question", "asked_as", "kind", "section", "sheet_name", "row_number", "max_characters")
_PLACE = ("page_number", "page_label", "sheet_name", "row_number", "section_path", "document_name")
_STEP: Mapping[str, tuple[str, ...]] = {
    "hit": (
        *("rank", "score", "dense_similarity", "lexical_similarity", "bm25_share", "relevance"),
        *("names_document", "duplicates"),
        *("chunk_id", "file_name", *_PLACE),
    ),
    "attempt": ("generator", "model", "prompt_sha256", "raw", "failure", "duration_ms"),
    "check": ("name", "passed", "detail"),
    "citation": ("file_name", *_PLACE, "quote", "start_offset", "end_offset", "document_id", "content_sha256"),
}
_TIMES = ("started_at", "finished_at", "retrieval_ms", "drafting_ms")


@stage("trace {prefix}")
def trace_answer(prefix: str, settings: Settings) -> dict[str, Any]:
    """The record of the answer whose id begins with ``prefix``, and what became of the documents that it cites.

    Raises UsageError where no answer, or more than one, is called so.
    """
    lake = Lake(settings.home)
    run_id, plan, answer_id = _find(prefix, lake)
    (row,) = _of(answer_id, lake, "audit", run_id, plan)
    found = _of(answer_id, lake, "audit_steps", run_id, plan)
    found.sort(key=itemgetter("step_index"))
    steps = {step: [_some(one, columns) for one in found if one["step"] == step] for step, columns in _STEP.items()}
    documents = lake.read("documents", corpus=row["corpus"])
    today = dict(zip(documents["file_name"].to_pylist(), documents["document_id"].to_pylist(), strict=True))
    for hit in steps["hit"]:
        hit["duplicates"] = [one._asdict() for one in duplicates_of(hit)]
    runs = lake.read("runs", run_id=run_id).to_pylist()
    expansions = lake.read("expansions", run_id=run_id, plan=plan).to_pylist()
    return {
        "answer_id": answer_id,
        "run_id": run_id,
        **_some(row, ("run_kind", "asked_by")),
        "source": runs[0]["source"] if runs else None,
        "question": _some(row, _QUESTION),
        "plan": plan,
        **_some(row, ("plan_fingerprint", "deviations", "corpus", "index_version")),
        "live_since": _live_since(row, lake),
        "scope": row["scope"],
        "asked_beside": [
            one["query"] for one in expansions if one["question_id"] == row["question_id"] and one["query"] is not None
        ],
        "hits": steps["hit"],
        "attempts": steps["attempt"],
        "checks": steps["check"],
        "answer": _some(row, (*OF_AN_ANSWER, "draft_probability", "nearest_page_label")),
        "citations": [one | {"document_today": _change(one, today)} for one in steps["citation"]],
        **_some(row, _TIMES),
    }


def _find(prefix: str, lake: Lake) -> tuple[str, str, str]:
    """The run, the plan and the id of the one answer whose id begins with ``prefix``."""
    wanted = prefix.strip().lower()
    if not _PREFIX.fullmatch(wanted):
        raise UsageError(f"{prefix!r} is no id of an answer: they are up to 16 of the digits 0-9 and a-f")
    found: list[tuple[str, str, str]] = []
    for one in _all_answers(lake):
        if one[2].startswith(wanted):
            found.append(one)
            if one[2] == wanted:
                return one
    if not found:
        raise UsageError(
            f'the audit log has no answer {wanted!r}: bidfolio sql "SELECT answer_id, question, status FROM audit '
            'ORDER BY started_at DESC LIMIT 10" names the last'
        )
    if len(found) > 1:
        some = ", ".join(answer_id for _, _, answer_id in found[:SHOWN_ANSWERS])
        raise UsageError(f"{len(found)} answers begin with {wanted!r} ({some} …): give more of its digits")
    return found[0]


def _all_answers(lake: Lake) -> Iterator[tuple[str, str, str]]:
    """The run, plan and id of every answer, those of the last runs first; only the ids are read."""
    for run_id in reversed(lake.values("audit", "run_id")):
        for plan in lake.values("audit", "plan", run_id=run_id):
            where = "lake", "audit", f"run_id={run_id}", f"plan={plan}", "audit.parquet"
            ids = lake.get_table(*where, columns=["answer_id"])
            for answer_id in ids["answer_id"].to_pylist() if ids is not None else ():
                yield run_id, plan, answer_id


def _of(answer_id: str, lake: Lake, table: str, run_id: str, plan: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = lake.read(table, run_id=run_id, plan=plan).to_pylist()
    return [row for row in rows if row["answer_id"] == answer_id]


def _change(citation: Mapping[str, Any], today: Mapping[str, str]) -> str:
    there = today.get(citation["file_name"])
    return "gone" if there is None else "unchanged" if there == citation["document_id"] else "changed"


def _live_since(row: Mapping[str, Any], lake: Lake) -> datetime | None:
    """The last time before the answer when the searched version went live, by the record; None where it never did."""
    whose = ("corpus", "index_key", "index_version")
    for run_id in reversed(lake.values("index_versions", "run_id")):
        for one in lake.read("index_versions", run_id=run_id).to_pylist():
            if all(one[key] == row[key] for key in whose) and one["published_at"] <= row["finished_at"]:
                published: datetime = one["published_at"]
                return published
    return None


def _some(row: Mapping[str, Any], columns: tuple[str, ...]) -> dict[str, Any]:
    return {column: row[column] for column in columns}
