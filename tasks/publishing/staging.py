"""Vectors of a whole corpus, assembled from what its parts have left in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.embedding.corpus.corpus_parts import cut_parts, facts_key
from tasks.errors import CacheGone
from tasks.index.rows import TokenSource
from tasks.references import Embedded

Matrix = NDArray[np.float32]


class Kept(Protocol):
    """The cache of chunks and vectors; ``tasks.embedding.corpus.corpus_cache`` implements it."""

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        """The documents of a corpus, each with its number of chunks."""

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        """The ids and lengths of a part's texts."""

    def dense_shards(self, fingerprint: str, wanted: frozenset[str]) -> Iterable[tuple[list[str], Matrix]]:
        """Dense vectors by text id, in batches that together hold at least the wanted ones."""

    def token_shards(self, fingerprint: str, wanted: frozenset[str]) -> Iterable[tuple[list[str], pa.ChunkedArray]]:
        """Token vectors by text id, in batches that together hold at least the wanted ones."""

    def lexical(self, lexical_key: str, part: str) -> Matrix | None:
        """A part's lexical vectors."""


def vectors_of(kept: Kept, embedded: Embedded, plan: Embedding) -> tuple[Matrix, Matrix]:
    """The dense ``(m, n)`` and lexical ``(m, p)`` vectors of all m chunks, at least one, in their order.

    Raises CacheGone where the cache was cleared meanwhile.
    """
    parts = cut_parts(kept.chunk_counts(embedded.chunked.key))
    ids = _text_ids(kept, embedded, plan)
    lexical = [kept.lexical(embedded.lexical_key, part.part_id) for part in parts]
    dense = _dense_of(kept, embedded.model_fingerprint, ids)
    if any(one is None for one in lexical) or dense is None:
        raise _cleared()
    return dense, np.concatenate([one for one in lexical if one is not None])


def _dense_of(kept: Kept, fingerprint: str, ids: Sequence[str]) -> Matrix | None:
    """The vectors of those texts, in their order; None where one is missing.

    They are held in memory once, or twice where a text occurs twice.
    """
    row_of = {one: row for row, one in enumerate(dict.fromkeys(ids))}
    found: Matrix | None = None
    is_missing = np.ones(len(row_of), dtype=bool)
    for names, vectors in kept.dense_shards(fingerprint, frozenset(row_of)):
        if found is None:
            found = np.empty((len(row_of), vectors.shape[1]), dtype=np.float32)
        wanted = [at for at, name in enumerate(names) if name in row_of]
        rows = [row_of[names[at]] for at in wanted]
        found[rows] = vectors[wanted]
        is_missing[rows] = False
    if found is None or is_missing.any():
        return None
    return found if len(row_of) == len(ids) else found[[row_of[one] for one in ids]]


def token_source(kept: Kept, embedded: Embedded, plan: Embedding) -> TokenSource | None:
    """The function that gives token vectors of the corpus' chunks by position; None where the plan keeps none."""
    if plan.token_dimensions is None:
        return None
    ids = _text_ids(kept, embedded, plan)

    def tokens_of(rows: Sequence[int]) -> Iterator[tuple[list[int], pa.Array]]:
        wanted: dict[str, list[int]] = {}
        for row in rows:
            wanted.setdefault(ids[row], []).append(row)
        for names, values in kept.token_shards(embedded.model_fingerprint, frozenset(wanted)) if wanted else ():
            found = [(row, at) for at, name in enumerate(names) for row in wanted.pop(name, ())]
            if found:
                yield [row for row, _ in found], values.take(pa.array([at for _, at in found])).combine_chunks()
            if not wanted:
                return
        if wanted:
            raise _cleared()

    return tokens_of


def _text_ids(kept: Kept, embedded: Embedded, plan: Embedding) -> list[str]:
    """The id of each chunk's text. Raises CacheGone where the cache was cleared meanwhile."""
    parts = cut_parts(kept.chunk_counts(embedded.chunked.key))
    texts = [kept.part_texts(facts_key(part, plan)) for part in parts]
    if None in texts:
        raise _cleared()
    return [one for text in texts if text for one in text[0]]


def _cleared() -> CacheGone:
    return CacheGone("the cache lacks vectors of the corpus: run the same command again")
