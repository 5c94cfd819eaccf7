"""Weights by which a conversation's follow-ups are understood, as ``follow_ups.yaml`` has them.

``tests/bench/fit_follow_ups.py`` fits them; nothing is loaded but numbers.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from configs.slices import Slice

WEIGHTS = Path(__file__).with_name("follow_ups.yaml")


class FollowUpWeights(Slice):
    """Four linear functions of named features, with a ``bias``.

    ``wording`` gives, by the words of a question alone, the log-odds of each way to lean against leaning on nothing.
    ``place`` ranks the spans of the question before that an elliptical follow-up may stand in the place of.
    ``topic`` gives the log-odds that a word of the question before is of what a pronoun stands for.
    ``leans`` gives the log-odds that a question leans, by its wording and by what is found for it; it is asked with the
    question before where these exceed ``asked_joined_from``.
    """

    wording: dict[str, dict[str, float]]
    place: dict[str, float]
    topic: dict[str, float]
    leans: dict[str, float]
    asked_joined_from: float


@cache
def follow_up_weights() -> FollowUpWeights:
    """The weights that bidfolio ships."""
    return FollowUpWeights.model_validate(yaml.safe_load(WEIGHTS.read_text(encoding="utf-8")))
