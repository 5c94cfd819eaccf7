"""Gold sets in, figures out: the table ``scores``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from configs.settings import Settings
from tasks.evaluation.calibration import coverage_curve
from tasks.evaluation.gold import as_question, read_gold
from tasks.evaluation.gold_corpus import read_gold_in
from tasks.evaluation.metrics import Figure, Outcome, Place, counted_figures, judged_drafts, place, ranked_values
from tasks.evaluation.significance import holm, interval, paired_difference
from tasks.lake import Lake
from tasks.records import GoldQuestion
from tasks.references import Answered, Questions, Retrieved
from tasks.retrieval.stored import question_rows
from tasks.runs import Run
from tasks.stage import stage

COMPARED = ("page_recall_at_5", "page_mrr_at_10", "ndcg_at_10")
TIMINGS = {"retrieval_ms_p50": 50, "retrieval_ms_p95": 95}


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
    gold = read_gold_in(lake, path, retrieved.version.corpus).questions
    outcomes = _outcomes(lake, gold, answered.run_id, answered.plan)
    found = counted_figures(outcomes)
    found |= {name: _percentile(retrieved.times_ms, percent) for name, percent in TIMINGS.items()}
    intervals = {name: interval(values) for name, values in ranked_values(outcomes).items()}
    intervals |= {
        name: interval(retrieved.times_ms, partial(np.percentile, q=percent)) for name, percent in TIMINGS.items()
    }
    row: dict[str, Any] = {**run.identity, "plan": answered.plan}
    rows = [
        row
        | {"metric": name, "value": figure.value, "n": figure.n}
        | dict(zip(("interval_low", "interval_high"), intervals.get(name, (None, None)), strict=True))
        for name, figure in found.items()
    ]
    lake.write("scores", rows, run_id=run.run_id, plan=answered.plan)
    curve = coverage_curve(judged_drafts(outcomes), len(outcomes))
    points = [{**run.identity, "plan": answered.plan} | point._asdict() for point in curve]
    lake.write("coverage", points, run_id=run.run_id, plan=answered.plan)
    return {
        "n": len(outcomes),
        "n_answerable": sum(outcome.gold.answerable for outcome in outcomes),
        "n_timed": len(retrieved.times_ms),
        **{name: figure.value for name, figure in found.items()},
        **{f"{name}_interval": ends for name, ends in intervals.items()},
    }


@stage("compare the plans")
def compare_plans(path: str, corpus: str, plans: Sequence[str], run: Run, settings: Settings) -> list[dict[str, Any]]:
    """Each pair of plans over the same questions: differences of the COMPARED figures, with interval and p.

    ``p_holm`` is p corrected for the number of pairs that a figure is compared over.
    """
    lake = Lake(settings.home)
    gold = read_gold_in(lake, path, corpus).questions
    values = {plan: ranked_values(_outcomes(lake, gold, run.run_id, plan)) for plan in plans}
    pairs = list(combinations(plans, 2))
    found: list[dict[str, Any]] = []
    for metric in COMPARED:
        differences = [paired_difference(values[first][metric], values[second][metric]) for first, second in pairs]
        corrected = holm([difference.p for difference in differences])
        found += [
            {
                "plans": list(pair),
                "metric": metric,
                "difference": difference.mean,
                "interval": [difference.low, difference.high],
                "p": difference.p,
                "p_holm": p_holm,
                "n": difference.n,
            }
            for pair, difference, p_holm in zip(pairs, differences, corrected, strict=True)
        ]
    return found


def _percentile(times_ms: Sequence[float], percent: int) -> Figure:
    return Figure(float(np.percentile(times_ms, percent)) if times_ms else None, len(times_ms))


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
            confidence=answers[item.question_id]["confidence"],
            nearest=_nearest(answers[item.question_id]),
        )
        for item in gold
    ]


def _nearest(answer: Mapping[str, Any]) -> Place | None:
    name = answer["nearest_file_name"]
    return place(name, answer["nearest_page_number"]) if name is not None else None


def _place(row: Mapping[str, Any]) -> Place:
    return place(row["file_name"], row["page_number"], row["sheet_name"], row["row_number"])
