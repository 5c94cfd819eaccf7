"""Questions to hits, all in one batch, and the table ``retrievals``."""

from __future__ import annotations

from functools import partial
from statistics import median

from configs.plans import Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.embedding.dense import encode_with_tokens, prepare
from tasks.embedding.shards import Encoder
from tasks.index.store import IndexStore
from tasks.lake import Lake
from tasks.progress import track
from tasks.references import Questions, Retrieved, Scoped, Staged
from tasks.retrieval.finding import find_hits
from tasks.retrieval.loading import limited, live_version, load_index, require_current
from tasks.retrieval.pair_models import pair_scorer
from tasks.retrieval.scope import COLUMNS, EVERYTHING, Scope, resolved
from tasks.retrieval.stored import hit_rows, questions_of
from tasks.retrieval.twins import told_by
from tasks.runs import Run, milliseconds
from tasks.stage import stage

TIMED_QUESTIONS = 30
"""How many questions are also asked one at a time, to time what one person waits for."""


@stage("live version for {plan.name}")
def find_live(plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """The live version to answer from.

    Raises UsageError with the command to run where there is none, or where it is of other documents than the lake.
    """
    store = IndexStore(settings.home)
    live = live_version(store, plan, corpus)
    documents = Lake(settings.home).read("documents", corpus=live.corpus)["document_id"].to_pylist()
    require_current(store.manifest(live.corpus, live.index_key, live.index_version), documents)
    return live


@stage("scope in {version.corpus}")
def find_scope(scope: Scope, version: Staged, settings: Settings) -> Scoped | None:
    """What the scope lets in; None where it is no limit. Raises UsageError where that is nothing."""
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
    """The hits of every question within the scope, in the table ``retrievals``; ``timed`` also asks some one at a
    time.
    """
    lake = Lake(settings.home)
    asked = questions_of(lake.read("questions", run_id=questions.run_id))
    index = load_index(IndexStore(settings.home), StageCache(lake), version, plan)
    documents = lake.read("documents", corpus=version.corpus)
    index = limited(index, scope, documents, settings.tags)
    told = told_by(documents.to_pylist())
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    prepare(encoder)
    models = partial(encode_with_tokens, encoder=encoder), pair_scorer(plan.retrieval.rerank, settings.threads)
    with track("Retrieving", len(asked)) as advance:
        hits = find_hits(asked, index, plan.retrieval, *models, told)
        advance(len(asked))
    rows = hit_rows(run.identity | {"plan": plan.name}, hits)
    lake.write("retrievals", rows, run_id=run.run_id, plan=plan.name)
    times: list[float] = []
    for question in asked[:TIMED_QUESTIONS] if timed else []:
        begin = milliseconds()
        find_hits([question], index, plan.retrieval, *models, told)
        times.append(milliseconds() - begin)
    return Retrieved(run.run_id, plan.name, version, median(times) if times else None)
