"""What the hits say of whether the documents answer a question, before anybody has read them.

The length of the question plays no part: nothing here is a count or a sum over its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from configs.plans import Answering, Confidence
from tasks.records import Hit


def confidence_of(hits: Sequence[Hit], support: float, plan: Answering) -> float:
    """The plan's confidence in [0, 1] that ``hits``, best first, answer their question.

    ``support`` is the draft's, which a plan with fitted weights has no use for.
    """
    return evidence_score(hits, support) if plan.confidence is None else probability(hits, plan.confidence)


def probability(hits: Sequence[Hit], weights: Confidence) -> float:
    """How probable it is that the documents answer the question, by its best hit; 0 without hits."""
    if not hits:
        return 0.0
    similarity, lead, known_words = signals(hits[0])
    log_odds = (
        weights.intercept + weights.similarity * similarity + weights.lead * lead + weights.known_words * known_words
    )
    return 1 / (1 + exp(-min(500.0, max(-500.0, log_odds))))


def signals(best: Hit) -> tuple[float, float, float]:
    """What :class:`~configs.plans.Confidence` weighs, in its order: similarity, lead, known words.

    A question that cannot be reranked by, since no word of it is a token, has no lead that speaks for it.
    """
    return best.dense_similarity, best.lead or 0.0, best.known_words


def evidence_score(hits: Sequence[Hit], support: float) -> float:
    """How well the documents bear the question out without fitted weights, in [0, 1]; 0 without hits.

    The mean of two signals that do not know each other: the draft's support, and the share of what the question's
    words could give in BM25 that the best hit gives. Support is, of extractive drafts, how near the best quote is to
    the question in the dense space; of a model's, the share of the words of its weakest sentence that the cited
    passages hold.
    """
    share = max((hit.bm25_share for hit in hits), default=0.0)
    return min(1.0, max(0.0, (support + share) / 2))
