"""Calibration of confidences (ECE), and coverage curves: the share of questions left for a given share of errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

BINS = 10


class Judged(NamedTuple):
    """A confidence in [0, 1], and the truth it is compared with."""

    confidence: float
    is_right: bool


class Point(NamedTuple):
    """A point of a coverage curve: the share of questions drafted from ``threshold`` on, and the share of these
    wrong.
    """

    threshold: float
    coverage: float
    error: float
    n: int


def expected_calibration_error(judged: Sequence[Judged], equal: Literal["count", "width"] = "count") -> float | None:
    """The mean distance between confidence and share right, over BINS bins of equal count or width; None without any.

    After Naeini et al. (2015), whose bins are of equal width. Those of equal count are by rank (Nguyen and O'Connor
    2015), for confidences that are close together: bins of equal width would leave most of them in one. Ours: drafts of
    equal confidence, which have no order, each count as their common share right, wherever a bin ends among them.
    """
    if not judged:
        return None
    ranked = np.array(sorted(judged), dtype=np.float64)
    _, group = np.unique(ranked[:, 0], return_inverse=True)
    ranked[:, 1] = (np.bincount(group, ranked[:, 1]) / np.bincount(group))[group]
    edges = np.searchsorted(ranked[:, 0], np.arange(1, BINS) / BINS)
    bins = [some for some in np.array_split(ranked, BINS if equal == "count" else edges) if len(some)]
    return float(sum(abs(some[:, 0].mean() - some[:, 1].mean()) * len(some) for some in bins) / len(ranked))


def coverage_curve(judged: Sequence[Judged], questions: int) -> list[Point]:
    """The coverage curve: a point for each distinct confidence, the highest first, over drafts of that much or more.

    ``questions`` is the number of all that were asked: those without a draft are never covered. No drafts give no
    points.
    """
    ranked = sorted(judged, key=lambda one: one.confidence, reverse=True)
    points: list[Point] = []
    wrong = 0
    for count, one in enumerate(ranked, start=1):
        wrong += not one.is_right
        if count == len(ranked) or ranked[count].confidence < one.confidence:
            points.append(Point(one.confidence, count / questions, wrong / count, count))
    return points


def widest(curve: Sequence[Point], error: float) -> Point | None:
    """The point of the largest coverage with at most ``error`` of the drafts wrong; None if there is none."""
    fitting = [point for point in curve if point.error <= error]
    return max(fitting, key=lambda point: point.coverage, default=None)
