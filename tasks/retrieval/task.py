"""Stages of retrieval: find the live version and the scope, and retrieve hits of all questions in one batch."""

from __future__ import annotations

from contextlib import nullcontext

from configs.plans import Plan
from configs.settings import Settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.vector_cache import question_encoder
from tasks.embedding.models.dense import encode_with_tokens, prepare
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder
from tasks.index.store import IndexStore
from tasks.llm.model_server import ModelServer
from tasks.llm.reply_cache import ReplyCache
from tasks.progress import track
from tasks.questions.rows import questions_of
from tasks.references import Questions, Retrieved, Scoped, Staged
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.hit_rows import expansion_rows, hit_rows
from tasks.retrieval.queries.query_adapter import question_key
from tasks.retrieval.queries.query_expansion import wording_writer
from tasks.retrieval.queries.scope import COLUMNS, EVERYTHING, Scope, resolved
from tasks.retrieval.ranking.cross_encoder import pair_reader
from tasks.retrieval.ranking.pair_models import pair_scorer
from tasks.retrieval.ranking.told_documents import told_of_documents
from tasks.retrieval.version_loading import (
    idle_adapter,
    limited,
    live_version,
    live_versions,
    load_index,
    require_current,
    require_same_model,
)
from tasks.runtime.runs import Run, milliseconds
from tasks.runtime.stage import stage
from tasks.storage.lake import Lake
from tasks.storage.output_cache import output_cache

TIMED_QUESTIONS = 30
"""The number of questions that are also asked singly, to measure the latency that one person sees."""


@stage("live versions for {plan.name}")
def find_corpora(plan: Plan, settings: Settings) -> list[Staged]:
    """The live version of each corpus that is published for the plan, sorted by name; none where there is none."""
    return live_versions(IndexStore(settings.home), plan)


@stage("live version for {plan.name}")
def find_live(plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """The live version of the corpus to answer from.

    Raises UsageError with the command to run where there is none, or where it is of other documents than the lake, or
    of another model than the plan's is now.
    """
    store = IndexStore(settings.home)
    live = live_version(store, plan, corpus)
    documents = Lake(settings.home).read("documents", corpus=live.corpus)["document_id"].to_pylist()
    manifest = store.manifest(live.corpus, live.index_key, live.index_version)
    require_current(manifest, documents, plan)
    require_same_model(manifest, model_fingerprint(plan.embedding), plan)
    return live


@stage("scope in {version.corpus}")
def find_scope(scope: Scope, version: Staged, settings: Settings) -> Scoped | None:
    """The number of documents within the scope; None where it is no limit. Raises UsageError where there are none."""
    if not scope:
        return None
    documents = Lake(settings.home).read("documents", corpus=version.corpus)
    found = resolved(scope, documents.select(COLUMNS).to_pylist(), settings.tags)
    return Scoped(len(found.file_names), found.undated)


@stage("retrieve for {plan.name}")
def retrieve_hits(
    questions: Questions,
    version: Staged,
    plan: Plan,
    run: Run,
    settings: Settings,
    *,
    scope: Scope = EVERYTHING,
    timed: bool = False,
) -> Retrieved:
    """Retrieve the hits of every question within the scope; written to the tables ``retrievals`` and ``expansions``.

    ``timed`` is for measurements: it also asks some questions singly, whatever models gave for them before (but the
    wordings that a server wrote, which cost no time), and warns where an adapter has learnt from the questions.
    """
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    store, cache = IndexStore(settings.home), CorpusCache(lake)
    index = load_index(store, cache, version, plan)
    warnings = [said] if (said := idle_adapter(store, cache, version, plan)) else []
    if timed and index.adapter is not None:
        known = sum(question_key(question.text) in index.adapter.learnt_from for question in asked)
        if known:
            warnings.append(
                f"the adapter of index version {version.index_version} has learnt from {known} of the {len(asked)} "
                f"questions: what {plan.name} scores says little of others; `bidfolio tune --adapter` judges by "
                "questions that were left out, and retrieval.adapter: off measures without"
            )
    documents = lake.read("documents", corpus=version.corpus)
    index = limited(index, scope, documents, settings.tags)
    told = told_of_documents(documents.to_pylist())
    encoder = Encoder(plan.embedding, *settings.machine)
    prepare(encoder)
    outputs = output_cache(settings.home)
    models = Models(
        question_encoder(encoder, encode_with_tokens, outputs),
        pair_scorer(plan.retrieval.rerank, settings.machine, outputs),
        wording_writer(plan.retrieval.expand, ModelServer(settings.openai, ReplyCache(lake))),
        pair_reader(plan.retrieval.reread, settings.machine, outputs),
        settings.threads,
    )
    started = milliseconds()
    with track("Retrieving", len(asked)) as advance:
        hits, expansions = find_hits(asked, index, plan.retrieval, models, told)
        advance(len(asked))
    ms_a_question = (milliseconds() - started) / max(1, len(asked))
    identity = run.identity | {"plan": plan.name}
    lake.write("retrievals", hit_rows(identity, hits), run_id=run.run_id, plan=plan.name)
    if plan.retrieval.expand is not None:
        rows = expansion_rows(identity | {"expanded_by": plan.retrieval.expand.by}, asked, expansions)
        lake.write("expansions", rows, run_id=run.run_id, plan=plan.name)
    times: list[float] = []
    with outputs.set_aside() if timed else nullcontext():
        for question in asked[:TIMED_QUESTIONS] if timed else []:
            begin = milliseconds()
            find_hits([question], index, plan.retrieval, models, told)
            times.append(milliseconds() - begin)
    unexpanded = sum(expansion.reason is not None for expansion in expansions)
    return Retrieved(run.run_id, plan.name, version, tuple(times), unexpanded, ms_a_question, tuple(warnings))
