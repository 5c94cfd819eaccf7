"""Questions to hits, all in one batch, and the table ``retrievals``."""

from __future__ import annotations

from functools import partial
from statistics import median

from configs.plans import Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.embedding.dense import encode_with_tokens, prepare
from tasks.embedding.model_files import model_fingerprint
from tasks.embedding.shards import Encoder
from tasks.index.store import IndexStore
from tasks.lake import Lake
from tasks.progress import track
from tasks.references import Questions, Retrieved, Staged
from tasks.retrieval.finding import find_hits
from tasks.retrieval.loading import live_version, load_index, require_current, require_same_model
from tasks.retrieval.pair_models import pair_scorer
from tasks.retrieval.stored import hit_rows, questions_of
from tasks.runs import Run, milliseconds
from tasks.stage import stage

TIMED_QUESTIONS = 30
"""How many questions are also asked one at a time, to time what one person waits for."""


@stage("live version for {plan.name}")
def find_live(plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """The live version to answer from.

    Raises UsageError with the command to run where there is none, or where it is of other documents than the lake, or
    of another model than the plan's is now.
    """
    store = IndexStore(settings.home)
    live = live_version(store, plan, corpus)
    documents = Lake(settings.home).read("documents", corpus=live.corpus)["document_id"].to_pylist()
    manifest = store.manifest(live.corpus, live.index_key, live.index_version)
    require_current(manifest, documents)
    require_same_model(manifest, model_fingerprint(plan.embedding))
    return live


@stage("retrieve for {plan.name}")
def retrieve_hits(
    questions: Questions, version: Staged, plan: Plan, run: Run, settings: Settings, *, timed: bool = False
) -> Retrieved:
    """The hits of every question, in the table ``retrievals``; ``timed`` also asks some one at a time."""
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    index = load_index(IndexStore(settings.home), StageCache(lake), version, plan)
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    prepare(encoder)
    models = partial(encode_with_tokens, encoder=encoder), pair_scorer(plan.retrieval.rerank, settings.threads)
    with track("Retrieving", len(asked)) as advance:
        hits = find_hits(asked, index, plan.retrieval, *models)
        advance(len(asked))
    rows = hit_rows(run.identity | {"plan": plan.name}, hits)
    lake.write("retrievals", rows, run_id=run.run_id, plan=plan.name)
    times: list[float] = []
    for question in asked[:TIMED_QUESTIONS] if timed else []:
        begin = milliseconds()
        find_hits([question], index, plan.retrieval, *models)
        times.append(milliseconds() - begin)
    return Retrieved(run.run_id, plan.name, version, median(times) if times else None)
