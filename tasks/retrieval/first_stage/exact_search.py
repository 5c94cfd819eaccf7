"""Search of one index version for a batch of questions, by matrix products.

A plan's lists rank by the signals of the version: the two cosines (or Eq. 3 of RAILS over them) and BM25, fused by
``tasks/retrieval/ranking/fusion.py``. In memory, every chunk is scored; of a large version only candidates are
(``tasks/retrieval/first_stage/indexed_search.py``), by the same formulas (decision 0008).
The best may be reranked, and the best of these read once more (``tasks/retrieval/ranking/reranking.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import BM25
from configs.retrieval import RankedList, Retrieval
from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS, Abbreviations
from tasks.embedding.lexical.bm25 import BM25State, QuestionWords
from tasks.embedding.lexical.hybrid_scores import combine_sum
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.embedding.models.threads import in_threads
from tasks.records import Chunk, Hit, Question
from tasks.retrieval.context.context_window import Numbered
from tasks.retrieval.first_stage.quantized_vectors import RoundedVectors
from tasks.retrieval.queries.queries import Expanded, Queries, beside, of_questions, queries_of
from tasks.retrieval.queries.query_adapter import Adapter
from tasks.retrieval.ranking.fusion import best_above, fused, of_cosines, spread_of, takes_spreads
from tasks.retrieval.ranking.reranking import Rescore, Tokens, reranked, reread
from tasks.retrieval.ranking.scores import Scored
from tasks.text.characters import fold
from tasks.text.language_detection import ENGLISH, detect_language, question_language

RANKED_HITS = 10
"""The number of hits that are ranked for evaluation, whatever the plan's ``top_k``."""
SPARE_HITS = 20
"""The number of additional hits that are looked at where some may say the same."""
QUESTIONS_A_BATCH = 32
"""The largest number of questions scored at once: more would be no faster, and memory grows with it."""
SCORES_A_BATCH = 6_400_000
"""The largest number of scores by words that a batch of questions has: in memory, 26 MB."""
EFFORTS = (1, 4, 16)
"""Factors on the number of candidates, tried in turn while these have too few places."""

Matrix = NDArray[np.float32]
Positions = NDArray[np.int64]
Naming = Callable[[Sequence[str], Sequence[Chunk]], Matrix]
"""Function that tells how clearly each question names each chunk's document, ``(questions, chunks)``, from 0."""
Arrange = Callable[[str, list[Hit]], list[Hit]]
"""Function that reorders the hits of a question, given its text, and may move some behind others as duplicates."""


def no_tokens(positions: Positions) -> pa.LargeBinaryArray:
    """Raise ValueError: the placeholder of an index without token vectors, which no plan may rerank by."""
    raise ValueError(f"no token vectors are kept, and those of {len(positions)} chunks are asked for")


class Index(Protocol):
    """An index version that can be searched."""

    def __len__(self) -> int:
        """The number of chunks."""
        ...

    @property
    def lexical_state(self) -> LexicalState:
        """The fitted lexical space."""
        ...

    @property
    def bm25_state(self) -> BM25State:
        """The fitted BM25 weights."""
        ...

    @property
    def bm25(self) -> BM25:
        """The parameters of BM25."""
        ...

    @property
    def abbreviations(self) -> Abbreviations:
        """The abbreviations of its documents."""
        ...

    def within(self, file_names: Collection[str], others: Collection[str]) -> Index:
        """The same version, limited to the chunks of those files; ``others`` are all other files' names.

        Means and peaks of scores, and the known words, stay those of the whole version.
        """
        ...

    def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
        """Score the chunks that may be the best; more ``effort``, which begins at 1, scores more chunks."""
        ...

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions, which must be in ascending order."""
        ...

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """The chunks of those files with those ids, and maybe others."""
        ...

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        ...

    @property
    def adapter(self) -> Adapter | None:
        """The adapter of question vectors; None without one."""
        ...

    @property
    def tokens(self) -> Tokens:
        """The function that gives the token vectors of chunks."""
        ...


@dataclass(frozen=True, slots=True)
class SearchableIndex:
    """A version in memory: ``chunks`` (m), ``dense`` (m, n), ``lexical`` (m, p), and the fitted states.

    ``is_inside`` (m) marks the chunks that may be found; None means all. A single question is scored by the ``rounded``
    vectors first, where there are any.
    """

    chunks: Sequence[Chunk]
    dense: Matrix
    lexical: Matrix
    lexical_state: LexicalState
    bm25_state: BM25State
    bm25: BM25
    tokens: Tokens = no_tokens
    adapter: Adapter | None = None
    is_inside: NDArray[np.bool_] | None = None
    rounded: RoundedVectors | None = None
    abbreviations: Abbreviations = NO_ABBREVIATIONS

    def __len__(self) -> int:
        return len(self.chunks) if self.is_inside is None else int(self.is_inside.sum())

    def within(self, file_names: Collection[str], others: Collection[str]) -> SearchableIndex:
        """The same version, limited to the chunks of those files.

        Means and peaks stay those of the whole version, so that scores keep their meaning.
        """
        names = frozenset(file_names)
        return replace(self, is_inside=np.array([chunk.file_name in names for chunk in self.chunks], np.bool_))

    def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
        """Score all chunks; a single question without more effort may get the scores of the best chunks only."""
        dense, lexical = queries.dense, queries.lexical
        bm25 = self.bm25_state.score_all(queries.words)
        if self.rounded is not None and self.is_inside is None and len(queries) == 1 and effort == EFFORTS[0]:
            best = self.rounded.score((dense, lexical), bm25, plan)
            if best is not None:
                chunks = [self.chunks[at] for at in best.positions]
                own = *best.cosines, bm25[:, best.positions], best.scores
                return Scored(chunks, best.positions, *own, is_whole=False, is_beginning=True)
        positions = np.arange(len(self.chunks))
        cosines = dense @ self.dense.T, lexical @ self.lexical.T
        vectors = (dense, lexical), (self.dense, self.lexical), cosines
        lists = [bm25 if listed.by == "bm25" else vector_scores(*vectors, listed) for listed in plan.lists]
        for at, of in ((at, listed.of) for at, listed in enumerate(plan.lists) if listed.of):
            is_of = np.array([chunk.granularity == of for chunk in self.chunks])
            lists[at] = np.where(is_of, lists[at], np.float32(-np.inf))
        if self.is_inside is None:
            return Scored(self.chunks, positions, *cosines, bm25, fused(lists, plan), is_whole=True)
        none, spreads = np.float32(-np.inf), [spread_of(each) for each in lists] if takes_spreads(plan) else []
        inside = [np.where(self.is_inside, each, none) for each in lists]
        scores = np.where(self.is_inside, fused(inside, plan, spreads), none)
        return Scored(self.chunks, positions, *cosines, bm25, scores, is_whole=True)

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions."""
        return self.dense[positions], self.lexical[positions]

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """All chunks, as the protocol allows."""
        return self.chunks

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        return [chunk for chunk in self.chunks if (chunk.file_name, getattr(chunk, column)) in places]


def search(
    questions: Sequence[Question],
    question_dense: Matrix,
    index: Index,
    plan: Retrieval,
    rescore: Rescore | None = None,
    expanded: Expanded | None = None,
    read: Rescore | None = None,
    arrange: Arrange | None = None,
    naming: Naming | None = None,
    *,
    threads: int = 1,
) -> list[list[Hit]]:
    """The ranked hits of each question, at least RANKED_HITS if so many chunks are scored.

    ``question_dense`` is ``(len(questions), n)``. A plan that reranks needs ``rescore``, and one that reads its best
    hits again ``read``; both get the questions' numbers. A plan that weighs named documents needs ``naming``.
    ``expanded`` decides which chunks are found; a hit's other figures are those of the question itself. ``arrange``
    reorders the hits at the end. ``threads`` batches are searched at once. An empty index, or a question without a
    letter or a digit, gives no hits; no questions give an empty list.
    """
    if not len(index):
        return [[] for _ in questions]
    asked = _Asked(questions, question_dense, index, plan, rescore, expanded, read, naming)
    most = max(map(len, expanded.rows), default=0) if expanded else 0
    at_once = max(1, questions_a_batch(index) // (1 + most))

    def hits_of(numbers: Sequence[int]) -> list[list[Hit]]:
        found = asked.batch(numbers)
        if arrange is None:
            return found
        return [arrange(questions[number].text, hits) for number, hits in zip(numbers, found, strict=True)]

    batches = [range(begin, min(begin + at_once, len(questions))) for begin in range(0, len(questions), at_once)]
    # Few questions, one above all, have all processors for each of their products.
    found = in_threads(hits_of, batches, threads) if len(batches) > 1 else map(hits_of, batches)
    return [hits for of_batch in found for hits in of_batch]


def questions_a_batch(index: Index) -> int:
    """The number of questions to score at once: fewer of a large version, so that memory does not grow with it."""
    chunks: int = index.bm25_state.weights.shape[1]
    return max(1, min(QUESTIONS_A_BATCH, SCORES_A_BATCH // max(1, chunks)))


@dataclass(frozen=True, slots=True)
class _Asked:
    """Questions with the index, plan and rerankers to search them with."""

    questions: Sequence[Question]
    dense: Matrix
    index: Index
    plan: Retrieval
    rescore: Rescore | None
    expanded: Expanded | None
    read: Rescore | None
    naming: Naming | None

    def batch(self, numbers: Sequence[int], efforts: Sequence[int] = EFFORTS) -> list[list[Hit]]:
        """The hits of the questions with those numbers, at least one.

        Where a large version gives too few hits, it is searched again with more effort.
        """
        plan, questions = self.plan, [self.questions[number] for number in numbers]
        texts = [question.text for question in questions]
        own = queries_of(texts, self.dense[list(numbers)], self.index)
        scored = self._scored(self.index, numbers, own, efforts[0])
        named = None
        if plan.named is not None and self.naming is not None:
            named = self.naming(texts, scored.chunks)
            scored = replace(scored, scores=scored.scores + np.float32(plan.named.candidates) * named)
        means = np.full(len(texts), np.nan)
        if plan.rerank is not None and self.rescore is not None:
            scores, means = reranked(numbers, scored, self.rescore, plan.rerank.depth)
            scored = replace(scored, scores=scores)
        before, relevances = scored.scores, None
        if plan.named is not None and named is not None and plan.rerank is not None:
            scored = replace(scored, scores=scored.scores + np.float32(plan.named.ranking) * named)
        if plan.reread is not None and self.read is not None:
            scores, relevances = reread(numbers, scored, self.read, plan.reread)
            scored = replace(scored, scores=scores)
        words = QuestionWords(own.words, own.unknown)
        known = self.index.bm25_state.known_share(words)
        ceilings = self.index.bm25_state.ceiling(words, self.index.bm25.k1)
        wanted = min(max(plan.top_k, RANKED_HITS), len(self.index))
        spare = SPARE_HITS if plan.collapse else 0
        found: list[list[Hit]] = []
        for row, question in enumerate(questions):
            ranked = _ranked(scored.scores[row], scored.chunks, wanted + spare, plan) if fold(question.text) else []
            scores, dense, lexical = (
                each[row, ranked].tolist() for each in (scored.scores, scored.dense, scored.lexical)
            )
            shares = scored.bm25[row, ranked] / ceilings[row] if ceilings[row] > 0 else np.zeros(len(ranked))
            leads = before[row, ranked] - means[row]
            read = np.full(len(ranked), np.nan) if relevances is None else relevances[row, ranked]
            clear = np.full(len(ranked), np.nan) if named is None else named[row, ranked]
            found.append(
                [
                    Hit(
                        question_id=question.question_id,
                        rank=place + 1,
                        chunk=scored.chunks[at],
                        score=scores[place],
                        dense_similarity=dense[place],
                        lexical_similarity=lexical[place],
                        bm25_share=float(shares[place]),
                        lead=_number(leads[place]),
                        relevance=_number(read[place]),
                        known_words=None if _are_foreign(question.text, scored.chunks[at]) else float(known[row]),
                        names_document=_number(clear[place]),
                    )
                    for place, at in enumerate(ranked)
                ]
            )
        least = min(wanted + spare, len(self.index)) if scored.is_beginning else wanted
        short = [row for row, hits in enumerate(found) if len(hits) < least and fold(questions[row].text)]
        if short and efforts[1:] and not scored.is_whole:
            again = self.batch([numbers[row] for row in short], efforts[1:])
            for row, hits in zip(short, again, strict=True):
                found[row] = hits
        return found

    def _scored(self, index: Index, numbers: Sequence[int], own: Queries, effort: int) -> Scored:
        if self.expanded is None:
            return index.score(own, self.plan, effort)
        queries, groups = beside(own, numbers, self.expanded)
        return of_questions(index.score(queries, self.plan, effort), groups, self.plan)


def _are_foreign(question: str, chunk: Chunk) -> bool:
    """Tell if question or chunk are surely not in English, so that the words that they share say nothing that weights
    fitted to English could read.
    """
    return question_language(question) not in (None, ENGLISH) or detect_language(chunk.text) not in (None, ENGLISH)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def vector_scores(
    questions: tuple[Matrix, Matrix], chunks: tuple[Matrix, Matrix], cosines: tuple[Matrix, Matrix], listed: RankedList
) -> Matrix:
    """The scores of a list that ranks by vectors, ``(questions, chunks)``; each pair is dense and lexical."""
    if listed.by != "hybrid" or listed.combine == "join":
        return of_cosines(cosines, listed)
    return combine_sum(*questions, listed.alpha) @ combine_sum(*chunks, listed.alpha).T


def _ranked(scores: NDArray[np.float32], chunks: Sequence[Chunk], wanted: int, plan: Retrieval) -> list[int]:
    """The positions of at most ``wanted`` hits, best first; of equals, the earlier chunk."""
    if not plan.one_hit_per_page:
        return best_above(scores, wanted)
    looked_at = wanted
    while True:
        best: dict[tuple[object, ...], int] = {}
        for at in best_above(scores, looked_at):
            chunk = chunks[at]
            place = (chunk.document_id, chunk.page_number, chunk.sheet_name, chunk.row_number)
            # Where a format has no pages, all of a document would be a single place.
            best.setdefault(place if any(place[1:]) else (*place, at), at)
            if len(best) == wanted:
                return list(best.values())
        if looked_at >= len(chunks):
            return list(best.values())
        looked_at *= 4
