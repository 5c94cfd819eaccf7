"""Answer sentence selection: rank the passages found for a question, with the probability that the first answers it.

A linear ranker over named features, fitted on pairs of a passage that answers and one that does not
(``tests/bench/fit_selection.py``); the probability is a logistic regression on what the ranker makes of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.weights import Selecting
from tasks.answering.quotes.passages import Passage
from tasks.text.names.figures_and_names import figures_of, periods_of
from tasks.text.search_terms import terms

FEATURES = ("reading", "similarity", "inverse_rank", "section_words", "has_figure")
"""The features' names. ``reading`` is the cross-encoder's logit, ``section_words`` the share of the question's words in
the heading above the passage, ``has_figure`` 1 for a figure that the question has not.
"""


NEAR = 1.0
"""The difference in merit within which a passage may answer as well as the best: its odds are e times less."""


class Selection(NamedTuple):
    """Places of passages from the best to the worst, their merits, and the probability that the best answers."""

    order: Sequence[int]
    merits: Sequence[float]
    probability: float


def features_of(question: str, passage: Passage, similarity: float, reading: float) -> list[float]:
    """The passage's features, in the order of :data:`FEATURES`."""
    asked = set(terms(question))
    above = set(terms(passage.past_question or passage.section))
    return [
        reading,
        similarity,
        1 / passage.hit.rank,
        len(asked & above) / max(1, len(asked)),
        float(bool(figures_of(passage.quote) - figures_of(question) or periods_of(passage.quote))),
    ]


def selected(features: Sequence[Sequence[float]], weights: Selecting) -> Selection:
    """The ranking of passages by their features ``(n, len(FEATURES))``; of none it is empty, with probability 0."""
    if not features:
        return Selection((), (), 0.0)
    rows = np.array(features)
    merits = rows @ np.array([weights.weights[name] for name in FEATURES])
    order = np.argsort(-merits, kind="stable")
    best = int(order[0])
    odds = weights.intercept + weights.share * share_of_best(merits) + weights.reading * rows[best, 0]
    return Selection(order.tolist(), merits[order].tolist(), 1 / (1 + exp(-odds)))


def share_of_best(merits: NDArray[np.float64]) -> float:
    """The share of the best of the merits among all, as a softmax gives it."""
    return float(1 / np.exp(merits - merits.max()).sum())
