"""Evaluation stages: score plans on a gold set, and compare them.

They write the tables ``scores``, ``coverage``, ``verdict_coverage`` and ``confusion``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from configs.plans import Plan
from configs.settings import Settings
from tasks.evaluation.gold.gold_corpus import read_gold_in
from tasks.evaluation.gold.gold_set import as_question, read_gold
from tasks.evaluation.gold.outcomes import cluster_of, outcomes_of
from tasks.evaluation.judges.figures import judged_values
from tasks.evaluation.metrics.figures import (
    counted_figures,
    coverage,
    free_text_counts,
    paged,
    proposals,
    ranked_values,
    yes_no,
)
from tasks.evaluation.metrics.headline import headline
from tasks.evaluation.metrics.latency import latency_figures
from tasks.evaluation.metrics.proposals import Proposed, verdict_curve
from tasks.evaluation.metrics.verdicts import confusion
from tasks.questions.rows import question_rows
from tasks.references import Answered, Questions, Retrieved
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.statistics.estimates import wilson
from tasks.statistics.significance import holm, paired_difference
from tasks.storage.lake import Lake

COMPARED = ("page_recall_at_5", "page_mrr_at_10", "ndcg_at_10")


@stage("read the gold set {path}")
def load_gold(path: str, run: Run, settings: Settings) -> Questions:
    """Read the gold set's questions into the table ``questions``. Raises UsageError, which names a wrong line."""
    gold = read_gold(path)
    questions = (as_question(item, ordinal) for ordinal, item in enumerate(gold))
    Lake(settings.home).write("questions", question_rows(run.identity, questions), run_id=run.run_id)
    return Questions(run.run_id, len(gold))


@stage("score {answered.plan}")
def score_plan(
    path: str, retrieved: Retrieved, answered: Answered, plan: Plan, run: Run, settings: Settings
) -> dict[str, Any]:
    """Compute the figures of one plan, as ``evaluate --json`` shows them, and write them to the tables.

    The tables are ``scores``, ``coverage``, ``verdict_coverage`` and ``confusion``.
    """
    lake = Lake(settings.home)
    gold = read_gold_in(lake, path, retrieved.version.corpus).questions
    outcomes = outcomes_of(lake, gold, answered.run_id, answered.plan)
    counted = counted_figures(outcomes)
    times = latency_figures("retrieval", retrieved.times_ms) | latency_figures("drafting", answered.times_ms)
    found = counted | times
    ends = {name: one.bootstrap if name in times else one.interval(0.0, 1.0) for name, one in found.items()}
    cells = confusion(yes_no(outcomes))
    answers = lake.read("answers", run_id=answered.run_id, plan=answered.plan).to_pylist()
    row: dict[str, Any] = {**run.identity, "plan": answered.plan}
    written = {
        "scores": [row | {"metric": name} | figure.columns(ends[name]) for name, figure in found.items()],
        "coverage": [row | point._asdict() for point in coverage(outcomes)],
        "verdict_coverage": [row | point for point in _verdict_points(proposals(outcomes), plan)],
        "confusion": [row | cell._asdict() for cell in cells],
    }
    for table, rows in written.items():
        lake.write(table, rows, run_id=run.run_id, plan=answered.plan)
    by_truth: dict[str, dict[str, int]] = defaultdict(dict)
    for cell in cells:
        by_truth[cell.truth][cell.said] = cell.n
    return {
        "headline": headline(counted),
        "n": len(outcomes),
        "n_answerable": sum(outcome.gold.answerable for outcome in outcomes),
        "n_timed": len(retrieved.times_ms),
        "n_failed": answered.failed,
        "first_failure": next((str(row["detail"]) for row in answers if row["status"] == "failed"), None),
        **{name: figure.value for name, figure in found.items()},
        **{f"{name}_interval": interval for name, interval in ends.items()},
        **{f"{name}_bootstrap": figure.bootstrap for name, figure in found.items()},
        "figures": {name: figure.told() for name, figure in found.items()},
        "undefined": {name: figure.reason for name, figure in found.items() if figure.value is None},
        "free_text": free_text_counts(outcomes),
        "confusion": by_truth,
    }


def _verdict_points(asked: Sequence[Proposed], plan: Plan) -> list[dict[str, Any]]:
    """The columns of the table ``verdict_coverage``, without the run's."""
    answered_from = plan.answering.verdicts.answered_from if plan.answering.verdicts else None
    points = []
    for point in verdict_curve(asked):
        low, high = wilson(round(point.error * point.n), point.n)
        points.append(point._asdict() | {"error_low": low, "error_high": high, "answered_from": answered_from})
    return points


@stage("compare the plans")
def compare_plans(path: str, corpus: str, plans: Sequence[str], run: Run, settings: Settings) -> list[dict[str, Any]]:
    """Compare each pair of plans on the COMPARED and the judged figures, over the questions that both have values for.

    ``p_holm`` is p corrected for the number of pairs that a figure is compared over. Interval and p treat the questions
    as independent; ``standard_error`` and ``p_clustered``, which is not corrected, are clustered by document or
    questionnaire.
    """
    lake = Lake(settings.home)
    gold = read_gold_in(lake, path, corpus).questions
    clusters = {one.question_id: cluster_of(one) for one in gold}
    by_metric: dict[str, dict[str, Mapping[str, float]]] = defaultdict(dict)
    for plan in plans:
        outcomes = outcomes_of(lake, gold, run.run_id, plan)
        ids = [one.gold.question_id for one in paged(outcomes)]
        ranked = ranked_values(outcomes)
        values = {metric: dict(zip(ids, ranked[metric], strict=True)) for metric in COMPARED}
        judgements = lake.read("judgements", run_id=run.run_id, plan=plan).to_pylist()
        for metric, found in (values | judged_values(judgements)).items():
            by_metric[metric][plan] = found
    return [row for metric, values in by_metric.items() for row in _compared(metric, values, clusters)]


def _compared(
    metric: str, by_plan: Mapping[str, Mapping[str, float]], clusters: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The differences of each pair of plans, from the values by question."""
    pairs = list(combinations(by_plan, 2))
    differences = []
    for first, second in pairs:
        both = [one for one in by_plan[first] if one in by_plan[second]]
        ours, theirs = ([by_plan[plan][one] for one in both] for plan in (first, second))
        differences.append(paired_difference(ours, theirs, [clusters[one] for one in both]))
    corrected = holm([difference.p for difference in differences])
    return [
        {"plans": list(pair), "metric": metric}
        | difference.told()
        | {
            "standard_error": difference.standard_error,
            "p_holm": p_holm,
            "p_clustered": difference.p_clustered,
        }
        for pair, difference, p_holm in zip(pairs, differences, corrected, strict=True)
    ]
