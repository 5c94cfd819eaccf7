"""Detection of follow-ups by their wording: does a question stand alone, or lean on the one before it.

It is *pointing* where a word of it stands for something said before ("Who owns it?"), and *elliptical* where it is a
part of a sentence whose rest was said before ("And for backups?"). Both are learned (``configs/follow_ups.yaml``).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Literal, NamedTuple

from configs.weights import FollowUpWeights
from tasks.text.content_words import all_words, is_function_word

MOST_COUNTED = 4
LEAST_FUNCTION_WORDS = 0.25
OTHER = "*"
"""The sign for any word that is no function word."""


class Wording(NamedTuple):
    """The probabilities that a question is pointing and that it is elliptical; the rest is that it stands alone."""

    pointing: float
    elliptical: float

    @property
    def leans(self) -> float:
        """The probability that the question leans on the one before, in either way."""
        return self.pointing + self.elliptical

    @property
    def way(self) -> Literal["pointing", "elliptical"]:
        """The likelier of the two ways, should it lean."""
        return "pointing" if self.pointing >= self.elliptical else "elliptical"


UNKNOWN = Wording(0.25, 0.25)
"""The wording of a question that cannot be read, in another language say."""


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
    """The wording of a question; UNKNOWN for a longer one with few English function words."""
    features, words = wording_features(question), all_words(question)
    if len(words) >= MOST_COUNTED and sum(map(is_function_word, words)) < LEAST_FUNCTION_WORDS * len(words):
        return UNKNOWN
    odds = {way: exp(min(50.0, linear(features, one))) for way, one in weights.wording.items()}
    total = 1 + sum(odds.values())
    return Wording(odds["pointing"] / total, odds["elliptical"] / total)


def linear(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of the features with the weights' ``bias``; a feature without a weight counts nothing."""
    return weights.get("bias", 0.0) + sum(value * weights.get(name, 0.0) for name, value in features.items())
