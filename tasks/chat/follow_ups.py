"""How a question reads by its own words: it stands alone, or leans on the one before it.

It is *pointing* where a word of it stands for something that was said ("Who owns it?", "How often?"), and *elliptical*
where it is a part of a sentence whose rest was said ("And for backups?"). Both are learned from its function words, how
many others it has, and how it begins and ends (``configs/follow_ups.yaml``).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Literal, NamedTuple

from configs.follow_ups import FollowUpWeights
from tasks.text.content_words import all_words, is_function_word

MOST_COUNTED = 4
LEAST_FUNCTION_WORDS = 0.25
OTHER = "*"
"""Any word that is no function word."""


class Wording(NamedTuple):
    """The probabilities of the two ways to lean; what is left is that the question stands alone."""

    pointing: float
    elliptical: float

    @property
    def leans(self) -> float:
        """The probability of either."""
        return self.pointing + self.elliptical

    @property
    def way(self) -> Literal["pointing", "elliptical"]:
        """The likelier way, if it leans."""
        return "pointing" if self.pointing >= self.elliptical else "elliptical"


UNKNOWN = Wording(0.25, 0.25)
"""What is thought of a question that cannot be read."""


def wording_features(question: str) -> dict[str, float]:
    """The named features of a question's wording, each 1 where it is there; a question without a word has one."""
    words = [word.lower() for word in all_words(question)]
    kinds = [word if is_function_word(word) else OTHER for word in words]
    begin = [kind for kind in kinds if kind not in CONNECTIVES] or kinds
    counted = min(kinds.count(OTHER), MOST_COUNTED)
    found = {f"content {counted}": 1.0} | {f"has {kind}": 1.0 for kind in kinds if kind != OTHER}
    if kinds:
        found |= {f"first {kinds[0]}": 1.0, f"begins {begin[0]}": 1.0, f"last {kinds[-1]}": 1.0}
        found |= {f"begins {' '.join(begin[:2])}": 1.0}
    return found


CONNECTIVES = frozenset("and or but so also then".split())


def wording_of(question: str, weights: FollowUpWeights) -> Wording:
    """How the question reads. Of a longer one with few function words of English, which may be of another language,
    nothing is known.
    """
    features, words = wording_features(question), all_words(question)
    if len(words) >= MOST_COUNTED and sum(map(is_function_word, words)) < LEAST_FUNCTION_WORDS * len(words):
        return UNKNOWN
    odds = {way: exp(min(50.0, linear(features, one))) for way, one in weights.wording.items()}
    total = 1 + sum(odds.values())
    return Wording(odds["pointing"] / total, odds["elliptical"] / total)


def linear(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of the features with the weights' ``bias``; a feature without a weight counts nothing."""
    return weights.get("bias", 0.0) + sum(value * weights.get(name, 0.0) for name, value in features.items())
