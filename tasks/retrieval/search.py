"""A batch of questions against one index version, scored exactly, as matrix products.

Every plan's score is a sum of what the version holds: the two cosines (or Eq. 3 of RAILS over them) and BM25.
Exact search is right and fast up to some 100,000s of chunks (``infra/decisions/0009-vector-index.md``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from configs.plans import BM25, Retrieval
from tasks.embedding.bm25 import BM25State
from tasks.embedding.hybrid import hybrid_vectors
from tasks.embedding.lexical import LexicalState
from tasks.records import Chunk, Hit, Question

RANKED_HITS = 10
"""How many hits a plan ranks for evaluation, whatever its source count."""
QUESTIONS_A_BATCH = 64

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SearchableIndex:
    """A version in memory: ``chunks`` (m), ``dense`` (m, n), ``lexical`` (m, p), and the fitted states."""

    chunks: Sequence[Chunk]
    dense: Matrix
    lexical: Matrix
    lexical_state: LexicalState
    bm25_state: BM25State
    bm25: BM25


def search(
    questions: Sequence[Question], question_dense: Matrix, index: SearchableIndex, plan: Retrieval
) -> list[list[Hit]]:
    """The ranked hits of each question, at least RANKED_HITS where the index has so many.

    ``question_dense`` is ``(len(questions), n)``. An empty index, or a question without a word and without a
    vector, gives no hits; no questions give an empty list.
    """
    if not questions or not index.chunks:
        return [[] for _ in questions]
    found: list[list[Hit]] = []
    for begin in range(0, len(questions), QUESTIONS_A_BATCH):
        part = questions[begin : begin + QUESTIONS_A_BATCH]
        found.extend(_search_batch(part, question_dense[begin : begin + QUESTIONS_A_BATCH], index, plan))
    return found


def _search_batch(
    questions: Sequence[Question], dense: Matrix, index: SearchableIndex, plan: Retrieval
) -> Iterator[list[Hit]]:
    texts = [question.text for question in questions]
    lexical = index.lexical_state.project(texts)
    dense_cosines, lexical_cosines = dense @ index.dense.T, lexical @ index.lexical.T
    bm25 = index.bm25_state.score(texts)
    ceilings = index.bm25_state.ceiling(texts, index.bm25.k1)[:, None]
    shares = np.divide(bm25, ceilings, out=np.zeros_like(bm25), where=ceilings > 0)
    scores = _vector_scores(dense, lexical, dense_cosines, lexical_cosines, index, plan)
    if plan.bm25_weight:
        scores = peak_scaled(scores) + plan.bm25_weight * peak_scaled(bm25)
    for row, question in enumerate(questions):
        if not question.text.strip():
            yield []
            continue
        yield [
            Hit(
                question_id=question.question_id,
                rank=rank,
                chunk=index.chunks[at],
                score=float(scores[row, at]),
                dense_similarity=float(dense_cosines[row, at]),
                lexical_similarity=float(lexical_cosines[row, at]),
                bm25_share=float(shares[row, at]),
            )
            for rank, at in enumerate(_ranked(scores[row], index.chunks, plan), start=1)
        ]


def _vector_scores(
    dense: Matrix,
    lexical: Matrix,
    dense_cosines: Matrix,
    lexical_cosines: Matrix,
    index: SearchableIndex,
    plan: Retrieval,
) -> Matrix:
    if plan.vectors == "dense":
        return dense_cosines
    if plan.vectors == "lexical":
        return lexical_cosines
    if plan.combine == "join":
        return plan.alpha * dense_cosines + (1 - plan.alpha) * lexical_cosines
    questions = hybrid_vectors(dense, lexical, plan.alpha, plan.combine)
    return questions @ hybrid_vectors(index.dense, index.lexical, plan.alpha, plan.combine).T


def peak_scaled(scores: Matrix) -> Matrix:
    """Each row moved to mean 0 and scaled to a maximum of 1, so that unlike scores can be added.

    A row in which nothing stands out (all equal) becomes 0 and says nothing. ``(questions, chunks)`` both.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    peaks = centred.max(axis=1, keepdims=True)
    scaled: Matrix = np.divide(centred, peaks, out=np.zeros_like(centred), where=peaks > 1e-9)
    return scaled


def _ranked(scores: NDArray[np.float32], chunks: Sequence[Chunk], plan: Retrieval) -> list[int]:
    """The positions of the hits, best first; of equals, the earlier chunk."""
    wanted = min(max(plan.top_k, RANKED_HITS), len(chunks))
    if not plan.one_hit_per_page:
        return best_first(scores, wanted)
    looked_at = wanted
    while True:
        best: dict[tuple[object, ...], int] = {}
        for at in best_first(scores, looked_at):
            chunk = chunks[at]
            place = (chunk.document_id, chunk.page_number, chunk.sheet_name, chunk.row_number)
            # Where a format has no pages, all of a document would be one place.
            best.setdefault(place if any(place[1:]) else (*place, at), at)
            if len(best) == wanted:
                return list(best.values())
        if looked_at >= len(chunks):
            return list(best.values())
        looked_at *= 4


def best_first(scores: NDArray[np.float32], count: int) -> list[int]:
    """The positions of the ``count`` best of ``scores``, best first; of equals, the earlier. All where there are fewer.

    Sorting all of them would take longer than the product that gave them.
    """
    if count >= len(scores):
        return cast(list[int], np.argsort(-scores, kind="stable").tolist())
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    candidates = np.flatnonzero(scores >= least)
    ranked = candidates[np.argsort(-scores[candidates], kind="stable")][:count]
    return cast(list[int], ranked.tolist())
