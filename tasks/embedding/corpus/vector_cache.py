"""Cached vectors of recurring texts: each text is embedded once, in this run or in an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.shards import text_id
from tasks.records import content_id

Matrix = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Matrix]
EncodeQuestions = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]


class VectorCache(Protocol):
    """Cache that keeps vectors from run to run, by the name of a space."""

    def dense(self, fingerprint: str, wanted: frozenset[str]) -> dict[str, Matrix]:
        """The cached vectors for those text ids."""
        ...

    def put_dense(self, fingerprint: str, shard: str, text_ids: Sequence[str], vectors: Matrix) -> None:
        """Store the vectors of some texts."""
        ...


class KeptVectors:
    """Function object that gives the vectors of texts from a ``space`` of the cache.

    Missing vectors are encoded, and stored if ``keeps``.
    """

    def __init__(self, cache: VectorCache, space: str, encode: Encode, *, keeps: bool) -> None:
        self._cache, self._space, self._encode, self._keeps = cache, space, encode, keeps
        self._known: dict[str, Matrix] = {}

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """The vectors ``(len(texts), n)``; no texts give (0, 0)."""
        new = {text_id(text): text for text in texts if text not in self._known}
        if new:
            found = self._cache.dense(self._space, frozenset(new))
            missing = {one: text for one, text in new.items() if one not in found}
            if missing:
                vectors = self._encode(list(missing.values()))
                if self._keeps:
                    self._cache.put_dense(self._space, content_id("shard", *missing), list(missing), vectors)
                found |= dict(zip(missing, vectors, strict=True))
            self._known |= {text: found[one] for one, text in new.items()}
        return np.stack([self._known[text] for text in texts]) if len(texts) else np.zeros((0, 0), np.float32)


class KnownQuestions:
    """Function object that gives the vectors of questions and of their tokens; each text is encoded once a run."""

    def __init__(self, encode: EncodeQuestions) -> None:
        self._encode = encode
        self._known: dict[str, tuple[Matrix, Matrix | None]] = {}

    def __call__(self, texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        """The vectors ``(len(texts), n)``, and the token vectors of each text;
        no token vectors where the plan keeps none.
        """
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            dense, tokens = self._encode(new)
            of_tokens: Sequence[Matrix | None] = tokens or [None] * len(new)
            self._known |= dict(zip(new, zip(dense, of_tokens, strict=True), strict=True))
        if not texts:
            return self._encode([])
        found = [self._known[text] for text in texts]
        return np.stack([dense for dense, _ in found]), [each for _, each in found if each is not None]

    def dense(self, texts: Sequence[str]) -> Matrix:
        """The vectors of the texts, without token vectors."""
        return self(texts)[0]
