"""A follow-up in its own words or joined with what went before: the one for which surer evidence is found is asked.

The choice falls before anything is drafted, so that a draft can be streamed, and a model server drafts once.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import NamedTuple

from configs.follow_ups import FollowUpWeights
from tasks.answering.pipeline import Loaded, find_timed
from tasks.chat.follow_ups import Wording, linear
from tasks.chat.joining import Encode
from tasks.questions.answer_limits import asked_alone
from tasks.records import Hit
from tasks.retrieval.finding import Found

LOGIT_UNIT = 5.0
"""A relevance is divided by it, so that all features are of one size."""
LEAST_PROBABILITY = 1e-4


class Candidate(NamedTuple):
    """A way to ask a question, and what was found for it in ``retrieval_ms``."""

    text: str
    found: Found
    retrieval_ms: float

    @property
    def relevance(self) -> float | None:
        """The logit of the best hit; None without a hit, or where no cross-encoder has read it."""
        best: Hit | None = next(iter(self.found.hits[0]), None)
        return best.relevance if best else None


class Finding(NamedTuple):
    """What gives the evidence for a way to ask a question, and the unit vectors of texts."""

    find: Callable[[str], Candidate]
    encode: Encode


def finding_in(loaded: Loaded) -> Finding:
    """The evidence that lies in one version.

    Each text is looked for by itself: in a batch, the last digits of its vectors would be others in a replay.
    """
    return Finding(
        lambda text: Candidate(text, *find_timed([asked_alone(text)], loaded)),
        lambda texts: loaded.models.encode(texts)[0],
    )


Decide = Callable[[Wording, Candidate, Candidate, FollowUpWeights], bool]
"""Decides if a question is asked as the second candidate, joined with those before it, or as the first, alone."""


def leans(wording: Wording, alone: Candidate, joined: Candidate, weights: FollowUpWeights) -> bool:
    """Decide if a question is to be asked ``joined`` with those before it, by its wording and by what is found both
    ways; by the wording alone where no cross-encoder has read the hits.
    """
    if alone.relevance is None or joined.relevance is None:
        return wording.leans > 1 / 2
    return linear(leaning_features(wording, alone, joined), weights.leans) >= weights.asked_joined_from


def finds_more(wording: Wording, alone: Candidate, joined: Candidate, weights: FollowUpWeights) -> bool:
    """As :func:`leans`, of questions that were written together, where the wording says less: asked joined where that
    finds the more relevant hit.
    """
    if alone.relevance is None or joined.relevance is None:
        return leans(wording, alone, joined, weights)
    return joined.relevance > alone.relevance


def leaning_features(wording: Wording, alone: Candidate, joined: Candidate) -> dict[str, float]:
    """What ``FollowUpWeights.leans`` weighs: the log-odds of the wording, and how relevant the best hits are."""
    p = min(max(wording.leans, LEAST_PROBABILITY), 1 - LEAST_PROBABILITY)
    return {
        "wording": log(p / (1 - p)),
        "alone": (alone.relevance or 0.0) / LOGIT_UNIT,
        "joined": (joined.relevance or 0.0) / LOGIT_UNIT,
    }
