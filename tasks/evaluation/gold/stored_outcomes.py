"""Loading of outcomes: a run's hits and answers under a plan, read from the lake for gold questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.gold.gold_corpus import Tables
from tasks.evaluation.gold.outcomes import Outcome, Place, place
from tasks.records import GoldQuestion


def outcomes_of(lake: Tables, gold: Sequence[GoldQuestion], run_id: str, plan: str) -> list[Outcome]:
    """Load the outcome of each gold question in the run under the plan, in their order; no questions give none."""
    partition = {"run_id": run_id, "plan": plan}
    hits: dict[str, list[Place]] = defaultdict(list)
    for row in lake.read("retrievals", **partition).sort_by("rank").to_pylist():
        hits[row["question_id"]].append(_place(row))
    answers: Mapping[str, Any] = {row["question_id"]: row for row in lake.read("answers", **partition).to_pylist()}
    cited = {
        row["question_id"]: _place(row)
        for row in lake.read("citations", **partition).to_pylist()
        if row["citation_index"] == 0
    }
    return [
        Outcome(
            gold=item,
            hit_places=hits[item.question_id],
            status=answers[item.question_id]["status"],
            verdict=answers[item.question_id]["verdict"],
            cited=cited.get(item.question_id),
            confidence=answers[item.question_id]["confidence"],
            nearest=_nearest(answers[item.question_id]),
            text=answers[item.question_id]["text"],
            decline_reason=answers[item.question_id]["decline_reason"],
            proposed_verdict=answers[item.question_id]["proposed_verdict"],
            verdict_probability=answers[item.question_id]["verdict_probability"],
        )
        for item in gold
    ]


def _nearest(answer: Mapping[str, Any]) -> Place | None:
    name = answer["nearest_file_name"]
    return place(name, answer["nearest_page_number"]) if name is not None else None


def _place(row: Mapping[str, Any]) -> Place:
    return place(row["file_name"], row["page_number"], row["sheet_name"], row["row_number"])
