"""Stages of an experiment: list its trials, judge them into the table ``experiments``, and write the results out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.parquet as pq

from configs.experiments import Experiment, OnGold, PageFinderExperiment
from configs.settings import Settings
from tasks.evaluation.experiments.figures import experiment_figures, page_finder_figures
from tasks.evaluation.experiments.settings import SETTING, relative_maximum_of, trials_of_experiment
from tasks.evaluation.experiments.trials import Trial
from tasks.evaluation.gold.gold_set import read_gold
from tasks.evaluation.out_folder import out_folder
from tasks.references import Gridding
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake


@stage("lay out the experiment {experiment.name}")
def plan_experiment(experiment: OnGold, settings: Settings) -> list[Trial]:
    """List the trials of the experiment, one for each setting. Raises UsageError as :func:`trials_of_experiment`."""
    return trials_of_experiment(experiment, settings)


@stage("judge the experiment {experiment.name}")
def judge_experiment(
    path: str, experiment: OnGold, trials: Sequence[Trial], gridding: Gridding, run: Run, settings: Settings
) -> dict[str, Any]:
    """Compute the figures of each setting, for ``evaluate --experiment --json`` and the table ``experiments``."""
    lake = Lake(settings.home)
    names = {trial.number: trial.levels[SETTING] for trial in trials if trial.levels is not None}
    given: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in names.values()}
    for row in lake.read("grid", run_id=gridding.run_id).to_pylist():
        given[names[row["configuration"]]][row["question_id"]] = row
    questions = len(read_gold(path, may_be_unlabelled=True))
    best = relative_maximum_of(experiment)
    figures = experiment_figures(given, experiment.measures, experiment.against, questions, best)
    return {
        **_written(lake, experiment, figures, run),
        "against": experiment.against,
        "relative_maximum": best or None,
        "questions": questions,
        "kept": gridding.kept,
        "interrupted": gridding.interrupted,
        **gridding.failures(names),
        "deviations": {names[trial.number]: list(trial.deviations) for trial in trials if trial.deviations},
    }


@stage("judge the page finders")
def judge_page_finders(
    experiment: PageFinderExperiment,
    figures: Mapping[str, Mapping[str, Mapping[str, Any]]],
    run: Run,
    settings: Settings,
) -> dict[str, Any]:
    """Compute the accuracy of each page finder by chunk size, returned and stored as in :func:`judge_experiment`."""
    return _written(Lake(settings.home), experiment, page_finder_figures(figures), run)


@stage("write to {out}")
def write_experiment(summary: Mapping[str, Any], run_id: str, out: str, settings: Settings) -> None:
    """Write ``experiment.json`` and ``experiments.parquet`` to ``out``. Raises UsageError if it cannot be written."""
    with out_folder(out) as folder:
        (folder / "experiment.json").write_text(json.dumps(summary, indent=2), encoding="utf-8")
        pq.write_table(Lake(settings.home).read("experiments", run_id=run_id), folder / "experiments.parquet")


def _written(lake: Lake, experiment: Experiment, rows: list[dict[str, Any]], run: Run) -> dict[str, Any]:
    """Write the figures to the table ``experiments``; returns them as JSON."""
    whose = {**run.identity, "experiment": experiment.name, "kind": experiment.by}
    lake.write("experiments", [whose | row for row in rows], run_id=run.run_id)
    return {
        "experiment": experiment.name,
        "kind": experiment.by,
        "question": experiment.question,
        "varies": experiment.varies,
        "after": experiment.after,
        "base": experiment.base,
        "figures": rows,
    }
