"""Search of a version too large for memory.

LanceDB's indexes and BM25 propose chunks, and only those are scored, exactly.

The scores of a plan need three figures of the other chunks, all known without reading them. The mean of cosines is the
cosine with the mean vector. BM25's mean and peak are those of the chunks that share a word. The best chunk is among
the candidates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import BM25
from configs.retrieval import RankedList, Retrieval, Search
from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS, Abbreviations
from tasks.embedding.lexical.bm25 import BM25State
from tasks.embedding.lexical.hybrid_scores import combine_sum
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.index.row_filter import Within
from tasks.index.rows import chunks_of
from tasks.records import Chunk
from tasks.retrieval.context.context_window import Numbered
from tasks.retrieval.first_stage.exact_search import vector_scores
from tasks.retrieval.first_stage.quantized_vectors import EXACT_PLACES
from tasks.retrieval.queries.queries import Queries
from tasks.retrieval.queries.query_adapter import Adapter
from tasks.retrieval.ranking.fusion import Spread, best_first, fused, spread_of, takes_spreads
from tasks.retrieval.ranking.scores import Scored

SUM_CANDIDATES = 4
"""Factor on the number of candidates that each space proposes where a score adds both spaces (``combine: sum``)."""
Matrix = NDArray[np.float32]
Positions = NDArray[np.int64]


class Reader(Protocol):
    """Reader of a version whose rows stay on disk; ``tasks.index.reader`` implements it."""

    def __len__(self) -> int:
        """The number of chunks."""
        ...

    def nearest(
        self, column: str, questions: Matrix, count: int, search: Search, of: str, within: Within | None
    ) -> Sequence[Positions]:
        """The positions of the ``count`` chunks whose vectors in ``column`` ("dense" or
        "lexical") are nearest to each question.

        Only chunks of the granularity ``of`` (where not empty) and of the part ``within`` (where not None) are
        searched.
        """
        ...

    def is_of(self, granularity: str) -> NDArray[np.bool_]:
        """A mask of the positions whose chunks have that granularity; all of them where the name is empty."""
        ...

    def within(self, file_names: Collection[str], others: Collection[str]) -> Within:
        """The part of the version that belongs to those files; ``others`` are the names of all other files."""
        ...

    def rows(self, positions: Positions) -> pa.Table:
        """The rows at those positions, in the order of the version."""
        ...

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions, in the order of the version."""
        ...

    def chunks(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """The chunks of those files with those ids."""
        ...

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        ...

    def tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at those positions."""
        ...

    def means(self) -> tuple[Matrix, Matrix]:
        """The mean dense and lexical vector."""
        ...

    def vectors(self) -> Iterable[tuple[Matrix, Matrix]]:
        """All dense and lexical vectors, in batches."""
        ...


@dataclass(frozen=True, slots=True)
class IndexedVersion:
    """A version of at least one chunk whose rows stay on disk; only its fitted states are in memory.

    ``part`` is the part that is searched; None means all.
    """

    reader: Reader
    lexical_state: LexicalState
    bm25_state: BM25State
    bm25: BM25
    search: Search
    adapter: Adapter | None = None
    part: Within | None = None
    abbreviations: Abbreviations = NO_ABBREVIATIONS
    _summed: dict[float, Matrix] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.reader) if self.part is None else len(self.part.positions)

    def within(self, file_names: Collection[str], others: Collection[str]) -> IndexedVersion:
        """The same version, limited to the chunks of those files; ``others`` are all other files' names.

        Means and peaks stay those of the whole version, so that scores keep their meaning.
        """
        return replace(self, part=self.reader.within(file_names, others))

    def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
        """Score the candidates of each question, of each kind ``effort`` times
        as many as the plan's search asks for.
        """
        dense, lexical = queries.dense, queries.lexical
        bm25 = self.bm25_state.score_all(queries.words)
        depth = plan.rerank.depth if plan.rerank else 0
        proposed = max(self.search.candidates, depth, *(listed.count or 0 for listed in plan.lists))
        count = min(effort * proposed, len(self))
        own = seen = self._candidates((dense, lexical), bm25, plan, count, self.part)
        if self.part is not None and takes_spreads(plan):
            of_all = self._candidates((dense, lexical), bm25, plan, min(effort * proposed, len(self.reader)), None)
            seen = [np.union1d(*both) for both in zip(own, of_all, strict=True)]
        positions = np.unique(np.concatenate(seen))
        chunks = self.vectors_at(positions)
        cosines = dense @ chunks[0].T, lexical @ chunks[1].T
        words = bm25[:, positions]
        is_candidate, is_seen = (np.stack([np.isin(positions, each) for each in some]) for some in (own, seen))
        is_of = {listed.of: is_seen & self.reader.is_of(listed.of)[positions] for listed in plan.lists}
        none, vectors = np.float32(-np.inf), ((dense, lexical), chunks, cosines)
        known = [
            np.where(is_of[listed.of], words if listed.by == "bm25" else vector_scores(*vectors, listed), none)
            for listed in plan.lists
        ]
        spreads: list[Spread] = []
        if takes_spreads(plan):
            of_words = spread_of(bm25)
            spreads = [
                of_words
                if listed.by == "bm25"
                else (self._mean_scores((dense, lexical), listed), each.max(axis=1, keepdims=True))
                for listed, each in zip(plan.lists, known, strict=True)
            ]
        lists = [np.where(is_candidate, each, none) for each in known]
        scores = np.where(is_candidate, fused(lists, plan, spreads), none)
        # More effort adds nothing to lists that end: at their count, or with the last chunk that shares a word.
        words_end = bool(np.count_nonzero(bm25, axis=1).max() <= count)
        lists_end = all(listed.count is not None or (listed.by == "bm25" and words_end) for listed in plan.lists)
        is_whole = count == len(self) or lists_end
        kept = effort * max(EXACT_PLACES, depth)
        if is_beginning := len(positions) > kept:
            # Of the others, the vectors were needed, and not the texts, which take far longer to read.
            best = [best_first(row, kept) for row in scores]
            at = np.unique(np.concatenate(best))
            is_best = np.stack([np.isin(at, each) for each in best])
            positions, scores = positions[at], np.where(is_best, scores[:, at], none)
            words, cosines = words[:, at], (cosines[0][:, at], cosines[1][:, at])
        found = chunks_of(self.reader.rows(positions))
        whole = is_whole and not is_beginning
        return Scored(found, positions, *cosines, words, scores, is_whole=whole, is_beginning=is_beginning)

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions, which must be in ascending order: one read."""
        return self.reader.vectors_at(positions)

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """The chunks of those files with those ids."""
        return self.reader.chunks(file_names, chunk_ids)

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        return self.reader.numbered(column, places)

    def tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at those positions."""
        return self.reader.tokens(positions)

    def _candidates(
        self, questions: tuple[Matrix, Matrix], bm25: Matrix, plan: Retrieval, count: int, part: Within | None
    ) -> list[Positions]:
        """The positions to score for each question, ``count`` of each kind, within the part if there is one."""
        all_positions = np.arange(len(self.reader)) if part is None else part.positions
        if count >= len(all_positions):
            return [all_positions for _ in questions[0]]
        found: list[list[Positions]] = [[] for _ in questions[0]]
        for of in {listed.of for listed in plan.lists}:
            lists = [listed for listed in plan.lists if listed.of == of]
            proposed = self._candidates_of(of, lists, questions, bm25, count, part)
            for positions, each in zip(proposed, found, strict=True):
                each.append(positions)
        return [np.unique(np.concatenate(each)) for each in found]

    def _candidates_of(
        self,
        of: str,
        lists: Sequence[RankedList],
        questions: tuple[Matrix, Matrix],
        bm25: Matrix,
        count: int,
        part: Within | None,
    ) -> list[Positions]:
        """The positions of the granularity ``of`` to score for each question, within the part if there is one."""
        is_mine = self.reader.is_of(of)
        if part is not None:
            is_inside = np.zeros(len(is_mine), np.bool_)
            is_inside[part.positions] = True
            is_mine = is_mine & is_inside
        found: list[list[Positions]] = [[np.zeros(0, np.int64)] for _ in questions[0]]
        for (column, _), (vectors, times) in _asked_for(lists, questions).items():
            nearest = self.reader.nearest(column, vectors, times * count, self.search, of, part)
            for positions, each in zip(nearest, found, strict=True):
                each.append(positions)
        if any(listed.by == "bm25" for listed in lists):
            for words, each in zip(bm25 if is_mine.all() else bm25 * is_mine, found, strict=True):
                positions = np.flatnonzero(words)
                each.append(positions[best_first(words[positions], count)])
        # A question that matches nothing matches all chunks equally, and of equals the earlier chunk ranks first.
        first = np.flatnonzero(is_mine)[:count]
        return [np.concatenate(each) if any(map(len, each)) else first for each in found]

    def _mean_scores(self, questions: tuple[Matrix, Matrix], listed: RankedList) -> Matrix:
        """The mean score over all chunks of a list that ranks by vectors, ``(questions, 1)``."""
        if listed.by == "hybrid" and listed.combine == "sum":
            alpha = listed.alpha
            if alpha not in self._summed:
                sums = [combine_sum(*each, alpha).sum(axis=0, dtype=np.float64) for each in self.reader.vectors()]
                self._summed[alpha] = (np.sum(sums, axis=0, keepdims=True) / len(self.reader)).astype(np.float32)
            return combine_sum(*questions, alpha) @ self._summed[alpha].T
        means = self.reader.means()
        return vector_scores(questions, means, (questions[0] @ means[0].T, questions[1] @ means[1].T), listed)


def _asked_for(
    lists: Sequence[RankedList], questions: tuple[Matrix, Matrix]
) -> dict[tuple[str, float | None], tuple[Matrix, int]]:
    """The query vectors to look up in each column, with the factor on the number of candidates.

    Lists that need the same lookup share it. The second part of a key is alpha for a sum of the two spaces, else None.
    """
    dense, lexical = questions
    asked: dict[tuple[str, float | None], tuple[Matrix, int]] = {}
    for listed in lists:
        if listed.by == "hybrid" and listed.combine == "sum":
            # The product of two sums also has cross terms between the spaces, which neither space gives alone: each
            # column is searched with the question's sum.
            both = combine_sum(*questions, listed.alpha)
            asked["dense", listed.alpha] = both[:, : dense.shape[1]], SUM_CANDIDATES
            asked["lexical", listed.alpha] = both[:, : lexical.shape[1]], SUM_CANDIDATES
            continue
        for column, vectors in (("dense", dense), ("lexical", lexical)):
            if listed.by in (column, "hybrid"):
                asked[column, None] = vectors, 1
    return asked
