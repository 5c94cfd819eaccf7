"""Chunks to vectors: dense ones by shards, here or on a cluster; the lexical space and BM25 over all of them."""

from __future__ import annotations

from configs.plans import Embedding, Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.embedding import bm25, lexical
from tasks.embedding.bm25 import fit_bm25
from tasks.embedding.dense import embed_shard, prepare
from tasks.embedding.lexical import fit_lexical
from tasks.embedding.local import LocalRunner
from tasks.embedding.model_files import model_fingerprint
from tasks.embedding.shards import Encoder, ShardRunner, cut_shards, text_id
from tasks.embedding.spread import ClusterRunner
from tasks.lake import Lake
from tasks.progress import track
from tasks.records import content_id
from tasks.references import Chunked, Embedded
from tasks.stage import stage


@stage("embed {chunked.corpus} for {plan.name}")
def embed_chunks(chunked: Chunked, plan: Plan, settings: Settings) -> Embedded:
    """Dense vectors for the texts that have none yet, and the states fitted on all of them.

    Raises ServiceAway where the cluster of the settings does not answer; what is embedded by then stays.
    """
    cache = StageCache(Lake(settings.home))
    texts = [chunk.searched_text for chunk in cache.chunks(chunked.key)]
    fingerprint = model_fingerprint(plan.embedding)
    ids = frozenset(text_id(text) for text in texts)
    known = cache.dense(fingerprint, ids)
    shards = list(cut_shards(text for text in texts if text_id(text) not in known))
    missing = len(ids) - len(known)
    encoder = Encoder(plan.embedding, settings.threads, settings.home)
    dimensions = len(next(iter(known.values()))) if known else 0
    if shards:
        prepare(encoder)
    with track("Embedding chunks", missing) as advance:
        for shard, vectors in _runner(settings).run(shards, encoder):
            cache.put_dense(fingerprint, shard.shard_id, shard.text_ids, vectors)
            dimensions = vectors.shape[1]
            advance(len(shard.texts))
    state_key = _fit_states(cache, chunked, texts, plan.embedding, dimensions)
    return Embedded(chunked, state_key, fingerprint, embedded=missing, reused=len(known))


def _fit_states(cache: StageCache, chunked: Chunked, texts: list[str], plan: Embedding, dense_dimensions: int) -> str:
    logic = (lexical.LOGIC_VERSION, bm25.LOGIC_VERSION)
    key = content_id("states", chunked.key, plan.lexical.fingerprint(), plan.bm25.fingerprint(), *logic)
    if cache.state(key, "lexical") is None or cache.state(key, "bm25") is None:
        with track("Fitting the lexical space", 1) as advance:
            cache.put_state(key, "lexical", fit_lexical(texts, plan.lexical, dense_dimensions).to_bytes())
            cache.put_state(key, "bm25", fit_bm25(texts, plan.bm25.k1, plan.bm25.b).to_bytes())
            advance(1)
    return key


def _runner(settings: Settings) -> ShardRunner:
    if not settings.dask.address and not settings.dask.workers:
        return LocalRunner(embed_shard)
    from tasks.dask_client import DaskCluster  # a second of import that one machine does not need

    return ClusterRunner(DaskCluster(settings.dask), embed_shard)
