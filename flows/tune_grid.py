"""`bidfolio tune --grid`: measure every configuration of a grid on the same questions, and recommend the best."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow

from configs.grids import load_grid
from configs.settings import load_settings
from flows.cli.output.progress import log_where_unseen
from flows.evaluate import build_versions
from flows.prefect_server.form_types import GridName, MayBeEmpty, PlanName, named, titled
from tasks.evaluation.gold_task import check_gold
from tasks.evaluation.report_task import report_grid
from tasks.publishing.task import find_corpus
from tasks.runtime.artifacts import failure_recorded, open_run, record_grid
from tasks.tuning.grid_task import judge_trials, measure_trials, plan_trials, write_grid


@flow(name="tune-grid", flow_run_name=named("tune", "grid"), on_running=[log_where_unseen])
def tune_grid(
    gold: Annotated[str, titled("Questions")],
    grid: GridName = "advanced",
    plan: PlanName = "bidfolio",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    out: Annotated[MayBeEmpty, titled("Folder of the results")] = "",
) -> dict[str, Any]:
    """Measures every configuration of a grid, says which factors matter, and recommends the best where it beats the
    plan in use on questions that did not choose it. An index that a configuration lacks is built, unpublished.

    Parameters:
        gold: Path of the questions, one JSON a line, with known answers or without, on the machine that measures.
        grid: What is tried.
        plan: The recipe in use, which has to be beaten.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
        out: Folder for tuning.json, grid.parquet, best.yaml and report.html with its pictures. May stay empty.
    """
    settings = load_settings()
    run = open_run("tune", plan, gold, corpus, settings)
    with failure_recorded(run, settings):
        design = load_grid(grid)
        where = find_corpus(corpus or None, settings)
        checked = check_gold(gold, where, settings)
        trials = plan_trials(design, plan, settings)
        versions = build_versions(where, (trial.plan for trial in trials), settings, checked.held_out)
        gridding = measure_trials(gold, design.name, trials, versions, run, settings)
        summary = {
            "run_id": run.run_id,
            "grid": design.name,
            "gold": gold,
            "corpus": where,
            **checked._asdict(),
            **judge_trials(where, trials, gridding, settings),
            "seconds": round(run.seconds, 3),
        }
        if out:
            write_grid(summary, run.run_id, out, settings)
        report_grid(run, summary, out, settings)
        record_grid(run, where, summary, settings)
    return summary
