"""A batch of questions against one index version, as matrix products.

Every plan's score is a sum of what the version holds: the two cosines (or Eq. 3 of RAILS over them) and BM25.
In memory, every chunk is scored; of a large version only candidates are (``tasks/retrieval/candidates.py``), by the
same formulas (``infra/decisions/0009-vector-index.md``). A plan that reranks has the best of them ranked anew, by the
vectors of their tokens (``tasks/retrieval/late_interaction.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import BM25, Retrieval
from tasks.embedding.bm25 import BM25State
from tasks.embedding.hybrid import hybrid_vectors
from tasks.embedding.lexical import LexicalState
from tasks.records import Chunk, Hit, Question
from tasks.retrieval.late_interaction import max_similarities

RANKED_HITS = 10
"""How many hits a plan ranks for evaluation, whatever its source count."""
QUESTIONS_A_BATCH = 64
LEAST_PEAK = 1e-5
"""How far the best must stand above the mean, over the mean: less is the rounding of scores that are equal."""
EFFORTS = (1, 4, 16)
"""How many times as many candidates are asked for, one after the other, while there are too few places among them."""

Matrix = NDArray[np.float32]
Positions = NDArray[np.int64]
Tokens = Callable[[Positions], pa.LargeBinaryArray]
"""Gives the token vectors of the chunks at those positions, in their order, as they are kept."""


def no_tokens(positions: Positions) -> pa.LargeBinaryArray:
    """Raises ValueError: no plan whose index keeps no token vectors reranks by them."""
    raise ValueError(f"no token vectors are kept, and those of {len(positions)} chunks are asked for")


@dataclass(frozen=True, slots=True)
class Scored:
    """Questions against some chunks (m), in the order of the version; every matrix is ``(questions, m)``.

    ``positions`` (m) is where each stands in the version.
    ``dense`` and ``lexical`` are the cosines; a chunk that is no candidate of a question has the score minus infinity.
    ``is_whole``: these are all chunks of the version.
    """

    chunks: Sequence[Chunk]
    positions: Positions
    dense: Matrix
    lexical: Matrix
    bm25: Matrix
    scores: Matrix
    is_whole: bool


class Index(Protocol):
    """A version that can be searched."""

    def __len__(self) -> int:
        """How many chunks it has."""
        ...

    @property
    def bm25_state(self) -> BM25State:
        """Its fitted words."""
        ...

    @property
    def bm25(self) -> BM25:
        """The parameters of its BM25."""
        ...

    def score(self, questions: Sequence[str], dense: Matrix, plan: Retrieval, effort: int) -> Scored:
        """The scores of the chunks that may be the best; with more ``effort``, which begins at 1, of more chunks."""
        ...

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """At least those chunks of those files."""
        ...

    @property
    def tokens(self) -> Tokens:
        """What gives the token vectors of its chunks."""
        ...


@dataclass(frozen=True, slots=True)
class SearchableIndex:
    """A version in memory: ``chunks`` (m), ``dense`` (m, n), ``lexical`` (m, p), and the fitted states."""

    chunks: Sequence[Chunk]
    dense: Matrix
    lexical: Matrix
    lexical_state: LexicalState
    bm25_state: BM25State
    bm25: BM25
    tokens: Tokens = no_tokens

    def __len__(self) -> int:
        return len(self.chunks)

    def score(self, questions: Sequence[str], dense: Matrix, plan: Retrieval, effort: int) -> Scored:
        """The scores of all chunks."""
        lexical = self.lexical_state.project(questions)
        cosines = dense @ self.dense.T, lexical @ self.lexical.T
        bm25 = self.bm25_state.score(questions)
        scores = vector_scores((dense, lexical), (self.dense, self.lexical), cosines, plan)
        if plan.bm25_weight:
            scores = peak_scaled(scores) + plan.bm25_weight * peak_scaled(bm25)
        return Scored(self.chunks, np.arange(len(self)), *cosines, bm25, scores, is_whole=True)

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """All chunks."""
        return self.chunks


def search(
    questions: Sequence[Question],
    question_dense: Matrix,
    index: Index,
    plan: Retrieval,
    question_tokens: Sequence[Matrix] = (),
) -> list[list[Hit]]:
    """The ranked hits of each question, at least RANKED_HITS where the index, or what is scored of it, has so many.

    ``question_dense`` is ``(len(questions), n)``; a plan that reranks needs ``question_tokens``, of each (t, d).

    An empty index, or a question without a word and without a vector, gives no hits; no questions give an empty list.
    """
    if not questions or not len(index):
        return [[] for _ in questions]
    found: list[list[Hit]] = []
    for begin in range(0, len(questions), QUESTIONS_A_BATCH):
        part = slice(begin, begin + QUESTIONS_A_BATCH)
        found.extend(_search_batch(questions[part], question_dense[part], index, plan, question_tokens[part]))
    return found


def _search_batch(
    questions: Sequence[Question],
    dense: Matrix,
    index: Index,
    plan: Retrieval,
    tokens: Sequence[Matrix],
    efforts: Sequence[int] = EFFORTS,
) -> list[list[Hit]]:
    texts = [question.text for question in questions]
    scored = index.score(texts, dense, plan, efforts[0])
    means = np.full(len(texts), np.nan)
    if plan.rerank == "late_interaction":
        scores, means = _reranked(scored, tokens, index.tokens, plan.rerank_depth)
        scored = replace(scored, scores=scores)
    known = index.bm25_state.known_share(texts)
    ceilings = index.bm25_state.ceiling(texts, index.bm25.k1)[:, None]
    shares = np.divide(scored.bm25, ceilings, out=np.zeros_like(scored.bm25), where=ceilings > 0)
    wanted = min(max(plan.top_k, RANKED_HITS), len(index))
    found: list[list[Hit]] = []
    for row, question in enumerate(questions):
        ranked = _ranked(scored.scores[row], scored.chunks, wanted, plan) if question.text.strip() else []
        found.append(
            [
                Hit(
                    question_id=question.question_id,
                    rank=rank,
                    chunk=scored.chunks[at],
                    score=float(scored.scores[row, at]),
                    dense_similarity=float(scored.dense[row, at]),
                    lexical_similarity=float(scored.lexical[row, at]),
                    bm25_share=float(shares[row, at]),
                    lead=float(np.nan_to_num(scored.scores[row, at] - means[row])),
                    known_words=float(known[row]),
                )
                for rank, at in enumerate(ranked, start=1)
            ]
        )
    short = [row for row, hits in enumerate(found) if len(hits) < wanted and questions[row].text.strip()]
    if short and efforts[1:] and not scored.is_whole:
        left, their_tokens = [questions[row] for row in short], [tokens[row] for row in short if tokens]
        again = _search_batch(left, dense[short], index, plan, their_tokens, efforts[1:])
        for row, hits in zip(short, again, strict=True):
            found[row] = hits
    return found


def _reranked(
    scored: Scored, tokens: Sequence[Matrix], stored: Tokens, depth: int
) -> tuple[Matrix, NDArray[np.float64]]:
    """The scores by which the ``depth`` best of each question are ranked by late interaction, before all others, and
    the mean of these ``depth``, ``(questions,)``.

    Those go from 1 to -1; the others keep their order, and what parts them, below -1. A question without a token is
    left as it is, and its mean is not a number.
    """
    best = [
        [at for at in best_first(row, depth) if row[at] > -np.inf] if len(found) else []
        for row, found in zip(scored.scores, tokens, strict=True)
    ]
    read = np.unique(np.concatenate([np.array(each, np.int64) for each in best]))
    kept = stored(scored.positions[read])
    scores, means = scored.scores.copy(), np.full(len(best), np.nan)
    for row, (columns, found) in enumerate(zip(best, tokens, strict=True)):
        if columns:
            scores[row] -= scores[row].max() + 1
            some = kept.take(pa.array(np.searchsorted(read, columns)))
            scores[row, columns] = anew = max_similarities(found, some)
            means[row] = anew.mean()
    return scores, means


def vector_scores(
    questions: tuple[Matrix, Matrix], chunks: tuple[Matrix, Matrix], cosines: tuple[Matrix, Matrix], plan: Retrieval
) -> Matrix:
    """The plan's scores without BM25, ``(questions, chunks)``; each pair is dense and lexical."""
    if plan.vectors == "dense":
        return cosines[0]
    if plan.vectors == "lexical":
        return cosines[1]
    if plan.combine == "join":
        return plan.alpha * cosines[0] + (1 - plan.alpha) * cosines[1]
    return hybrid_vectors(*questions, plan.alpha, plan.combine) @ hybrid_vectors(*chunks, plan.alpha, plan.combine).T


def peak_scaled(scores: Matrix, means: Matrix | None = None, peaks: Matrix | None = None) -> Matrix:
    """Each row moved to mean 0 and scaled to a maximum of 1, so that unlike scores can be added.

    A row in which nothing stands out (all equal) becomes 0 and says nothing. ``(questions, chunks)`` both; ``means``
    and ``peaks``, ``(questions, 1)``, are given where ``scores`` are not of all chunks.
    """
    means = scores.mean(axis=1, keepdims=True, dtype=np.float64) if means is None else means
    peaks = (scores.max(axis=1, keepdims=True) if peaks is None else peaks).astype(np.float64) - means
    stands_out = peaks > LEAST_PEAK * np.maximum(np.abs(means), LEAST_PEAK)
    return np.divide(scores - means, peaks, out=np.zeros(scores.shape), where=stands_out).astype(np.float32)


def _ranked(scores: NDArray[np.float32], chunks: Sequence[Chunk], wanted: int, plan: Retrieval) -> list[int]:
    """The positions of at most ``wanted`` hits, best first; of equals, the earlier chunk."""
    if not plan.one_hit_per_page:
        return [at for at in best_first(scores, wanted) if scores[at] > -np.inf]
    looked_at = wanted
    while True:
        best: dict[tuple[object, ...], int] = {}
        for at in best_first(scores, looked_at):
            if scores[at] == -np.inf:
                break
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
