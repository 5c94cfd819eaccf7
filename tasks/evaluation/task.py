"""Gold sets in, figures out: the table ``scores``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from configs.settings import Settings
from tasks.evaluation.gold import as_question, read_gold
from tasks.evaluation.metrics import Outcome, Place, counted_figures, place
from tasks.evaluation.significance import interval, paired_difference
from tasks.lake import Lake
from tasks.records import GoldQuestion
from tasks.references import Answered, Questions, Retrieved
from tasks.retrieval.stored import question_rows
from tasks.runs import Run
from tasks.stage import stage


@stage("read the gold set {path}")
def load_gold(path: str, run: Run, settings: Settings) -> Questions:
    """The gold set's questions, in the table ``questions``. Raises UsageError that names a wrong line."""
    gold = read_gold(path)
    questions = (as_question(item, ordinal) for ordinal, item in enumerate(gold))
    Lake(settings.home).write("questions", question_rows(run.identity, questions), run_id=run.run_id)
    return Questions(run.run_id, len(gold))


@stage("score {answered.plan}")
def score_plan(path: str, retrieved: Retrieved, answered: Answered, run: Run, settings: Settings) -> dict[str, Any]:
    """The figures of one plan, as ``evaluate --json`` shows them, and in the table ``scores``."""
    lake = Lake(settings.home)
    outcomes = _outcomes(lake, read_gold(path), answered.run_id, answered.plan)
    found = counted_figures(outcomes)
    answerable = [outcome for outcome in outcomes if outcome.gold.answerable]
    row: dict[str, Any] = {**run.identity, "plan": answered.plan}
    figures_rows = [row | {"metric": name, "value": figure.value, "n": figure.n} for name, figure in found.items()]
    timing = row | {"metric": "retrieval_ms_p50", "value": retrieved.milliseconds_p50, "n": len(outcomes)}
    lake.write("scores", [*figures_rows, timing], run_id=run.run_id, plan=answered.plan)
    return {
        "n": len(outcomes),
        "n_answerable": len(answerable),
        **{name: figure.value for name, figure in found.items()},
        "page_recall_at_5_interval": interval(_hit_at_5(answerable)),
        "page_mrr_at_10_interval": interval(_reciprocal_ranks(answerable)),
        "retrieval_ms_p50": retrieved.milliseconds_p50,
    }


@stage("compare the plans")
def compare_plans(path: str, plans: Sequence[str], run: Run, settings: Settings) -> list[dict[str, Any]]:
    """Each pair of plans over the same questions: differences of recall@5 and of MRR@10, with interval and p."""
    lake = Lake(settings.home)
    gold = read_gold(path)
    answerable = {plan: [o for o in _outcomes(lake, gold, run.run_id, plan) if o.gold.answerable] for plan in plans}
    found: list[dict[str, Any]] = []
    for first, second in combinations(plans, 2):
        for metric, values in (("page_recall_at_5", _hit_at_5), ("page_mrr_at_10", _reciprocal_ranks)):
            difference = paired_difference(values(answerable[first]), values(answerable[second]))
            found.append(
                {
                    "plans": [first, second],
                    "metric": metric,
                    "difference": difference.mean,
                    "interval": [difference.low, difference.high],
                    "p": difference.p,
                    "n": difference.n,
                }
            )
    return found


def _hit_at_5(outcomes: Sequence[Outcome]) -> list[float]:
    return [float(outcome.first_rank is not None and outcome.first_rank <= 5) for outcome in outcomes]


def _reciprocal_ranks(outcomes: Sequence[Outcome]) -> list[float]:
    return [outcome.reciprocal_rank for outcome in outcomes]


def _outcomes(lake: Lake, gold: Sequence[GoldQuestion], run_id: str, plan: str) -> list[Outcome]:
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
        )
        for item in gold
    ]


def _place(row: Mapping[str, Any]) -> Place:
    return place(row["file_name"], row["page_number"], row["sheet_name"], row["row_number"])
