"""Questions to hits with the models that a plan needs: the one that embeds, and the one that ranks anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from configs.plans import Retrieval
from tasks.records import Hit, Question
from tasks.retrieval.rerank import Rescore, ScorePairs, by_dense_vectors, by_late_interaction, by_pairs
from tasks.retrieval.search import RANKED_HITS, Index, search
from tasks.retrieval.twins import Told, arranged

Matrix = NDArray[np.float32]
EncodeQuestions = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Gives the unit vectors of questions ``(m, n)``, and of each those of its tokens where the plan keeps them."""


NOTHING_TOLD: Mapping[str, Told] = MappingProxyType({})


def find_hits(
    questions: Sequence[Question],
    index: Index,
    plan: Retrieval,
    encode: EncodeQuestions,
    score_pairs: ScorePairs,
    told: Mapping[str, Told] = NOTHING_TOLD,
) -> list[list[Hit]]:
    """The ranked hits of each question, in order: all are embedded, searched, put together and ranked anew as one
    batch. By what is ``told`` of the documents, a plan that collapses hits orders those that say the same.
    ``score_pairs`` is asked where the plan reranks with a model that reads question and chunk together.

    Questions without a hit, and an empty index, give empty lists.
    """
    if not questions:
        return []
    texts = [question.text for question in questions]
    dense, tokens = encode(texts)
    rescore: Rescore | None = None
    if plan.rerank is not None and plan.rerank.by == "late_interaction":
        rescore = by_late_interaction(tokens, index.tokens)
    elif plan.rerank is not None:
        rescore = by_pairs(texts, score_pairs) if plan.rerank.reads_pairs else by_dense_vectors
    found = search(questions, dense, index, plan, rescore)
    if plan.collapse is None:
        return found
    most = max(plan.top_k, RANKED_HITS)
    return [arranged(text, hits, told, plan.collapse)[:most] for text, hits in zip(texts, found, strict=True)]
