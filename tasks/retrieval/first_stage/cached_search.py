"""Cache of first-stage scores, for many plans that differ only in later stages."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Sequence

from configs.plans import BM25
from configs.retrieval import Retrieval
from configs.slices import digest
from tasks.embedding.lexical.abbreviations import Abbreviations
from tasks.embedding.lexical.bm25 import BM25State
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.records import Chunk
from tasks.retrieval.context.context_window import Numbered
from tasks.retrieval.first_stage.exact_search import Index, Matrix, Positions
from tasks.retrieval.queries.queries import Queries
from tasks.retrieval.queries.query_adapter import Adapter
from tasks.retrieval.ranking.reranking import Tokens
from tasks.retrieval.ranking.scores import Scored

MOST_BYTES = 400_000_000
"""The most memory that cached scores may take, in bytes; the oldest are dropped first."""


class RememberingIndex:
    """An index that scores the same queries only once for all plans with the same first stage."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: OrderedDict[str, Scored] = OrderedDict()
        self._bytes = 0
        self.scored, self.remembered = 0, 0
        """The number of batches that were scored, and of those that were found in the cache."""

    def __len__(self) -> int:
        return len(self._index)

    @property
    def lexical_state(self) -> LexicalState:
        """The index' fitted lexical space."""
        return self._index.lexical_state

    @property
    def bm25_state(self) -> BM25State:
        """The index' fitted BM25 weights."""
        return self._index.bm25_state

    @property
    def bm25(self) -> BM25:
        """The parameters of the index' BM25."""
        return self._index.bm25

    @property
    def abbreviations(self) -> Abbreviations:
        """The abbreviations of the index' documents."""
        return self._index.abbreviations

    @property
    def adapter(self) -> Adapter | None:
        """The index' adapter of question vectors; None where it has none."""
        return self._index.adapter

    @property
    def tokens(self) -> Tokens:
        """The function that gives the token vectors of the index' chunks."""
        return self._index.tokens

    def within(self, file_names: Collection[str], others: Collection[str]) -> Index:
        """The part of the index that belongs to those files, without a cache."""
        return self._index.within(file_names, others)

    def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
        """The scores of the chunks that may be the best; callers must not write into them."""
        stage = [[listed.model_dump(mode="json") for listed in plan.lists], plan.fusion, plan.rrf_k, effort]
        asked = _fingerprint(queries)
        whole, partial = (f"{digest(of)}-{asked}" for of in (stage, [*stage, plan.rerank.depth if plan.rerank else 0]))
        for key in (whole, partial):
            if key in self._known:
                self.remembered += 1
                self._known.move_to_end(key)
                return self._known[key]
        self.scored += 1
        found = self._index.score(queries, plan, effort)
        # The number of chunks scored of a large version depends on the reranking depth.
        self._known[whole if found.is_whole else partial] = found
        self._bytes += _size(found)
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self._bytes -= _size(self._known.popitem(last=False)[1])
        return found

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions, which must be in ascending order."""
        return self._index.vectors_at(positions)

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """The chunks of those files with those ids, and maybe others."""
        return self._index.named(file_names, chunk_ids)

    def numbered(self, column: Numbered, places: Collection[tuple[str, int]]) -> Sequence[Chunk]:
        """The chunks whose file name and number, in that column, are among the places."""
        return self._index.numbered(column, places)


def _fingerprint(queries: Queries) -> str:
    found = hashlib.sha256()
    for part in (queries.dense, queries.lexical, queries.words.indptr, queries.words.indices, queries.words.data):
        found.update(repr(part.shape).encode())
        found.update(part.tobytes())
    return found.hexdigest()


def _size(scored: Scored) -> int:
    return sum(each.nbytes for each in (scored.dense, scored.lexical, scored.bm25, scored.scores))
