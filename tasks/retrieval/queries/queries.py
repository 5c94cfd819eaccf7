"""Questions and their expansions as the vectors and words that an index scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from configs.retrieval import Retrieval
from tasks.embedding.lexical.bm25 import BM25State
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.retrieval.ranking.fusion import best_above, in_turn
from tasks.retrieval.ranking.scores import Scored

Matrix = NDArray[np.float32]
RANKED = 1000
"""The depth to which each ranking counts where those of several queries are fused."""


class States(Protocol):
    """The fitted word statistics of a version."""

    @property
    def lexical_state(self) -> LexicalState:
        """The lexical space."""
        ...

    @property
    def bm25_state(self) -> BM25State:
        """The weights of BM25."""
        ...


@dataclass(frozen=True, slots=True)
class Queries:
    """A batch of m queries in the form that an index scores.

    ``dense`` (m, n) and ``lexical`` (m, p) are their vectors, rows unit or zero. ``words`` (m, k), sparse, is how much
    each word of BM25's vocabulary counts. ``unknown`` (m,) is the number of words outside that vocabulary.
    """

    dense: Matrix
    lexical: Matrix
    words: csr_matrix
    unknown: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.dense)

    def take(self, rows: Sequence[int]) -> Queries:
        """The queries at those rows, in their order."""
        at = np.asarray(rows, np.int64)
        return Queries(self.dense[at], self.lexical[at], self.words[at], self.unknown[at])

    def then(self, others: Queries) -> Queries:
        """These queries, followed by the others."""
        dense, lexical = (np.vstack(both) for both in ((self.dense, others.dense), (self.lexical, others.lexical)))
        words = vstack([self.words, others.words], format="csr")
        return Queries(dense, lexical, words, np.concatenate([self.unknown, others.unknown]))


@dataclass(frozen=True, slots=True)
class Expanded:
    """The expansions of a batch of questions: asked beside the questions, or, if not ``with_own``, in their place.

    ``rows`` has for each question the numbers of its ``queries``; a question without any is asked as it stands.
    """

    queries: Queries
    rows: Sequence[Sequence[int]]
    with_own: bool


def queries_of(texts: Sequence[str], dense: Matrix, states: States) -> Queries:
    """The queries for the texts as they stand, with their vectors ``(len(texts), n)``; no texts give no queries."""
    return Queries(dense, states.lexical_state.project(texts), *states.bm25_state.words_of(texts))


def beside(own: Queries, numbers: Sequence[int], expanded: Expanded) -> tuple[Queries, list[list[int]]]:
    """The queries of the questions with those ``numbers``, followed by their expansions, and the groups of rows.

    Each question's group holds the rows whose scores decide what it finds.
    """
    groups: list[list[int]] = []
    taken: list[int] = []
    for row, number in enumerate(numbers):
        others = [len(numbers) + len(taken) + at for at in range(len(expanded.rows[number]))]
        groups.append([row, *others] if expanded.with_own or not others else others)
        taken.extend(expanded.rows[number])
    return own.then(expanded.queries.take(taken)), groups


def of_questions(scored: Scored, groups: Sequence[Sequence[int]], plan: Retrieval) -> Scored:
    """Merge the scored rows of :func:`beside` to one row for each question.

    Cosines and BM25 are the question's own. The score is that of the only query asked in its place, or what
    :func:`fused_queries` makes of several.
    """
    own = slice(len(groups))
    scores = np.stack([fused_queries(scored.scores[list(rows)], plan) for rows in groups])
    return replace(scored, dense=scored.dense[own], lexical=scored.lexical[own], bm25=scored.bm25[own], scores=scores)


def fused_queries(scores: Matrix, plan: Retrieval) -> NDArray[np.float32]:
    """Fuse the ``scores`` (queries, chunks) of one question's queries to one row, ``(chunks,)``.

    Several queries are fused by rank. Where the plan's lists are, too, the shares of all lists of all queries are
    added, as König 2025 puts his lists together. Where the lists are scaled, each query's ranking gives 1 / (``rrf_k``
    + rank) to the first RANKED. Where they take turns, so do the queries. A chunk that no query found has minus
    infinity.
    """
    if len(scores) == 1:
        alone: NDArray[np.float32] = scores[0]
        return alone
    if plan.fusion == "turns":
        ranked = [best_above(row, RANKED) for row in scores]
        return in_turn(ranked, scores.shape[1])
    shares = np.zeros(scores.shape, np.float32)
    for row, found in enumerate(scores):
        if plan.fusion == "rrf":
            shares[row] = np.where(found > -np.inf, found, 0)
            continue
        best = best_above(found, RANKED)
        shares[row, best] = 1 / (plan.rrf_k + np.arange(1, len(best) + 1))
    total = shares.sum(axis=0)
    fused: NDArray[np.float32] = np.where(total > 0, total, np.float32(-np.inf))
    return fused
