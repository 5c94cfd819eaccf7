"""Choice between a follow-up in its own words and joined with the question before, by the surer evidence.

The choice falls before anything is drafted, so that a draft can be streamed, and a model server drafts once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import NamedTuple

from configs.weights import FollowUpWeights
from tasks.answering.pipeline import Loaded, find_timed
from tasks.chat.follow_ups import Wording, linear
from tasks.chat.joining import Encode
from tasks.questions.answer_limits import asked_alone
from tasks.records import Hit
from tasks.retrieval.finding import Found

LOGIT_UNIT = 5.0
"""The divisor of relevances, which makes all features of similar size."""
LEAST_PROBABILITY = 1e-4


class Candidate(NamedTuple):
    """A form of a question with its hits, which took ``retrieval_ms`` to find."""

    text: str
    found: Found
    retrieval_ms: float

    @property
    def relevance(self) -> float | None:
        """The logit of the best hit; None without a hit, or where no cross-encoder has read it."""
        best: Hit | None = next(iter(self.found.hits[0]), None)
        return best.relevance if best else None


class Finding(NamedTuple):
    """Functions that find hits for a form of a question, and give unit vectors of texts."""

    find: Callable[[str], Candidate]
    encode: Encode


def finding_in(loaded: Loaded) -> Finding:
    """The finding within one version, of one text at a time: a batch would change the last digits of vectors."""
    return Finding(
        lambda text: Candidate(text, *find_timed([asked_alone(text)], loaded)),
        lambda texts: loaded.models.encode(texts)[0],
    )


Decide = Callable[[Wording, Candidate, Candidate, FollowUpWeights], bool]
"""Function that decides if a question is asked as the second candidate, joined, or as the first, alone."""


def leans(wording: Wording, alone: Candidate, joined: Candidate, weights: FollowUpWeights) -> bool:
    """Tell if a question is to be asked ``joined``, by its wording and the hits of both forms, if they were read."""
    if alone.relevance is None or joined.relevance is None:
        return wording.leans > 1 / 2
    return linear(leaning_features(wording, alone, joined), weights.leans) >= weights.asked_joined_from


def finds_more(wording: Wording, alone: Candidate, joined: Candidate, weights: FollowUpWeights) -> bool:
    """Tell if a question of the same cell is to be asked ``joined``: where that finds the more relevant hit."""
    if alone.relevance is None or joined.relevance is None:
        return leans(wording, alone, joined, weights)
    return joined.relevance > alone.relevance


def leaning_features(wording: Wording, alone: Candidate, joined: Candidate) -> dict[str, float]:
    """The log-odds of the wording and the relevance of the best hits, as ``FollowUpWeights.leans`` weighs them."""
    p = min(max(wording.leans, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
    return {
        "wording": log(p / (1 - p)),
        "alone": (alone.relevance or 0.0) / LOGIT_UNIT,
        "joined": (joined.relevance or 0.0) / LOGIT_UNIT,
    }
