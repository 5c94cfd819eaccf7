"""Chunks to vectors: dense ones by shards, here or on a cluster; the lexical space and BM25 over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TypeVar

from configs.plans import Embedding, Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.clusters import Cluster, Killed, ThisProcess
from tasks.embedding import bm25, lexical
from tasks.embedding.bm25 import fit_bm25
from tasks.embedding.counts import Counts
from tasks.embedding.dense import embed_texts, prepare
from tasks.embedding.lexical import fit_lexical
from tasks.embedding.model_files import model_fingerprint
from tasks.embedding.parts import Part, cut_parts, embed_rows, facts_key, project_part, read_part
from tasks.embedding.shards import Encoder, cut_shards
from tasks.errors import ServiceAway
from tasks.lake import Lake
from tasks.progress import track
from tasks.records import content_id
from tasks.references import Chunked, Embedded
from tasks.stage import stage

T = TypeVar("T")
R = TypeVar("R")


@stage("embed {chunked.corpus} for {plan.name}")
def embed_chunks(chunked: Chunked, plan: Plan, settings: Settings) -> Embedded:
    """Dense vectors for the texts that have none yet, the states fitted on all of them, and lexical vectors by these.

    Texts are read where the work is done, on a cluster by its workers, which have to see the home. Raises ServiceAway
    where the cluster of the settings does not answer; what is done by then stays.
    """
    cache = StageCache(Lake(settings.home))
    parts = cut_parts(cache.chunk_counts(chunked.key))
    fingerprint = model_fingerprint(plan.embedding)
    with _cluster(settings) as cluster:
        unread = [part for part in parts if not cache.has_facts(facts_key(part, plan.embedding))]
        with track("Counting words", len(unread)) as advance:
            for part, facts in _each(cluster, partial(read_part, cache, plan.embedding), unread):
                cache.put_facts(facts_key(part, plan.embedding), facts)
                advance(1)
        embedded, reused, dimensions = _embed(cache, cluster, parts, plan.embedding, settings)
        state_key = _fit_states(cache, chunked, parts, plan.embedding, dimensions)
        unprojected = [part for part in parts if not cache.has_lexical(state_key, part.part_id)]
        for part, vectors in _each(cluster, partial(project_part, cache, plan.embedding, state_key), unprojected):
            cache.put_lexical(state_key, part.part_id, vectors)
    return Embedded(chunked, state_key, fingerprint, embedded, reused)


def _embed(
    cache: StageCache, cluster: Cluster, parts: Sequence[Part], plan: Embedding, settings: Settings
) -> tuple[int, int, int]:
    """How many distinct texts were embedded, how many had a vector, and the vectors' dimensions."""
    fingerprint = model_fingerprint(plan)
    texts = [(part.documents, *(cache.part_texts(facts_key(part, plan)) or ([], []))) for part in parts]
    ids = frozenset(one for _, text_ids, _ in texts for one in text_ids)
    known = cache.dense(fingerprint, ids)
    dimensions = len(next(iter(known.values()))) if known else 0
    missing = len(ids) - len(known)
    shards = []
    done = set(known)
    for documents, text_ids, lengths in texts:
        cut = list(cut_shards(documents, text_ids, lengths, done))
        shards += cut
        done.update(one for shard in cut for one in shard.text_ids)
    encoder = Encoder(plan, settings.threads, settings.home)
    if shards:
        prepare(encoder)
    with track("Embedding chunks", missing) as advance:
        for shard, vectors in _each(cluster, partial(embed_rows, cache, embed_texts, encoder), shards):
            cache.put_dense(fingerprint, shard.shard_id, shard.text_ids, vectors)
            dimensions = vectors.shape[1]
            advance(len(shard.text_ids))
    return missing, len(known), dimensions


def _fit_states(
    cache: StageCache, chunked: Chunked, parts: Sequence[Part], plan: Embedding, dense_dimensions: int
) -> str:
    logic = (lexical.LOGIC_VERSION, bm25.LOGIC_VERSION)
    key = content_id("states", chunked.key, plan.lexical.fingerprint(), plan.bm25.fingerprint(), *logic)
    if cache.state(key, "lexical") is not None and cache.state(key, "bm25") is not None:
        return key

    def counted(name: str) -> Iterator[Counts]:
        return (cache.counts(facts_key(part, plan), name, part.rows) for part in parts)

    with track("Fitting the lexical space", 1) as advance:
        space = fit_lexical(partial(counted, "lexical"), plan.lexical, dense_dimensions)
        cache.put_state(key, "lexical", space.to_bytes())
        cache.put_state(key, "bm25", fit_bm25(partial(counted, "bm25"), plan.bm25.k1, plan.bm25.b).to_bytes())
        advance(1)
    return key


def _each(cluster: Cluster, function: Callable[[T], R], items: Iterable[T]) -> Iterator[tuple[T, R]]:
    """Each item with what ``function`` makes of it. Raises ServiceAway where workers die of one."""
    for item, result in cluster.run(function, items):
        if isinstance(result, Killed):
            raise ServiceAway(f"the workers of the cluster die of a part of the texts: {result.reason}")
        yield item, result


def _cluster(settings: Settings) -> AbstractContextManager[Cluster]:
    if not settings.dask.address and not settings.dask.workers:
        return nullcontext(ThisProcess())
    from tasks.dask_client import DaskCluster  # a second of import that one machine does not need

    return DaskCluster(settings.dask)
