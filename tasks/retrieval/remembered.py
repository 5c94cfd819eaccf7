"""An index that remembers what its first stage said, for many plans that differ in what comes after it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Sequence

from configs.plans import BM25
from configs.retrieval import Retrieval
from configs.slices import digest
from tasks.embedding.abbreviations import Abbreviations
from tasks.embedding.bm25 import BM25State
from tasks.embedding.lexical import LexicalState
from tasks.records import Chunk
from tasks.retrieval.adapter import Adapter
from tasks.retrieval.hand_over import Numbered
from tasks.retrieval.queries import Queries
from tasks.retrieval.rerank import Tokens
from tasks.retrieval.scored import Scored
from tasks.retrieval.search import Index, Matrix, Positions

MOST_BYTES = 400_000_000
"""What scores that are remembered may take; the oldest go first."""


class RememberingIndex:
    """``index``, of which the same queries are scored once for all plans with the same first stage."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: OrderedDict[str, Scored] = OrderedDict()
        self._bytes = 0
        self.scored, self.remembered = 0, 0
        """How many batches were scored, and how many of those asked for were known."""

    def __len__(self) -> int:
        return len(self._index)

    @property
    def lexical_state(self) -> LexicalState:
        """The index' fitted lexical space."""
        return self._index.lexical_state

    @property
    def bm25_state(self) -> BM25State:
        """The index' fitted words."""
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
        """What turns the vectors of the index' questions."""
        return self._index.adapter

    @property
    def tokens(self) -> Tokens:
        """What gives the token vectors of the index' chunks."""
        return self._index.tokens

    def within(self, file_names: Collection[str], others: Collection[str]) -> Index:
        """The part of the index that is of those files, which remembers nothing."""
        return self._index.within(file_names, others)

    def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
        """The scores of the chunks that may be the best; nobody may write into them."""
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
        # How many chunks of a large version are scored hangs on how many are ranked anew.
        self._known[whole if found.is_whole else partial] = found
        self._bytes += _size(found)
        while self._bytes > MOST_BYTES and len(self._known) > 1:
            self._bytes -= _size(self._known.popitem(last=False)[1])
        return found

    def vectors_at(self, positions: Positions) -> tuple[Matrix, Matrix]:
        """The dense and lexical vectors at those positions, which rise."""
        return self._index.vectors_at(positions)

    def named(self, file_names: Collection[str], chunk_ids: Collection[str]) -> Sequence[Chunk]:
        """At least those chunks of those files."""
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
