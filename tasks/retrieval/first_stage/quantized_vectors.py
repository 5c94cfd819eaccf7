"""Fast search for a single question: most vectors of a version in memory are read as 8-bit integers.

A single question takes as long as memory takes to give all vectors, and a quarter of the bytes take a third of the
time. Nothing is lost: the error of a rounded product is bounded for each chunk, so all chunks that may be among the
best are scored in full (as the VA-file does, Weber, Schek and Blott 1998).
"""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.retrieval import Retrieval
from tasks.embedding.models.openvino_graph import ProductsOfCodes, rounded_weights
from tasks.retrieval.ranking.fusion import Spread, best_first, fused, of_cosines, spread_of, takes_spreads

QUESTIONS_BEFORE = 50
"""The number of questions before vectors are rounded: to round all takes about the time that so many questions save."""
EXACT_PLACES = 250
"""The least number of best chunks that are found exactly."""
MOST_SHARE = 0.25
"""The largest share of chunks that may be scored in full as candidates; with more (a vague question, say), all are."""
SUMMED = np.float32(1e-5)
"""A bound on summation error: 40 times the largest difference seen between two
single-precision sums of the same numbers.
"""
ROWS_AT_ONCE = 8192
Matrix = NDArray[np.float32]
Positions = NDArray[np.int64]
Pair = tuple[Matrix, Matrix]
"""A value for the dense space and one for the lexical space."""


class OneQuestion(NamedTuple):
    """A single question against the m chunks at ``positions`` (m,), in ascending order.

    ``cosines`` (both) and the ``scores`` that the plan ranks by are ``(1, m)`` each. A chunk that may score less than
    one outside these m has no score: minus infinity.
    """

    positions: Positions
    cosines: Pair
    scores: Matrix


class RoundedVectors:
    """The vectors of all chunks of a version, exact and in 8 bits, ``(m, n)`` and ``(m, p)``, m ≥ 1;
    rows unit or zero.
    """

    def __init__(self, vectors: Pair) -> None:
        self._vectors = vectors
        self._rounded: _Rounded | None = None
        self._left = QUESTIONS_BEFORE
        self._lock = Lock()

    def round_now(self) -> None:
        """Round the vectors now, before many questions are asked: a second for 100,000 chunks."""
        with self._lock:
            if self._rounded is None:
                self._rounded = _rounded(self._vectors)

    def score(self, question: Pair, bm25: Matrix, plan: Retrieval) -> OneQuestion | None:
        """Score the best chunks for a question, at least EXACT_PLACES or as many as the plan reranks.

        The question's vectors are ``(1, n)`` and ``(1, p)``, unit or zero, and its ``bm25`` is ``(1, m)``. None where
        the vectors have to be read in full: for the first QUESTIONS_BEFORE questions, for a plan that is no
        :func:`sum_of_scores`, and where nothing stands out.
        """
        if not sum_of_scores(plan):
            return None
        self._left -= 1
        if self._left < 0 and self._rounded is None:
            self.round_now()
        return None if self._rounded is None else _score(question, bm25, plan, self._vectors, self._rounded)


class _Rounded(NamedTuple):
    """Rounded vectors: the function for their products, the largest error of each for a unit vector, ``(1, m)``,
    and means.
    """

    products: ProductsOfCodes
    errors: Pair
    means: Pair


def sum_of_scores(plan: Retrieval) -> bool:
    """Tell if the plan ranks by a sum of cosines and BM25, which is bounded where these are."""
    adds_vectors = any(listed.by == "hybrid" and listed.combine == "sum" for listed in plan.lists)
    return plan.fusion == "scaled" and not adds_vectors and not any(listed.of for listed in plan.lists)


def _rounded(vectors: Pair) -> _Rounded:
    (dense, of_dense), (lexical, of_lexical) = map(_codes, vectors)
    means = [each.mean(axis=0, dtype=np.float64, keepdims=True).astype(np.float32) for each in vectors]
    products = ProductsOfCodes([dense, lexical])
    products(means)  # warm-up: the first product takes as long as the rest of this function
    return _Rounded(products, (of_dense, of_lexical), (means[0], means[1]))


def _codes(vectors: Matrix) -> tuple[tuple[NDArray[np.int8], Matrix], Matrix]:
    """The vectors in 8 bits with a scale for each row, and the largest error of a product with each row, ``(1, m)``."""
    codes, scales = np.empty(vectors.shape, np.int8), np.empty((len(vectors), 1), np.float32)
    errors = np.empty((1, len(vectors)), np.float32)
    for begin in range(0, len(vectors), ROWS_AT_ONCE):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        codes[rows], scales[rows] = rounded_weights(vectors[rows], axis=-1)
        errors[0, rows] = np.linalg.norm(vectors[rows] - codes[rows] * scales[rows], axis=1) + SUMMED
    return (codes, scales), errors


def _score(question: Pair, bm25: Matrix, plan: Retrieval, vectors: Pair, rounded: _Rounded) -> OneQuestion | None:
    def products(at: Positions) -> Pair:
        # BLAS may sum the last rows in another order than the first: equal chunks would get unequal scores.
        dense, lexical = (np.einsum("n,mn->m", q[0], of[at])[None] for q, of in zip(question, vectors, strict=True))
        return dense, lexical

    def lists(cosines: Pair, words: Matrix) -> list[Matrix]:
        return [words if listed.by == "bm25" else of_cosines(cosines, listed) for listed in plan.lists]

    dense, lexical = rounded.products(question)
    if not np.isfinite(dense.sum() + lexical.sum()):
        return None
    low = lists((dense - rounded.errors[0], lexical - rounded.errors[1]), bm25)
    high = lists((dense + rounded.errors[0], lexical + rounded.errors[1]), bm25)
    spreads: list[Spread] = []
    if takes_spreads(plan):
        of_means = question[0] @ rounded.means[0].T, question[1] @ rounded.means[1].T
        for at, listed in enumerate(plan.lists):
            if listed.by == "bm25":
                spreads.append(spread_of(bm25))
                continue
            may_be_the_peak = np.flatnonzero(high[at] >= low[at].max())
            if len(may_be_the_peak) > MOST_SHARE * bm25.size:
                return None
            peak = of_cosines(products(may_be_the_peak), listed).max(axis=1, keepdims=True)
            spreads.append((of_cosines(of_means, listed), peak))
    at_least, at_most = fused(low, plan, spreads)[0], fused(high, plan, spreads)[0]
    count = max(EXACT_PLACES, plan.rerank.depth if plan.rerank else 0)
    least = at_least[best_first(at_least, count)[-1]]
    best = np.flatnonzero(at_most >= least)
    if len(best) > MOST_SHARE * bm25.size:
        return None
    exact = products(best)
    found = fused(lists(exact, bm25[:, best]), plan, spreads)
    return OneQuestion(best, exact, np.where(found >= least, found, np.float32(-np.inf)))
