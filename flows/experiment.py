"""`bidfolio evaluate --experiment`: vary one factor, and test which settings differ by more than chance."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow

from configs.experiments import experiment_names, load_on_gold, load_page_finder, plan_of_setting
from configs.settings import load_settings
from flows.cli.output.progress import log_where_unseen
from flows.evaluate import build_versions
from flows.prefect_server.form_types import MayBeEmpty, named, titled
from tasks.conversion.task import documents_of_lake
from tasks.evaluation.experiment_task import (
    judge_experiment,
    judge_page_finders,
    plan_experiment,
    write_experiment,
)
from tasks.evaluation.gold_task import check_gold
from tasks.evaluation.report_task import report_experiment
from tasks.pages.accuracy_task import measure_page_finders
from tasks.publishing.task import find_corpus
from tasks.runtime.artifacts import failure_recorded, open_run, record_experiment
from tasks.tuning.grid_task import measure_trials

ExperimentName = Annotated[str, titled("Experiment", experiment_names())]


@flow(name="experiment", flow_run_name=named("experiment", "experiment"), on_running=[log_where_unseen])
def experiment_on_gold(
    gold: Annotated[str, titled("Gold set")],
    experiment: ExperimentName,
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    out: Annotated[MayBeEmpty, titled("Folder of the results")] = "",
) -> dict[str, Any]:
    """Measures each setting of an experiment on the same questions; an index that one lacks is built, unpublished.

    Parameters:
        gold: Path of the gold set, one JSON a line, on the machine that measures.
        experiment: What is varied.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
        out: Folder for experiment.json, experiments.parquet and report.html with its pictures. May stay empty.
    """
    settings = load_settings()
    run = open_run("evaluate", experiment, gold, corpus, settings)
    with failure_recorded(run, settings):
        design = load_on_gold(experiment)
        where = find_corpus(corpus or None, settings)
        checked = check_gold(gold, where, settings)
        trials = plan_experiment(design, settings)
        versions = build_versions(where, (trial.plan for trial in trials), settings, checked.held_out)
        gridding = measure_trials(gold, design.name, trials, versions, run, settings)
        judged = judge_experiment(gold, design, trials, gridding, run, settings)
        summary = {
            "run_id": run.run_id,
            "gold": gold,
            "corpus": where,
            **checked._asdict(),
            **judged,
            "seconds": round(run.seconds, 3),
        }
        if out:
            write_experiment(summary, run.run_id, out, settings)
        report_experiment(run, summary, out, settings)
        record_experiment(run, where, summary, settings)
    return summary


@flow(name="experiment-page-finder", flow_run_name=named("experiment", "experiment"), on_running=[log_where_unseen])
def experiment_on_page_finders(
    experiment: ExperimentName = "page_finder",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    out: Annotated[MayBeEmpty, titled("Folder of the results")] = "",
) -> dict[str, Any]:
    """Measures the page finders of an experiment on the corpus' own chunks, whose pages are known.

    Parameters:
        experiment: Of which sizes the chunks are.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
        out: Folder for experiment.json, experiments.parquet and report.html with its pictures. May stay empty.
    """
    settings = load_settings()
    run = open_run("evaluate", experiment, "page-finder", corpus, settings)
    with failure_recorded(run, settings):
        design = load_page_finder(experiment)
        where = find_corpus(corpus or None, settings)
        converted = documents_of_lake(where, settings)
        recipe = plan_of_setting(design, "base", {})
        figures = measure_page_finders(converted, recipe, run, settings, design.chunk_tokens)
        judged = judge_page_finders(design, figures, run, settings)
        summary = {"run_id": run.run_id, "corpus": where, **judged, "seconds": round(run.seconds, 3)}
        if out:
            write_experiment(summary, run.run_id, out, settings)
        report_experiment(run, summary, out, settings)
        record_experiment(run, where, summary, settings)
    return summary
