"""Embedding stage: dense vectors by shards, here or on a cluster; then the lexical space and BM25 over all chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Literal, TypeVar

import numpy as np

from configs.plans import Embedding, Lexical, Plan
from configs.settings import Settings
from tasks.cluster.protocol import NOTHING, Cluster, Killed, ThisProcess
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.corpus_parts import Part, cut_parts, embed_rows, facts_key, project_part, read_part
from tasks.embedding.lexical import abbreviations, bm25
from tasks.embedding.lexical.abbreviations import fit_abbreviations
from tasks.embedding.lexical.bm25 import fit_bm25
from tasks.embedding.lexical.lexical_drift import Fitted, fitted_on
from tasks.embedding.lexical.lexical_space import LexicalState, fit_lexical
from tasks.embedding.lexical.word_counts import Counts, vocabulary_of
from tasks.embedding.models.dense import embed_texts, prepare
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import Encoder, cut_shards
from tasks.errors import ServiceAway
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.progress import track
from tasks.records import content_id
from tasks.references import Chunked, Embedded
from tasks.runtime.stage import stage
from tasks.storage.commits import Commits, of_index
from tasks.storage.lake import Lake

T = TypeVar("T")
R = TypeVar("R")

_FITTED = "fitted"
"""The name of the record of a space's texts, which is written last: where it is, the space is complete."""


@stage("embed {chunked.corpus} for {plan.name}")
def embed_chunks(chunked: Chunked, plan: Plan, settings: Settings) -> Embedded:
    """Embed the texts that have no dense vector yet, fit BM25 on all texts, and compute lexical vectors.

    The lexical space is that of the live version while the texts have drifted no further from those that it was fitted
    on than the plan allows; else it is fitted on all texts. The live version's adapter is kept while the model is the
    same. Texts are read where the work is done: a cluster's workers have to see the home. Raises ServiceAway where the
    cluster of the settings does not answer; finished parts stay in the cache.
    """
    cache = CorpusCache(Lake(settings.home))
    parts = cut_parts(cache.chunk_counts(chunked.key))
    fingerprint = model_fingerprint(plan.embedding)
    with _cluster(settings) as cluster:
        unread = [part for part in parts if not cache.has_facts(facts_key(part, plan.embedding))]
        with track("Counting words", len(unread)) as advance:
            for part, facts in _each(cluster, partial(read_part, cache, plan.embedding), unread):
                cache.put_facts(facts_key(part, plan.embedding), facts)
                advance(1)
        texts = [cache.part_texts(facts_key(part, plan.embedding)) or ([], []) for part in parts]
        ids = frozenset(one for text_ids, _ in texts for one in text_ids)
        embedded, reused, dimensions = _embed(cache, cluster, parts, texts, ids, plan.embedding, settings)
        now = fitted_on(ids, plan.embedding.lexical, dimensions)
        live = _live(chunked.corpus, plan.index_key, settings)
        lexical_key, space, drift = _choose_space(cache, chunked, plan.embedding.lexical, now, live)
        if space == "kept":
            lexical_key = _without_lost_words(cache, lexical_key, parts, plan.embedding, now)
        _fit_space(cache, lexical_key, parts, plan.embedding, now, dimensions)
        state_key = _fit_words(cache, chunked, parts, plan.embedding)
        unprojected = [part for part in parts if not cache.has_lexical(lexical_key, part.part_id)]
        for part, vectors in _each(cluster, partial(project_part, cache, plan.embedding, lexical_key), unprojected):
            cache.put_lexical(lexical_key, part.part_id, vectors)
    adapter_key = live.adapter_key if live else ""
    is_lost = bool(adapter_key) and live is not None and live.model_fingerprint != fingerprint
    kept = "" if is_lost else adapter_key
    return Embedded(chunked, state_key, lexical_key, fingerprint, embedded, reused, space, drift, kept, is_lost)


def _live(corpus: str, index_key: str, settings: Settings) -> Manifest | None:
    """The manifest of the live version; where its tables were damaged and are gone, as it was recorded."""
    live = IndexStore(settings.home).live(corpus, index_key)
    recorded = None if live else Commits(Lake(settings.home)).told(of_index(corpus, index_key)).get("live")
    return Manifest.of(recorded) if recorded else live


def _embed(
    cache: CorpusCache,
    cluster: Cluster,
    parts: Sequence[Part],
    texts: Sequence[tuple[list[str], list[int]]],
    ids: frozenset[str],
    plan: Embedding,
    settings: Settings,
) -> tuple[int, int, int]:
    """The number of distinct texts that were embedded, the number that had a vector, and the vectors' dimensions.

    ``texts`` are the ids and lengths of each part's texts, ``ids`` those of all.
    """
    fingerprint = model_fingerprint(plan)
    known, dimensions = cache.known_texts(fingerprint, ids)
    missing = len(ids) - len(known)
    shards = []
    done = set(known)
    for part, (text_ids, lengths) in zip(parts, texts, strict=True):
        cut = list(cut_shards(part.documents, text_ids, lengths, done))
        shards += cut
        done.update(one for shard in cut for one in shard.text_ids)
    encoder = Encoder(plan, *settings.machine)
    if shards:
        prepare(encoder)
    with track("Embedding chunks", missing) as advance:
        embed = partial(embed_rows, cache, embed_texts, encoder)
        for shard, vectors in _each(cluster, embed, shards, settings.dask.resources):
            cache.put_dense(fingerprint, shard.shard_id, shard.text_ids, *vectors)
            dimensions = vectors.dense.shape[1]
            advance(len(shard.text_ids))
    return missing, len(known), dimensions


def _choose_space(
    cache: CorpusCache, chunked: Chunked, plan: Lexical, now: Fitted, live: Manifest | None
) -> tuple[str, Literal["fitted", "kept", "refitted"], float | None]:
    """The key of the lexical space to use, its relation to the live version's, and the drift from that.

    The drift is always from the texts that the space was fitted on, so that no number of small steps leads far.
    """
    # The key has the corpus in it: states are deleted with a corpus' last version, whose lock does not stop a run on
    # another corpus.
    own_key = content_id("lexical", chunked.corpus, chunked.key, now.recipe)
    if live is None:
        return own_key, "fitted", None
    raw = cache.state(live.space_key, _FITTED) if cache.has_state(live.space_key, "lexical") else None
    before = None if raw is None else Fitted.from_bytes(raw)
    if before is None or before.recipe != now.recipe:
        return own_key, "refitted", None
    drift = before.drift_to(now)
    is_kept = live.space_key == own_key or (plan.refit_drift > 0 and drift <= plan.refit_drift)
    return (live.space_key, "kept", drift) if is_kept else (own_key, "refitted", drift)


def _without_lost_words(cache: CorpusCache, key: str, parts: Sequence[Part], plan: Embedding, now: Fitted) -> str:
    """The key of the kept space without the words that no text has any more: those of a deleted document must not stay.

    It is the same space where no word is lost. The vectors of the texts do not change.
    """
    state = LexicalState.from_bytes(cache.state(key, "lexical") or b"")
    is_kept = np.isin(state.vocabulary, vocabulary_of(_counted(cache, parts, plan, "lexical")).words)
    raw = cache.state(key, _FITTED)
    if raw is None or is_kept.all():
        return key
    left = state.with_words(is_kept)
    own_key = content_id("lexical", key, *left.vocabulary.tolist())
    if not cache.has_state(own_key, _FITTED):
        for part in parts:
            if (vectors := cache.lexical(key, part.part_id)) is not None:
                cache.put_lexical(own_key, part.part_id, vectors)
        cache.put_state(own_key, "lexical", left.to_bytes())
        cache.put_state(own_key, _FITTED, Fitted.from_bytes(raw).without_lost(now).to_bytes())
    return own_key


def _fit_space(
    cache: CorpusCache, key: str, parts: Sequence[Part], plan: Embedding, now: Fitted, dense_dimensions: int
) -> None:
    if cache.has_state(key, _FITTED) and cache.has_state(key, "lexical"):
        return
    with track("Fitting the lexical space", 1) as advance:
        space = fit_lexical(partial(_counted, cache, parts, plan, "lexical"), plan.lexical, dense_dimensions)
        cache.put_state(key, "lexical", space.to_bytes())
        cache.put_state(key, _FITTED, now.to_bytes())
        advance(1)


def _fit_words(cache: CorpusCache, chunked: Chunked, parts: Sequence[Part], plan: Embedding) -> str:
    logic = bm25.LOGIC_VERSION, abbreviations.LOGIC_VERSION
    key = content_id("words", chunked.corpus, chunked.key, plan.bm25.fingerprint(), *logic)
    if not cache.has_state(key, "abbreviations"):
        found = fit_abbreviations(_counted(cache, parts, plan, "abbreviations"))
        cache.put_state(key, "abbreviations", found.to_bytes())
    if not cache.has_state(key, "bm25"):
        counted = partial(_counted, cache, parts, plan, "bm25")
        cache.put_state(key, "bm25", fit_bm25(counted, plan.bm25).to_bytes())
    return key


def _counted(cache: CorpusCache, parts: Sequence[Part], plan: Embedding, name: str) -> Iterator[Counts]:
    return (cache.counts(facts_key(part, plan), name, part.rows) for part in parts)


def _each(
    cluster: Cluster, function: Callable[[T], R], items: Iterable[T], resources: Mapping[str, float] = NOTHING
) -> Iterator[tuple[T, R]]:
    """Each item with the result of ``function``. Raises ServiceAway where workers die of an item."""
    for item, result in cluster.run(function, items, resources):
        if isinstance(result, Killed):
            raise ServiceAway(f"the workers of the cluster die of a part of the texts: {result.reason}")
        yield item, result


def _cluster(settings: Settings) -> AbstractContextManager[Cluster]:
    if not settings.dask.address and not settings.dask.workers and not settings.dask.adaptive:
        return nullcontext(ThisProcess())
    from tasks.cluster.dask_client import DaskCluster  # a second of import that one machine does not need

    return DaskCluster(settings.dask)
