"""`bidfolio tune --confidence`: choose the thresholds for declining and for review, by a corpus' own questions."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow

from configs.plans import load_plan
from configs.settings import load_settings
from flows.cli.output.progress import log_where_unseen
from flows.evaluate import build_version
from flows.prefect_server.form_types import MayBeEmpty, PlanName, named, titled
from tasks.answering.task import draft_answers
from tasks.evaluation.gold_task import check_gold
from tasks.evaluation.task import load_gold
from tasks.publishing.task import find_corpus
from tasks.retrieval.plan_fallbacks import as_measured
from tasks.retrieval.task import retrieve_hits
from tasks.runtime.artifacts import failure_recorded, open_run, record_tuning
from tasks.tuning.confidence_fitting import Wish, opened
from tasks.tuning.confidence_task import fit_confidence, write_calibrated


@flow(name="tune-confidence", flow_run_name=named("tune", "gold"), on_running=[log_where_unseen])
def tune_confidence(
    gold: Annotated[str, titled("Gold set")],
    plan: PlanName = "bidfolio",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    out: Annotated[MayBeEmpty, titled("Folder of the plan")] = "",
    keep: Annotated[float, titled("Share of the answerable questions' drafts to keep")] = 0.95,
    right: Annotated[float, titled("Share of what is answered outright that is to be right")] = 0.95,
    drafts_right: Annotated[float, titled("Share of all drafts that is to be right")] = 0.0,
) -> dict[str, Any]:
    """Chooses the plan's two thresholds by the gold set, and judges them by questions that did not choose them; an
    index that the plan lacks is built, unpublished.

    Parameters:
        gold: Path of the gold set, one JSON a line, on the machine that measures.
        plan: The recipe whose confidence it is.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
        out: Folder for calibrated.yaml, the plan with what was chosen. May stay empty.
        keep: Of the drafts for questions that can be answered, the share that is not to be declined.
        right: Of what is answered outright, the share that is to cite a page that answers.
        drafts_right: Of all that is drafted, the share that is to cite a page that answers, whatever share of the
            drafts is declined for it. 0: the share to keep counts.
    """
    settings = load_settings()
    run = open_run("tune", plan, gold, corpus, settings)
    with failure_recorded(run, settings):
        questions = load_gold(gold, run, settings)
        where = find_corpus(corpus or None, settings)
        checked = check_gold(gold, where, settings)
        recipe, deviations = as_measured(load_plan(plan), settings.rerank, settings.openai)
        version = build_version(where, recipe, settings, checked.held_out)
        retrieved = retrieve_hits(questions, version, recipe, run, settings)
        answered = draft_answers(questions, retrieved, opened(recipe), run, settings, deviations)
        fitted = fit_confidence(gold, where, answered, recipe, Wish(keep, right, drafts_right or None), settings)
        # This plan answers with a reranker's weights, and other hits were weighed here.
        declines_all = fitted["chosen"]["decline_below"] == 1
        written = write_calibrated(plan, gold, fitted, out) if out and not (deviations or declines_all) else None
        summary = {
            "run_id": run.run_id,
            "gold": gold,
            "corpus": where,
            **checked._asdict(),
            "plan": recipe.name,
            "deviations": deviations,
            "failed": {recipe.name: answered.failed} if answered.failed else {},
            **fitted,
            "out": written,
            "seconds": round(run.seconds, 3),
        }
        record_tuning(run, where, summary, settings)
    return summary
