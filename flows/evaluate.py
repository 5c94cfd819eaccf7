"""`bidfolio evaluate`: measure plans against a gold set, with tests of their differences against chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from prefect import flow

from configs.plans import Plan, load_plan
from configs.settings import Settings, load_settings
from flows.cli.output.progress import log_where_unseen
from flows.prefect_server.form_types import JudgeNames, MayBeEmpty, NameList, PlanName, PlanNames, named, titled
from tasks.answering.task import draft_answers
from tasks.chunking.task import chunk_documents
from tasks.conversion.task import documents_of_lake
from tasks.embedding.task import embed_chunks
from tasks.evaluation.gold_task import check_gold
from tasks.evaluation.judge_task import admit_judges, judge_plan
from tasks.evaluation.report_task import report_evaluation
from tasks.evaluation.task import compare_plans, load_gold, score_plan
from tasks.pages.accuracy_task import measure_page_finders
from tasks.publishing.current_task import writing_index
from tasks.publishing.task import find_corpus, find_version, stage_index
from tasks.quality.answers_task import check_answers, check_scores
from tasks.references import Staged
from tasks.retrieval.plan_fallbacks import as_measured
from tasks.retrieval.task import retrieve_hits
from tasks.runtime.artifacts import failure_recorded, open_run, record_evaluation, record_page_finders


@flow(name="evaluate", flow_run_name=named("evaluate", "gold"), on_running=[log_where_unseen])
def evaluate_plans(
    gold: Annotated[str, titled("Gold set")],
    plans: Annotated[PlanNames, titled("Plans")] = ("bidfolio",),
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
    out: Annotated[MayBeEmpty, titled("Folder of the report")] = "",
    judges: Annotated[JudgeNames, titled("Judges")] = (),
    criteria: Annotated[NameList, titled("Criteria of the judges")] = (),
    labels: Annotated[MayBeEmpty, titled("Labelled examples")] = "",
    repeats: Annotated[int, titled("Repeats of a judge")] = 1,
) -> dict[str, Any]:
    """Measures each plan against the gold set `gold`; an index that a plan lacks is built, unpublished.

    Parameters:
        gold: Path of the gold set, one JSON a line, on the machine that measures.
        plans: The recipes to measure.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
        out: Folder for report.html with its pictures. May stay empty.
        judges: Who judges the answers. May stay empty: then only what is known of them is counted.
        criteria: What they judge by. May stay empty: then all.
        labels: Path of examples that people have judged, by which the judges are measured. May stay empty.
        repeats: How often a language model is asked to judge the same.
    """
    names = list(plans or ["bidfolio"])
    settings = load_settings()
    run = open_run("evaluate", ", ".join(names), gold, corpus, settings)
    with failure_recorded(run, settings):
        questions = load_gold(gold, run, settings)
        admitted = admit_judges(list(judges or ()), list(criteria or ()), labels or "", repeats, settings)
        where = find_corpus(corpus or None, settings)
        checked = check_gold(gold, where, settings)
        measured: dict[str, Any] = {}
        warnings: tuple[str, ...] = ()
        for asked in [load_plan(name) for name in names]:
            recipe, deviations = as_measured(asked, settings.rerank, settings.openai)
            version = build_version(where, recipe, settings, checked.held_out)
            retrieved = retrieve_hits(questions, version, recipe, run, settings, timed=True)
            answered = draft_answers(questions, retrieved, recipe, run, settings, deviations, timed_alone=True)
            warnings += retrieved.warnings + answered.warnings
            warnings += check_answers(questions, answered, version, run, settings)
            measured[recipe.name] = score_plan(gold, retrieved, answered, recipe, run, settings)
            measured[recipe.name]["unexpanded"] = retrieved.unexpanded
            if admitted:
                judged = judge_plan(gold, admitted, labels or "", retrieved, answered, recipe, run, settings)
                measured[recipe.name]["judged"] = judged
            if deviations:
                measured[recipe.name]["deviations"] = deviations
        warnings += check_scores(list(measured), where, run, settings)
        differences = compare_plans(gold, where, list(measured), run, settings)
        summary = {
            "run_id": run.run_id,
            "gold": gold,
            "corpus": where,
            **checked._asdict(),
            "plans": measured,
            "failed": {name: one["n_failed"] for name, one in measured.items() if one["n_failed"]},
            "first_failures": {name: one["first_failure"] for name, one in measured.items() if one["n_failed"]},
            "differences": differences,
            "warnings": list(warnings),
            "judges": admitted,
        }
        report_evaluation(run, summary, out, settings)
        record_evaluation(run, where, summary, settings)
    return summary


@flow(name="evaluate-page-finder", on_running=[log_where_unseen])
def evaluate_page_finders(plan: PlanName = "bidfolio", corpus: MayBeEmpty = "") -> dict[str, Any]:
    """Measures the page finders on the corpus' own chunks, whose pages are known.

    Parameters:
        plan: The recipe whose model gives the tokens and the dense vectors.
        corpus: Name of the documents to measure on. May stay empty where there is only one corpus.
    """
    settings = load_settings()
    run = open_run("evaluate", plan, "page-finder", corpus, settings)
    with failure_recorded(run, settings):
        recipe = load_plan(plan)
        where = find_corpus(corpus or None, settings)
        converted = documents_of_lake(where, settings)
        summary = {
            "run_id": run.run_id,
            "corpus": where,
            "page_finder": measure_page_finders(converted, recipe, run, settings),
        }
        record_page_finders(run, where, summary, settings)
    return summary


def build_version(corpus: str, plan: Plan, settings: Settings, held_out: Sequence[str] = ()) -> Staged:
    """The corpus' version for the plan without held-out documents: an existing version, or a new one, staged only."""
    converted = documents_of_lake(corpus, settings, held_out)
    found = find_version(converted, plan, settings)
    if found is not None:
        return found
    with writing_index(corpus, settings):
        chunked = chunk_documents(converted, plan, settings)
        embedded = embed_chunks(chunked, plan, settings)
        return stage_index(converted, embedded, plan, settings)


def build_versions(
    corpus: str, plans: Iterable[Plan], settings: Settings, held_out: Sequence[str] = ()
) -> dict[str, Staged]:
    """A version for each index that the plans search, by index key, as :func:`build_version` gives it."""
    recipes = {plan.index_key: plan for plan in plans}
    return {key: build_version(corpus, recipe, settings, held_out) for key, recipe in recipes.items()}
