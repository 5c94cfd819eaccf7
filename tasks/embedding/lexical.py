"""The lexical space: TF-IDF reduced by a truncated SVD (RAILS, Eq. 1 and 2), as plain arrays.

The state is data: vocabulary, idf and basis, saved without pickle and loaded with the index version that it
made. We deviate from the paper in guarding the small cases: fewer chunks than components, an empty
vocabulary, texts without a known word (their vector is zero, and adds nothing to any score).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from configs.plans import Lexical
from tasks.embedding.svd import principal_axes
from tasks.embedding.words import words_of

LOGIC_VERSION = "2"
STATE_VERSION = 1
_ROWS_A_BLOCK = 2048


@dataclass(frozen=True, slots=True)
class LexicalState:
    """A fitted space: ``vocabulary`` (k,), ``idf`` (k,) and ``basis`` (k, p), p ≤ the components asked for."""

    plan: Lexical
    vocabulary: NDArray[np.str_]
    idf: NDArray[np.float32]
    basis: NDArray[np.float32]

    def project(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of ``texts``, ``(len(texts), p)`` float32; zero where a text has no known word."""
        if not len(self.vocabulary) or not texts:
            return np.zeros((len(texts), self.basis.shape[1]), dtype=np.float32)
        counts = _vectorizer(self.plan, {word: i for i, word in enumerate(self.vocabulary)}).transform(texts)
        projected = _weighted(counts, self.idf, self.plan.sublinear_tf) @ self.basis
        return np.asarray(normalize(projected), dtype=np.float32)

    def to_bytes(self) -> bytes:
        """The state as an ``.npz``, free of pickle."""
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
        """The state of :meth:`to_bytes`. Raises ValueError for another version of the format."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            if int(arrays["state_version"]) != STATE_VERSION:
                raise ValueError(f"lexical state of version {arrays['state_version']}, expected {STATE_VERSION}")
            plan = Lexical.model_validate_json(str(arrays["plan"]))
            return cls(plan, arrays["vocabulary"], arrays["idf"], arrays["basis"])


def fit_lexical(texts: Sequence[str], plan: Lexical, dense_dimensions: int) -> LexicalState:
    """The space fitted on ``texts``, of ``p = min(components or dense_dimensions, rank)`` dimensions.

    No texts, or texts without words, give an empty vocabulary and one dimension in which all is zero.
    """
    wanted = plan.components or dense_dimensions
    vectorizer = _vectorizer(plan, None)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:  # scikit-learn's way to say that the vocabulary is empty
        return LexicalState(
            plan, np.array([], dtype="<U1"), np.zeros(0, np.float32), np.zeros((0, 1), dtype=np.float32)
        )
    vocabulary = np.asarray(vectorizer.get_feature_names_out(), dtype=np.str_)
    containing = np.bincount(counts.indices, minlength=len(vocabulary))
    idf = (np.log((1 + counts.shape[0]) / (1 + containing)) + 1).astype(np.float32)
    weighted = _weighted(counts, idf, plan.sublinear_tf)
    blocks = [weighted[begin : begin + _ROWS_A_BLOCK] for begin in range(0, weighted.shape[0], _ROWS_A_BLOCK)]
    return LexicalState(plan, vocabulary, idf, principal_axes(lambda: blocks, len(vocabulary), wanted, plan.seed))


def _vectorizer(plan: Lexical, vocabulary: dict[str, int] | None) -> CountVectorizer:
    analyzer = partial(words_of, stop_words=plan.stop_words, stemming=plan.stemming)
    return CountVectorizer(vocabulary=vocabulary, analyzer=analyzer)


def _weighted(counts: csr_matrix, idf: NDArray[np.float32], sublinear: bool) -> csr_matrix:
    weighted = counts.astype(np.float32)
    if sublinear:
        weighted.data = 1 + np.log(weighted.data)
    weighted.data *= idf[weighted.indices]
    return normalize(weighted)
