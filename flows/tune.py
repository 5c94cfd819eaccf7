"""`bidfolio tune`: learn an adapter or a reranker from a corpus' own questions; used only where it helps."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow

from configs.plans import load_plan
from configs.settings import load_settings
from flows.cli.output.progress import log_where_unseen
from flows.evaluate import build_version
from flows.prefect_server.form_types import MayBeEmpty, PlanName, named, titled
from tasks.publishing.current_task import writing_index
from tasks.publishing.task import find_corpus, publish_index
from tasks.retrieval.plan_fallbacks import with_substitutes
from tasks.retrieval.task import find_live
from tasks.runtime.artifacts import failure_recorded, open_run, record_tuning
from tasks.tuning.task import collect_pairs, fine_tune_reranker, has_adapter_of_another, judge_adapter, stage_adapter


@flow(name="tune-adapter", flow_run_name=named("tune", "plan"), on_running=[log_where_unseen])
def tune_adapter(
    plan: PlanName = "bidfolio",
    gold: Annotated[MayBeEmpty, titled("Gold set")] = "",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
) -> dict[str, Any]:
    """Learns an adapter of the questions' vectors, and publishes it with the live version's content where it wins.
    A plan whose reranker has no weights here is judged with late interaction in its place, and nothing is published.

    Parameters:
        plan: The recipe whose retrieval judges it.
        gold: Path of a gold set, one JSON a line, as a further source of questions with known answers.
        corpus: Name of the documents. May stay empty where there is only one corpus.
    """
    settings = load_settings()
    run = open_run("tune", plan, gold or "adapter", corpus, settings)
    with failure_recorded(run, settings):
        recipe, deviations = with_substitutes(load_plan(plan), settings.rerank)
        if deviations:
            live = build_version(find_corpus(corpus or None, settings), recipe, settings)
        else:
            live = find_live(recipe, corpus or None, settings)
        with writing_index(live.corpus, settings):
            pairs = collect_pairs(gold or None, live, recipe, settings)
            judged = judge_adapter(pairs, recipe, settings)
            # This plan answers with a reranker's weights, for which the adapter was not judged.
            is_published = judged.wins and not deviations
            is_another_replaced = is_published and has_adapter_of_another(live, recipe, settings)
            if is_published:
                live = publish_index(stage_adapter(pairs, judged, recipe, settings), run, settings)
        summary = {
            "run_id": run.run_id,
            "corpus": live.corpus,
            "index_version": live.index_version,
            "adapter": "published" if is_published else "not saved",
            "replaced_anothers": is_another_replaced,
            "wins": judged.wins,
            "deviations": deviations,
            "pairs": {"gold": pairs.gold, "past": pairs.past, "made": pairs.made, "unborne": pairs.unborne},
            "differences": judged.differences,
            "epochs": judged.epochs,
            "seconds": round(run.seconds, 3),
        }
        record_tuning(run, live.corpus, summary, settings)
    return summary


@flow(name="tune-cross-encoder", flow_run_name=named("tune", "out"), on_running=[log_where_unseen])
def tune_cross_encoder(
    out: Annotated[str, titled("Folder of the new model")],
    plan: PlanName = "bidfolio",
    gold: Annotated[MayBeEmpty, titled("Gold set")] = "",
    corpus: Annotated[MayBeEmpty, titled("Corpus")] = "",
) -> dict[str, Any]:
    """Fine-tunes the configured cross-encoder on the corpus' questions, and saves it where its loss falls.

    Parameters:
        out: Folder that the model is written to, on the machine that tunes.
        plan: The recipe whose index has the chunks, and whose reranker it is where it names one.
        gold: Path of a gold set, one JSON a line, as a further source of questions with known answers.
        corpus: Name of the documents. May stay empty where there is only one corpus.
    """
    settings = load_settings()
    run = open_run("tune", plan, gold or "cross-encoder", corpus, settings)
    with failure_recorded(run, settings):
        recipe = load_plan(plan)
        live = find_live(recipe, corpus or None, settings)
        pairs = collect_pairs(gold or None, live, recipe, settings)
        tuned = fine_tune_reranker(pairs, recipe, out, settings)
        summary = {
            "run_id": run.run_id,
            "corpus": live.corpus,
            "index_version": live.index_version,
            "out": out if tuned.is_saved else None,
            "pairs": {"gold": pairs.gold, "past": pairs.past, "made": pairs.made, "unborne": pairs.unborne},
            "losses": tuned.losses,
            "differences": tuned.differences,
            "seconds": round(run.seconds, 3),
        }
        record_tuning(run, live.corpus, summary, settings)
    return summary
