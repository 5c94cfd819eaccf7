"""Figures of free-text answers that are each correct or not: tables 2 and 4 of Liang et al. 2024.

This module does not decide what is correct. They had it judged by hand; ``evaluate`` takes a first citation on a gold
page for it, and a judge may be more accurate.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

from tasks.statistics.estimates import Figure, mean

Told = Literal["correct", "incorrect", "no_context"]
NO_FREE_TEXT = "the gold set has no answerable question in free text"


class Counts(NamedTuple):
    """Numbers of answers that are correct, incorrect, declined, and not judged."""

    correct: int
    incorrect: int
    no_context: int
    unscored: int


def free_text_counts(outcomes: Sequence[Told | None]) -> Counts:
    """Count the outcomes; None is an answer that nobody judged, or that failed."""
    kinds = ("correct", "incorrect", "no_context", None)
    return Counts(*(sum(outcome == kind for outcome in outcomes) for kind in kinds))


def free_text_figures(outcomes: Sequence[Told | None], clusters: Sequence[Hashable]) -> dict[str, Figure]:
    """The shares ``free_text_accuracy`` and ``free_text_no_context_rate`` over all scored answers.

    Accuracy is the correct share, a decline being as wrong as an incorrect answer; the other is the declined share.
    """
    return {
        name: mean([None if one is None else float(one == kind) for one in outcomes], clusters, reason=NO_FREE_TEXT)
        for name, kind in (("free_text_accuracy", "correct"), ("free_text_no_context_rate", "no_context"))
    }
