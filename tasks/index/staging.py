"""The vectors of a corpus' chunks, put together from what the parts of it left in the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
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

    def tokens(self, fingerprint: str, text_ids: Sequence[str]) -> pa.ChunkedArray | None:
        """The token vectors of those texts."""
        ...

    def lexical(self, lexical_key: str, part: str) -> Matrix | None:
        """A part's lexical vectors."""
        ...


def vectors_of(kept: Kept, embedded: Embedded, plan: Embedding) -> tuple[Matrix, Matrix, pa.ChunkedArray | None]:
    """The dense ``(m, n)`` and lexical ``(m, p)`` vectors of all m chunks, at least one, in their order; and their
    token vectors where the plan keeps them.

    Raises Terminal where the cache was cleared meanwhile.
    """
    parts = cut_parts(kept.chunk_counts(embedded.chunked.key))
    texts = [kept.part_texts(facts_key(part, plan)) for part in parts]
    lexical = [kept.lexical(embedded.lexical_key, part.part_id) for part in parts]
    ids = [one for text in texts if text for one in text[0]]
    known = kept.dense(embedded.model_fingerprint, frozenset(ids))
    tokens = None if plan.token_dimensions is None else kept.tokens(embedded.model_fingerprint, ids)
    lacks_tokens = plan.token_dimensions is not None and tokens is None
    if None in texts or any(one is None for one in lexical) or known.keys() != set(ids) or lacks_tokens:
        raise Terminal("the cache lacks vectors of the corpus: run the same command again")
    dense = np.stack([known[one] for one in ids])
    return dense, np.concatenate([one for one in lexical if one is not None]), tokens
