"""Weights of the model for follow-up questions in a conversation, from ``follow_ups.yaml``.

``tests/bench/fit_follow_ups.py`` fits them; the file holds only numbers.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from configs.slices import Slice

WEIGHTS = Path(__file__).with_name("follow_ups.yaml")


class FollowUpWeights(Slice):
    """Four linear functions of named features, each with a ``bias``.

    ``wording`` gives, by the words of a question alone, the log-odds of each kind of follow-up against a self-contained
    question. ``place`` ranks the spans of the previous question that an elliptical follow-up may replace. ``topic``
    gives the log-odds that a word of the previous question belongs to the referent of a pronoun. ``leans`` gives the
    log-odds that a question depends on the previous one, by its wording and by its hits; it is asked together with the
    previous question where these exceed ``asked_joined_from``.
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
