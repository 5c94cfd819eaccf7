"""Answerability: the confidence that the documents answer a question, by retrieval and by the quote's share of it.

The length of the question plays no part: nothing here is a count or a sum over its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import NDArray

from configs.plans import Answering, Confidence
from tasks.answering.drafts.draft import Asked, Draft
from tasks.records import Hit

LEAST_TOKENS = 0.1
"""The quantile of :func:`weakest_match`: the weakest token alone is often a word that any question has."""
Matrix = NDArray[np.float32]


def confidence_of(hits: Sequence[Hit], support: float, plan: Answering) -> float | None:
    """The plan's confidence in [0, 1] that ``hits``, best first, and a draft of that support answer their question.

    None between two languages, where nobody has read the hit and words cannot be compared: nothing tells then.
    """
    if plan.confidence is not None and hits and hits[0].relevance is None and hits[0].known_words is None:
        return None
    return evidence_score(hits, support) if plan.confidence is None else probability(hits, support, plan.confidence)


def probability(hits: Sequence[Hit], support: float, weights: Confidence) -> float:
    """The probability that the documents answer the question, by its best hit and its draft; 0 without hits."""
    if not hits:
        return 0.0
    relevance, known_words = signals(hits[0])
    weighed = weights.support * support + weights.relevance * relevance + weights.known_words * known_words
    return _logistic(weights.intercept + weighed)


def signals(best: Hit) -> tuple[float, float]:
    """The signals that :class:`~configs.plans.Confidence` weighs: the best hit's relevance, as a probability, since
    beyond a few units a logit says no more, 0 where nobody has looked; and its share of known words, 1 where that is
    not known, as between two languages: words that cannot be compared are no reason to decline.
    """
    relevance = 0.0 if best.relevance is None else _logistic(best.relevance)
    return relevance, 1.0 if best.known_words is None else best.known_words


def is_unheard_of(hits: Sequence[Hit]) -> bool:
    """Tell if no document has a particular word of the question that found ``hits``. False without hits."""
    return bool(hits) and hits[0].known_words == 0


def _logistic(log_odds: float) -> float:
    return 1 / (1 + exp(-min(500.0, max(-500.0, log_odds))))


def read_for(asked: Asked, draft: Draft) -> str | None:
    """The text to compare with the question: the text that the draft was found by, else its first quote, else the
    nearest fact, of a row the whole row; None where the draft has none of these.
    """
    if draft.compared_text:
        return draft.compared_text
    quoted = next(iter(draft.citations), draft.nearest_fact)
    if quoted is None:
        return None
    rows = (chunk for hit in asked.hits for chunk in hit.chunks if chunk.row_number is not None)
    inside = (row for row in rows if row.document_id == quoted.document_id and row.start <= quoted.start < row.end)
    return next((row.text for row in inside), quoted.quote)


def weakest_match(question: Matrix, quote: Matrix) -> float:
    """The tenth quantile, over the question's tokens, of each token's highest cosine in the quote (late interaction):
    if a sentence about the same subject answers shows in the words that match nothing.

    ``question`` (t, d) and ``quote`` (s, d) are unit vectors of tokens; 0 where either has none.
    """
    if not len(question) or not len(quote):
        return 0.0
    return float(np.quantile((question @ quote.T).max(axis=1), LEAST_TOKENS))


def evidence_score(hits: Sequence[Hit], support: float) -> float:
    """The score in [0, 1] of how well the documents answer, without fitted weights; 0 without hits.

    The mean of the draft's support and the best hit's share of what the question's words could give in BM25.
    """
    share = max((hit.bm25_share for hit in hits), default=0.0)
    return min(1.0, max(0.0, (support + share) / 2))
