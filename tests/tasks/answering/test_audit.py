"""Rows of the audit log, there and back, and what a replay holds against them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from configs.plans import Plan
from tasks.answering.audit.log import Basis, Settled, Times, attempt_of, audit_rows, redacted, step_rows
from tasks.answering.audit.replay import differences
from tasks.answering.drafts.draft import Asked, Attempt, Check, Draft
from tasks.records import Question
from tasks.references import Staged
from tasks.schemas import to_table
from tests.made.settled import ATTEMPTS, PLAN, TEXT, settled

IDENTITY = {"run_id": "20261122T120000-abcdef", "run_date": date(2026, 11, 22)}
BASIS = Basis(
    IDENTITY, "answer", "Ada", PLAN, Staged("default", "0" * 12, "1" * 12, 1, 1), "--tag past", {"past": ("p/**",)}
)
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
TIMES = Times(NOON, NOON, 1.5, 2.5)


def rows_of(*several: Settled) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """As the lake gives them."""
    answers = to_table("audit", audit_rows(BASIS, [(one, TIMES) for one in several])).to_pylist()
    return answers, to_table("audit_steps", step_rows(BASIS, several)).to_pylist()


def test_a_row_says_all_that_the_answer_rests_on() -> None:
    (row,), _ = rows_of(settled())
    kept = Plan.model_validate_json(row["plan_json"])
    assert kept.fingerprint() == row["plan_fingerprint"] == PLAN.fingerprint() and kept.answering == PLAN.answering
    wanted = {
        "question": "How long are backups kept?",
        "row_number": 2,
        "run_kind": "answer",
        "asked_by": "Ada",
        "scope": "--tag past",
        "tags_json": '{"past": ["p/**"]}',
        "index_version": "1" * 12,
        "model": "m",
        "prompt_sha256": "b" * 64,
        "hits": 1,
        "attempts": 2,
        "checks": 2,
        "failed_checks": 1,
        "started_at": NOON,
        "retrieval_ms": 1.5,
        "drafting_ms": 2.5,
    }
    assert {name: row[name] for name in wanted} == wanted


def test_steps_come_in_the_order_of_an_answer_and_attempts_come_back() -> None:
    _, steps = rows_of(settled())
    assert [(row["step"], row["step_index"]) for row in steps] == [
        ("hit", 0),
        ("attempt", 0),
        ("attempt", 1),
        ("check", 0),
        ("check", 1),
        ("citation", 0),
    ]
    assert tuple(attempt_of(row) for row in steps if row["step"] == "attempt") == ATTEMPTS
    assert steps[0]["chunk_id"] == "c1" and steps[0]["with_chunks"] is None and steps[-1]["quote"] == TEXT


def test_nothing_asked_gives_no_rows() -> None:
    assert rows_of() == ([], [])
    bare = Settled(Asked(Question("q", 0, "?"), []), Draft(None, None, (), 0.0), settled().answer)
    (row,), _ = rows_of(bare)
    assert (row["hits"], row["attempts"], row["model"]) == (0, 0, None)


def test_words_of_a_server_are_kept_without_secrets() -> None:
    secret = settled()
    draft = replace(
        secret.draft,
        attempts=(Attempt("openai", "m", None, "KEY it is", "no KEY"), Attempt("openai")),
        checks=(Check("a", True, "KEY"),),
    )
    clean = redacted(
        Settled(secret.asked, draft, replace(secret.answer, detail="KEY!")), lambda said: said.replace("KEY", "…")
    )
    assert "KEY" not in repr(clean)
    assert clean.draft.attempts == (Attempt("openai", "m", None, "… it is", "no …"), Attempt("openai"))


def test_a_hit_says_what_its_confidence_was_weighed_by() -> None:
    one = settled()
    seen = replace(one.asked.hits[0], relevance=-2.5, known_words=0.75)
    _, steps = rows_of(one._replace(asked=one.asked._replace(hits=[seen])))
    (row,) = (row for row in steps if row["step"] == "hit")
    assert (row["relevance"], row["known_words"]) == (-2.5, 0.75)


@pytest.mark.parametrize(
    ("table", "column", "value", "fields"),
    [
        ("audit", "text", None, ["text"]),
        ("audit", "confidence", 1e-9, []),
        ("audit", "confidence", 1e-3, ["confidence"]),
        ("audit_steps", "score", 1e-9, []),
        ("audit_steps", "score", 1e-3, ["hit 1 score"]),
        ("audit_steps", "name", "another", ["check 1 name", "check 2 name"]),
        ("audit_steps", "raw", "another", []),
    ],
)
def test_what_counts_as_different(table: str, column: str, value: Any, fields: list[str]) -> None:
    """A figure is moved by ``value``. What a model said is what is replayed, not what is compared."""
    answers, steps = rows_of(settled())
    now, steps_now = rows_of(settled())
    for row in {"audit": now, "audit_steps": steps_now}[table]:
        if isinstance(row[column], float):
            row[column] += value
        elif row[column] is not None:
            row[column] = value
    assert [one.field for one in differences(answers, steps, now, steps_now)] == fields


def test_a_text_that_is_not_there_is_blank_or_null() -> None:
    answers, steps = rows_of(settled())
    before, now = ([row | {"detail": said} for row in answers] for said in (None, ""))
    assert differences(before, steps, now, steps) == []


def test_a_step_that_is_in_one_alone_differs_in_all_its_fields() -> None:
    answers, steps = rows_of(settled("q"), settled("r"))
    found = differences(
        answers, steps, answers, [row for row in steps if (row["step"], row["question_id"]) != ("hit", "r")]
    )
    assert {one.question_id for one in found} == {"r"}
    assert [one.field for one in found] == ["hit 1 chunk_id", "hit 1 rank", "hit 1 score"], "what is null is no matter"
    assert all(one.recorded is not None and one.now is None for one in found)
