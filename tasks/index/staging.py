"""The vectors of a corpus' chunks, put together from what the parts of it left in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.embedding.parts import cut_parts, facts_key
from tasks.errors import Terminal
from tasks.references import Embedded

Matrix = NDArray[np.float32]


class Kept(Protocol):
    """What the parts left; ``tasks.cache`` keeps it."""

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        """The documents of a corpus, and how many chunks each has."""
        ...

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        """The ids and lengths of a part's texts."""
        ...

    def dense(self, fingerprint: str, wanted: frozenset[str]) -> Mapping[str, Matrix]:
        """Dense vectors by text id."""
        ...

    def token_shards(self, fingerprint: str) -> Iterable[tuple[list[str], pa.ChunkedArray]]:
        """Token vectors by text id, some at a time."""
        ...

    def lexical(self, lexical_key: str, part: str) -> Matrix | None:
        """A part's lexical vectors."""
        ...


def vectors_of(kept: Kept, embedded: Embedded, plan: Embedding) -> tuple[Matrix, Matrix, pa.LargeBinaryArray | None]:
    """The dense ``(m, n)`` and lexical ``(m, p)`` vectors of all m chunks, at least one, in their order; and their
    token vectors where the plan keeps them.

    Raises Terminal where the cache was cleared meanwhile.
    """
    parts = cut_parts(kept.chunk_counts(embedded.chunked.key))
    texts = [kept.part_texts(facts_key(part, plan)) for part in parts]
    lexical = [kept.lexical(embedded.lexical_key, part.part_id) for part in parts]
    ids = [one for text in texts if text for one in text[0]]
    known = kept.dense(embedded.model_fingerprint, frozenset(ids))
    if None in texts or any(one is None for one in lexical) or known.keys() != set(ids):
        raise Terminal("the cache lacks vectors of the corpus: run the same command again")
    dense = np.stack([known[one] for one in ids])
    shards = partial(kept.token_shards, embedded.model_fingerprint)
    tokens = None if plan.token_dimensions is None else gathered(shards, ids)
    return dense, np.concatenate([one for one in lexical if one is not None]), tokens


def gathered(
    shards: Callable[[], Iterable[tuple[list[str], pa.ChunkedArray]]], ids: Sequence[str]
) -> pa.LargeBinaryArray:
    """The binary values of ``ids``, each of which is in one of the ``shards`` at least, in their order.

    Shards are read twice, for lengths and for bytes, so that the bytes stand in memory once.
    """
    rows: dict[str, list[int]] = {}
    for row, one in enumerate(ids):
        rows.setdefault(one, []).append(row)
    lengths = np.zeros(len(ids), np.int64)
    for names, values in shards():
        for one, length in zip(names, pc.binary_length(values).to_pylist(), strict=True):
            lengths[rows.get(one, [])] = length
    ends = np.concatenate([[0], np.cumsum(lengths)])
    raw = np.empty(ends[-1], np.uint8)
    for names, values in shards():
        for one, value in zip(names, values, strict=True):
            for row in rows.get(one, []):
                raw[ends[row] : ends[row + 1]] = np.frombuffer(value.as_buffer(), np.uint8)
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ids), [None, pa.py_buffer(ends), pa.py_buffer(raw)])
