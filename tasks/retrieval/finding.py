"""Questions to ranked hits, with the models that a plan needs: to embed, to rerank, and to write other wordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.retrieval import Feedback, Retrieval, Wordings
from tasks.records import Hit, Question
from tasks.retrieval.context.context_window import alone, go_with
from tasks.retrieval.first_stage.exact_search import RANKED_HITS, Index, search
from tasks.retrieval.first_stage.pseudo_relevance_feedback import feed_back
from tasks.retrieval.queries.compound_spelling import as_searched
from tasks.retrieval.queries.named_documents import DocumentName, document_names
from tasks.retrieval.queries.queries import Expanded, queries_of
from tasks.retrieval.queries.query_adapter import Adapter
from tasks.retrieval.queries.query_expansion import Expansion, WriteWordings
from tasks.retrieval.ranking.near_duplicates import arranged
from tasks.retrieval.ranking.reranking import (
    Rescore,
    ScorePairs,
    Whole,
    by_dense_vectors,
    by_late_interaction,
    by_pairs,
    with_cosines,
)
from tasks.retrieval.ranking.told_documents import Told, with_names
from tasks.text.language_detection import foreign_language

Matrix = NDArray[np.float32]
EncodeQuestions = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Function that gives the unit vectors of questions ``(m, n)``,
and each one's token vectors where the plan keeps them.
"""


NOTHING_TOLD: Mapping[str, Told] = MappingProxyType({})


def reads_nothing(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    """Raise ValueError: the placeholder where no cross-encoder is given, so no plan may read its hits again."""
    raise ValueError(f"no cross-encoder is given that reads the {len(pairs)} pairs")


class Models(NamedTuple):
    """The models that a plan may use.

    ``score_pairs`` is needed where the plan reranks with a model that reads question and chunk together, ``write``
    where it expands by a model server, ``read_pairs`` where it reads its best hits again. ``threads`` is how many
    batches of questions may be searched at once: 1 where the index or a reader keeps a cache.
    """

    encode: EncodeQuestions
    score_pairs: ScorePairs
    write: WriteWordings
    read_pairs: ScorePairs = reads_nothing
    threads: int = 1


class Found(NamedTuple):
    """The ranked hits of each question, and its expansion; no expansions where the plan does not expand."""

    hits: list[list[Hit]]
    expansions: list[Expansion]


def find_hits(
    questions: Sequence[Question],
    index: Index,
    plan: Retrieval,
    models: Models,
    told: Mapping[str, Told] = NOTHING_TOLD,
    adapter: Adapter | None = None,
) -> Found:
    """The ranked hits of each question, in order.

    All questions are expanded, embedded, searched, fused and reranked as one batch. A plan that collapses hits orders
    those that say the same by ``told``, the name and date of each document, and one that weighs named documents
    knows them by these names. Question vectors are turned by the given
    ``adapter``, else by the index' own, where it has one. Token vectors are not, so a plan that reranks counts the
    turned vectors there, too (:func:`with_cosines`). A requirement is searched as the question that it stands for, and
    all in the corpus' own words (:func:`as_searched`). Questions without a hit, and an empty index, give empty lists.
    """
    if not questions:
        return Found([], [])
    texts = [as_searched(question.text, index) for question in questions]
    expansions = models.write(texts) if isinstance(plan.expand, Wordings) else []
    dense, tokens = models.encode([*texts, *(query for expansion in expansions for query in expansion.queries)])
    adapter = adapter or index.adapter
    if adapter is not None:
        dense = adapter.turned(dense)
    own, expanded = dense[: len(texts)], None
    if isinstance(plan.expand, Wordings):
        expanded = _beside(expansions, dense[len(texts) :], index)
    elif isinstance(plan.expand, Feedback):
        expanded, expansions = _fed_back(texts, own, index, plan, plan.expand)
    rescore: Rescore | None = None
    if plan.rerank is not None:
        whole: Whole = alone if plan.rerank.reads == "chunk" else partial(go_with, chunks=index, plan=plan)
        if plan.rerank.by == "late_interaction":
            shares = plan.rerank.neighbours, plan.rerank.cosines
            rescore = by_late_interaction(tokens[: len(texts)], index.tokens, whole, *shares)
        else:
            rescore = by_pairs(texts, models.score_pairs, whole) if plan.rerank.reads_pairs else by_dense_vectors
        if adapter is not None:
            rescore = with_cosines(rescore, least=plan.rerank.least)
    # The model that reads knows English alone: what it says of another language is noise.
    readable = ["" if foreign_language(text) else text for text in texts]
    read = by_pairs(readable, models.read_pairs) if plan.reread is not None else None

    def arrange(question: str, hits: list[Hit]) -> list[Hit]:
        if plan.collapse is None:
            return hits
        return arranged(question, hits, told, plan.collapse)[: max(plan.top_k, RANKED_HITS)]

    naming = None
    if plan.named is not None:
        called = (DocumentName(file, one.title, one.entity, one.period) for file, one in told.items())
        naming = document_names(tuple(called)).scores
    found = search(questions, own, index, plan, rescore, expanded, read, arrange, naming, threads=models.threads)
    return Found([with_names(hits, told) for hits in found], expansions)


def _beside(expansions: Sequence[Expansion], dense: Matrix, index: Index) -> Expanded:
    queries = [query for expansion in expansions for query in expansion.queries]
    ends = np.cumsum([len(expansion.queries) for expansion in expansions]).tolist()
    rows = [range(end - len(one.queries), end) for one, end in zip(expansions, ends, strict=True)]
    return Expanded(queries_of(queries, dense, index), rows, with_own=True)


def _fed_back(
    texts: Sequence[str], dense: Matrix, index: Index, plan: Retrieval, how: Feedback
) -> tuple[Expanded | None, list[Expansion]]:
    if not len(index):
        return None, [Expansion(reason="the index is empty") for _ in texts]
    queries, added = feed_back(queries_of(texts, dense, index), index, plan, how)
    shown = [tuple(f"{word}^{share:.3f}" for word, share in words) for words in added]
    expansions = [
        Expansion(words) if words or not how.count else Expansion(reason="what it finds has no word to ask for")
        for words in shown
    ]
    return Expanded(queries, [(row,) for row in range(len(texts))], with_own=False), expansions
