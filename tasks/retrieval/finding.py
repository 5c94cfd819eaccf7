"""Questions to hits with the models that a plan needs: the one that embeds, and the one that ranks anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from configs.plans import Retrieval
from tasks.records import Hit, Question
from tasks.retrieval.hand_over import alone, go_with
from tasks.retrieval.rerank import Rescore, ScorePairs, Whole, by_dense_vectors, by_late_interaction, by_pairs
from tasks.retrieval.search import Index, search

Matrix = NDArray[np.float32]
EncodeQuestions = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
"""Gives the unit vectors of questions ``(m, n)``, and of each those of its tokens where the plan keeps them."""


def find_hits(
    questions: Sequence[Question], index: Index, plan: Retrieval, encode: EncodeQuestions, score_pairs: ScorePairs
) -> list[list[Hit]]:
    """The ranked hits of each question, in order: all are embedded, searched, put together and ranked anew as one
    batch. ``score_pairs`` is asked where the plan reranks with a model that reads question and chunk together.

    Questions without a hit, and an empty index, give empty lists.
    """
    if not questions:
        return []
    texts = [question.text for question in questions]
    dense, tokens = encode(texts)
    rescore: Rescore | None = None
    if plan.rerank is not None:
        whole: Whole = alone if plan.rerank.reads == "chunk" else partial(go_with, chunks=index, plan=plan)
        if plan.rerank.by == "late_interaction":
            rescore = by_late_interaction(tokens, index.tokens, whole)
        else:
            rescore = by_pairs(texts, score_pairs, whole) if plan.rerank.reads_pairs else by_dense_vectors
    return search(questions, dense, index, plan, rescore)
