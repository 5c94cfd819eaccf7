"""`bidfolio replay`: compute a run's answers again from its records, and list differences."""

from __future__ import annotations

from typing import Any

from configs.settings import Settings
from tasks.answering.task import replay_run

SHOWN_DIFFERENCES = 20
SHOWN_CHARACTERS = 160


def replay(run_id: str, settings: Settings) -> dict[str, Any]:
    """Replay a run; returns counts and each field that differs. Raises UsageError as :func:`replay_run`."""
    replayed = replay_run.fn(run_id, settings)
    differing = {found.answer_id for found in replayed.differences}
    return {
        "run_id": replayed.run_id,
        "plans": list(replayed.plans),
        "answers": replayed.answers,
        "same": replayed.answers - len(differing),
        "differing": len(differing),
        "differences": [found._asdict() for found in replayed.differences],
    }


def replay_lines(summary: dict[str, Any]) -> list[str]:
    """The lines for people: the first SHOWN_DIFFERENCES differences, and the sum."""
    found = summary["differences"]
    lines = [
        f"{one['question_id']}: {one['field']} was {_shown(one['recorded'])}, is {_shown(one['now'])}  "
        f"(bidfolio trace {one['answer_id']})"
        for one in found[:SHOWN_DIFFERENCES]
    ]
    if len(found) > SHOWN_DIFFERENCES:
        lines.append(f"and {len(found) - SHOWN_DIFFERENCES} more differences: --json has all of them")
    if not found:
        return [f"run {summary['run_id']}: all {summary['answers']} answers are as they were recorded"]
    return [*lines, f"run {summary['run_id']}: {summary['differing']} of {summary['answers']} answers differ"]


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if not isinstance(value, str):
        return str(value)
    return repr(value if len(value) <= SHOWN_CHARACTERS else f"{value[:SHOWN_CHARACTERS]}…")
