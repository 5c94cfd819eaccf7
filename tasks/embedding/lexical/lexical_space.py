"""The lexical space: TF-IDF reduced by a truncated SVD (RAILS, Eq. 1 and 2), as plain arrays.

The state is data: vocabulary, idf and basis, saved without pickle and loaded with the index version that it
made. We deviate from the paper in guarding the small cases: fewer chunks than components, an empty
vocabulary, texts without a known word (their vector is zero, and adds nothing to any score).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from configs.plans import Lexical
from tasks.embedding.lexical.truncated_svd import principal_axes
from tasks.embedding.lexical.word_counts import Counts, Parts, aligned, count_words, vocabulary_of
from tasks.embedding.models.unit_vectors import unit_rows
from tasks.text.stemmed_words import words_of

LOGIC_VERSION = "5"
STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class LexicalState:
    """A fitted space: ``vocabulary`` (k,), ``idf`` (k,) and ``basis`` (k, p), p ≤ the components asked for."""

    plan: Lexical
    vocabulary: NDArray[np.str_]
    idf: NDArray[np.float32]
    basis: NDArray[np.float32]

    def project(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of ``texts``, ``(len(texts), p)`` float32; zero where a text has no known word."""
        in_language = partial(words_of, stop_words=self.plan.stop_words, stemming=self.plan.stemming)
        return self.project_counts(count_words(texts, in_language))

    def project_counts(self, counts: Counts) -> NDArray[np.float32]:
        """The unit vectors of texts given by their word counts, as by :meth:`project`."""
        if not len(self.vocabulary) or not counts.rows.shape[0]:
            return np.zeros((counts.rows.shape[0], self.basis.shape[1]), dtype=np.float32)
        weighted = _weighted(aligned(counts, self.vocabulary), self.idf, self.plan.sublinear_tf)
        vectors = np.asarray(weighted @ self.basis, dtype=np.float32)
        # Not by unit(), whose last digits are others: an index has vectors of earlier versions beside new ones.
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        return np.asarray(vectors / np.where(lengths > 0, lengths, np.float32(1))[:, None], np.float32)

    def with_words(self, is_kept: NDArray[np.bool_]) -> LexicalState:
        """The space without the words (k,) that are not kept: texts without any of them have the same vectors in it."""
        return replace(self, vocabulary=self.vocabulary[is_kept], idf=self.idf[is_kept], basis=self.basis[is_kept])

    def to_bytes(self) -> bytes:
        """The state as the bytes of an ``.npz`` archive, without pickle."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            state_version=np.array(STATE_VERSION),
            plan=np.array(self.plan.model_dump_json()),
            vocabulary=self.vocabulary,
            idf=self.idf,
            basis=self.basis,
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> LexicalState:
        """The state from the bytes of :meth:`to_bytes`. Raises ValueError for another version of the format."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            if int(arrays["state_version"]) != STATE_VERSION:
                raise ValueError(f"lexical state of version {arrays['state_version']}, expected {STATE_VERSION}")
            plan = Lexical.model_validate_json(str(arrays["plan"]))
            return cls(plan, arrays["vocabulary"], arrays["idf"], arrays["basis"])


def fit_lexical(parts: Parts, plan: Lexical, dense_dimensions: int) -> LexicalState:
    """Fit the space on all parts; it has ``p = min(components or dense_dimensions, rank)`` dimensions.

    No texts, or texts without words, give an empty vocabulary and one dimension in which all is zero.
    """
    vocabulary, containing, texts = vocabulary_of(parts())
    if not len(vocabulary):
        return LexicalState(plan, vocabulary, np.zeros(0, np.float32), np.zeros((0, 1), dtype=np.float32))
    idf = (np.log((1 + texts) / (1 + containing)) + 1).astype(np.float32)

    def blocks() -> Iterator[csr_matrix]:
        return (_weighted(aligned(part, vocabulary), idf, plan.sublinear_tf) for part in parts())

    components = plan.components or dense_dimensions
    return LexicalState(plan, vocabulary, idf, principal_axes(blocks, len(vocabulary), components, plan.seed))


def _weighted(counts: csr_matrix, idf: NDArray[np.float32], sublinear: bool) -> csr_matrix:
    weighted = counts.copy()
    if sublinear:
        weighted.data = 1 + np.log(weighted.data)
    weighted.data *= idf[weighted.indices]
    return unit_rows(weighted)
