"""The audit log: how each answer came about, as rows of the tables ``audit`` and ``audit_steps``.

A row of ``audit`` holds a question with its answer and all that the answer depends on. Its steps are rows of
``audit_steps``: hits handed over, attempts at a draft, checks of it, citations. Together they can be replayed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from configs.plans import Plan
from configs.wrong_keys import wrong_keys
from tasks.answering.audit.answer_rows import answer_rows, cited, whose
from tasks.answering.drafts.draft import Asked, Attempt, Draft
from tasks.errors import UsageError
from tasks.questions.rows import question_rows
from tasks.records import Answer, Hit
from tasks.references import Staged
from tasks.retrieval.hit_rows import hit_columns


class Settled(NamedTuple):
    """A question with its draft and the answer that the draft became."""

    asked: Asked
    draft: Draft
    answer: Answer


def redacted(settled: Settled, redact: Callable[[str], str]) -> Settled:
    """The same without secrets, which the words of servers and models may repeat; ``redact`` removes them."""
    asked, draft, answer = settled
    attempts = tuple(
        replace(one, raw=one.raw and redact(one.raw), failure=one.failure and redact(one.failure))
        for one in draft.attempts
    )
    checks = tuple(replace(one, detail=redact(one.detail)) for one in draft.checks)
    draft = replace(draft, detail=redact(draft.detail), attempts=attempts, checks=checks)
    return Settled(asked, draft, replace(answer, detail=redact(answer.detail)))


class Times(NamedTuple):
    """The begin and end of drafting, and one question's share of the wall time of retrieval and of drafting."""

    started_at: datetime
    finished_at: datetime
    retrieval_ms: float
    drafting_ms: float


class Basis(NamedTuple):
    """The basis of all answers of a run under a plan: models, plan, scope and settings.

    ``identity`` names the run, ``tags`` are those that its scope names. ``checks_json`` is the setting ``checks``;
    ``readers`` are the fingerprints of the cross-encoders. ``deviations`` describe how the plan that ran differs from
    its file.
    """

    identity: Mapping[str, Any]
    run_kind: str
    asked_by: str
    plan: Plan
    version: Staged
    scope: str = ""
    tags: Mapping[str, Sequence[str]] | None = None
    checks_json: str = "{}"
    readers: Mapping[str, str] | None = None
    deviations: Sequence[str] = ()


def audit_rows(basis: Basis, settled: Iterable[tuple[Settled, Times]]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``audit``, one a question."""
    plan, version = basis.plan, basis.version
    common = {
        "run_kind": basis.run_kind,
        "asked_by": basis.asked_by or None,
        "plan_fingerprint": plan.fingerprint(),
        "plan_json": plan.model_dump_json(),
        "corpus": version.corpus,
        "index_key": version.index_key,
        "index_version": version.index_version,
        "deviations": "; ".join(basis.deviations) or None,
        "scope": basis.scope or None,
        "own_words": None,
        "checks_json": basis.checks_json,
        "readers_json": json.dumps(dict(basis.readers)) if basis.readers else None,
        "tags_json": json.dumps({name: [*patterns] for name, patterns in basis.tags.items()}) if basis.tags else None,
    }
    for one, times in settled:
        (question,) = question_rows({}, [one.asked.question])
        (answer,) = answer_rows(basis.identity, plan, [one.answer])
        last = one.draft.attempts[-1] if one.draft.attempts else Attempt(one.answer.generator)
        yield (
            common
            | question
            | answer
            | times._asdict()
            | {
                "model": last.model,
                "prompt_sha256": last.prompt_sha256,
                "hits": len(one.asked.hits),
                "attempts": len(one.draft.attempts),
                "checks": len(one.draft.checks),
                "failed_checks": sum(not check.passed for check in one.draft.checks),
            }
        )


def recorded_plan(plan_json: str, run_id: str) -> Plan:
    """The plan in a row of ``audit``. Raises UsageError for one of another bidfolio that this cannot read."""
    try:
        return Plan.model_validate_json(plan_json)
    except ValidationError as error:
        raise UsageError(
            f"run {run_id!r} had a plan that this bidfolio does not know ({wrong_keys(error, 'the plan')}): replay "
            "it with the one that wrote it; trace and sql tell of its answers as before"
        ) from error


def step_rows(basis: Basis, settled: Iterable[Settled]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``audit_steps``, in the order in which an answer comes about."""
    for asked, draft, answer in settled:
        of_answer = whose(basis.identity, basis.plan, answer.question_id)
        steps = {
            "hit": [_hit(hit) for hit in asked.hits],
            "attempt": [_attempt(attempt) for attempt in draft.attempts],
            "check": [asdict(check) for check in draft.checks],
            "citation": [cited(citation) for citation in answer.citations],
        }
        for step, rows in steps.items():
            for index, row in enumerate(rows):
                yield of_answer | {"step": step, "step_index": index} | row


def _hit(hit: Hit) -> dict[str, Any]:
    """The columns of a hit that is handed over."""
    chunk = hit.chunk
    given = " ".join(dict.fromkeys(chunk.chunk_id for chunk in hit.chunks))
    return {
        "with_chunks": None if given == chunk.chunk_id else given,
        **hit_columns(hit),
        "document_id": chunk.document_id,
        "content_sha256": chunk.content_sha256,
        "start_offset": chunk.start,
        "end_offset": chunk.end,
    }


def attempt_of(row: Mapping[str, Any]) -> Attempt:
    """The attempt of a row of the table ``audit_steps``."""
    said = {field.name: row[field.name] for field in fields(Attempt) if field.name != "seconds"}
    return Attempt(**said, seconds=(row["duration_ms"] or 0.0) / 1000)


def _attempt(attempt: Attempt) -> dict[str, Any]:
    columns = asdict(attempt)
    return columns | {"duration_ms": 1000 * columns.pop("seconds")}
