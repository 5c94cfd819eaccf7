"""Stages for confidence: fit a plan's confidence and thresholds by a gold set, judge them, and write them as a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from configs.grids import patched
from configs.plans import Plan, read_recipe
from configs.settings import Settings
from tasks.errors import UsageError
from tasks.evaluation.gold.gold_corpus import read_gold_in
from tasks.evaluation.gold.outcomes import DRAFTED, outcomes_of
from tasks.evaluation.out_folder import out_folder
from tasks.records import GoldQuestion
from tasks.references import Answered
from tasks.runtime.stage import stage
from tasks.statistics.estimates import Figure
from tasks.statistics.significance import SIGNIFICANT_P, paired_difference
from tasks.storage.lake import Lake
from tasks.tuning import confidence_fitting
from tasks.tuning.confidence_fitting import Effect, Seen, Sigmoid, Thresholds, Wish
from tasks.tuning.trial_measurement import correctness

LEAST_ANSWERABLE = 20
"""Least number of drafts for answerable questions: with fewer, a twentieth is less than one question."""
FILE_NAME = "calibrated.yaml"
AS_IT_IS = Sigmoid(1, 0)


@stage("fit the confidence of {plan.name}")
def fit_confidence(
    path: str, corpus: str, answered: Answered, plan: Plan, wish: Wish, settings: Settings
) -> dict[str, Any]:
    """Fit confidence and thresholds to the gold set in ``path``; returns them beside the plan's, with their effects.

    The effect is on questions that chose neither. ``answered`` are the questions with both thresholds at 0. Raises
    UsageError if fewer than LEAST_ANSWERABLE answerable questions have a draft.
    """
    lake = Lake(settings.home)
    seen = _seen(lake, read_gold_in(lake, path, corpus).questions, answered)
    drafts = [one for one in seen if one.is_drafted]
    if (answerable := sum(one.answerable for one in drafts)) < LEAST_ANSWERABLE:
        raise UsageError(
            f"{path}: {answerable} of its answerable questions have a draft, and thresholds for a share of them want "
            f"{LEAST_ANSWERABLE}: give a gold set of more (`bidfolio gold make` makes one of the corpus)"
        )
    of_plan = Thresholds(plan.answering.decline_below, plan.answering.review_below)
    chosen = confidence_fitting.thresholds(seen, wish)
    sigmoid, fit = _sigmoid(seen, plan)
    weights = plan.answering.confidence
    patch: dict[str, Any] = {
        name: confidence_fitting.moved_threshold(value, sigmoid) for name, value in chosen._asdict().items()
    }
    if weights is not None and sigmoid != AS_IT_IS:
        patch["confidence"] = confidence_fitting.moved(weights, sigmoid).model_dump()
    return {
        "questions": {"answerable": sum(one.answerable for one in seen), "all": len(seen), "drafts": len(drafts)},
        **wish._asdict(),
        "calibration": fit,
        "calibration_error": confidence_fitting.calibration_error(seen),
        "curve": [point._asdict() for point in confidence_fitting.curve(seen)],
        "as_it_is": of_plan._asdict() | _told(confidence_fitting.effect(seen, of_plan)),
        "chosen": chosen._asdict() | _told(confidence_fitting.effect_left_out(seen, wish)),
        "answering": patch,
    }


@stage("write to {out}")
def write_calibrated(plan: str, gold: str, fitted: Mapping[str, Any], out: str) -> str:
    """Write the plan with the fitted thresholds as FILE_NAME into the folder ``out``; returns its path.

    Raises UsageError if it cannot be written.
    """
    recipe = patched(read_recipe(plan)[1], {"answering": fitted["answering"]})
    recipe["after"] = f"{Path(plan).stem}, with its thresholds by {Path(gold).name}"
    with out_folder(out) as folder:
        file = folder / FILE_NAME
        file.write_text(yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return str(file)


def _seen(lake: Lake, gold: Sequence[GoldQuestion], answered: Answered) -> list[Seen]:
    """The outcomes of the questions, without those whose answer failed: nothing is known of these."""
    return [
        Seen(
            confidence=one.confidence or 0.0,
            answerable=one.gold.answerable,
            is_drafted=one.status in DRAFTED,
            may_stand=one.status == "answered",
            is_right=None if (score := correctness(one)) is None else bool(score),
            cluster=one.cluster,
        )
        for one in outcomes_of(lake, gold, answered.run_id, answered.plan)
        if one.status != "failed"
    ]


def _sigmoid(seen: Sequence[Seen], plan: Plan) -> tuple[Sigmoid, dict[str, Any]]:
    """Fit the sigmoid for the plan's log-odds, and judge it; the identity if it helps no more than chance."""
    if plan.answering.confidence is None:
        return AS_IT_IS, {"taken": False, "reason": "the plan's score is no probability: it has no weights"}
    if not confidence_fitting.can_be_fitted(seen):
        least = confidence_fitting.LEAST_OF_A_KIND
        return AS_IT_IS, {"taken": False, "reason": f"it wants {least} drafts for questions that nothing answers"}
    before, after = confidence_fitting.losses_left_out(seen)
    found, difference = confidence_fitting.sigmoid(seen), paired_difference(before, after)
    taken = found.slope > 0 and (difference.mean or 0.0) > 0 and (difference.p or 0.0) < SIGNIFICANT_P
    gain = {
        "mean": difference.mean,
        "interval": [difference.low, difference.high],
        "p": difference.p,
        "n": difference.n,
    }
    fit = {"taken": taken, **found._asdict(), "loss": sum(before) / len(before), "gain": gain}
    return (found if taken else AS_IT_IS), fit


def _told(effect: Effect) -> dict[str, Any]:
    def told(figure: Figure) -> dict[str, Any]:
        return {"value": figure.value, "interval": list(figure.interval(0.0, 1.0)), "n": figure.n}

    return {name: told(figure) for name, figure in effect._asdict().items()}
