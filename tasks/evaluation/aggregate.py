"""Means over questions: of how many, how many of them nobody scored, and how far chance may have moved the mean.

Questions about one document are right or wrong together, and so are those of one questionnaire: an error that takes
them for independent is too small (Miller 2024, "Adding error bars to evals"). So every error here is clustered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t

DRAWS, SEED = 400, 0
NOTHING = "no question of the gold set is one that it is over"


class Figure(NamedTuple):
    """A figure, None where it is undefined, with the ``reason``; the ``n`` questions that it is over; those that it
    would be over and that are ``unscored``; its standard error, None where fewer than two ``clusters`` are left, and
    the degrees of freedom of that.
    """

    value: float | None
    n: int
    unscored: int = 0
    standard_error: float | None = None
    clusters: int | None = None
    degrees_of_freedom: float | None = None
    reason: str | None = None

    def interval(self, lowest: float = -math.inf, highest: float = math.inf) -> tuple[float | None, float | None]:
        """The 95% interval by Student's t, cut at the ends of the scale; two None where there is no standard error, or
        where it is 0: of values that are all alike it does not say how certain they are.
        """
        if self.value is None or not self.standard_error or self.degrees_of_freedom is None:
            return None, None
        reach = float(t.ppf(0.975, self.degrees_of_freedom)) * self.standard_error
        return max(lowest, self.value - reach), min(highest, self.value + reach)


def mean(
    values: Sequence[float | None], clusters: Sequence[Hashable] | None = None, *, reason: str = NOTHING
) -> Figure:
    """The mean of the values that are there; None is an unscored question, counted and otherwise left out.

    ``clusters`` are the labels of the values, in their order; without them each value is a cluster of its own, and the
    error is the usual s/√n. No value at all gives no mean, with the ``reason``. Raises ValueError for labels that are
    not as many as the values.
    """
    labels = range(len(values)) if clusters is None else clusters
    scored = [(value, label) for value, label in zip(values, labels, strict=True) if value is not None]
    unscored = len(values) - len(scored)
    if not scored:
        return Figure(None, 0, unscored, reason=f"none of {unscored} questions could be scored" if unscored else reason)
    numbers = np.array([value for value, _ in scored], dtype=np.float64)
    average = float(numbers.mean())
    return clustered(average, (numbers - average) / len(numbers), [label for _, label in scored], unscored)


def clustered(
    value: float, influences: Sequence[float] | np.ndarray, clusters: Sequence[Hashable], unscored: int = 0
) -> Figure:
    """The figure over the questions that have these ``influences`` on it: how far each moves it, for a mean
    (x − mean) / n.
    """
    of = set(clusters)
    error = clustered_error(influences, clusters)
    return Figure(value, len(clusters), unscored, error, len(of), degrees_of_freedom(clusters))


def clustered_error(influences: Sequence[float] | np.ndarray, clusters: Sequence[Hashable]) -> float | None:
    """The cluster-robust standard error of a figure, of how far each question moves it; None of fewer than two
    clusters.

    The estimator of Liang and Zeger (1986) with the correction G / (G − 1) for G clusters: CR1 of Cameron and Miller
    (2015), whose other factor, (N − 1) / (N − K), is 1 for a mean (K = 1). Where clusters are few or one holds most of
    the questions it is too small; the degrees of freedom make up for that in an interval.
    """
    numbers: dict[Hashable, int] = {}
    at = [numbers.setdefault(label, len(numbers)) for label in clusters]
    if len(numbers) < 2:
        return None
    sums = np.bincount(at, weights=np.asarray(influences, dtype=np.float64))
    return math.sqrt(len(numbers) / (len(numbers) - 1) * float(sums @ sums))


def degrees_of_freedom(clusters: Sequence[Hashable]) -> float | None:
    """Those of the error above: one less than the clusters where they are of one size, and fewer the more they differ;
    None of fewer than two clusters.

    Satterthwaite's, as Bell and McCaffrey (2002) have them, for independent values of one variance: of the clusters'
    sums of residuals, whose covariances are C = diag(n) − n·nᵀ/N for clusters of n questions, tr(C)² / tr(C²). They
    have it for another correction (CR2), which needs fewer still.
    """
    sizes = np.array(list(Counter(clusters).values()), dtype=np.float64)
    if len(sizes) < 2:
        return None
    shares = sizes / sizes.sum()
    squared = float(shares @ shares)
    # tr(C) and tr(C²) over N and N².
    return (1 - squared) ** 2 / (squared - 2 * float(shares @ shares**2) + squared**2)


def bootstrap_errors(
    clusters: Sequence[Hashable], statistics: Callable[[Sequence[int]], Sequence[float | None]]
) -> list[float | None]:
    """The standard errors of figures that are no means: how far they scatter over DRAWS draws of as many whole clusters
    as there are, with replacement (the pairs cluster bootstrap of Cameron and Miller 2015, section VI.C).

    ``statistics`` gives the figures of the questions at some indices of ``clusters``, of which one may stand several
    times. None for a figure that is undefined in a draw, and for all where there are fewer than two clusters.
    """
    members: dict[Hashable, list[int]] = {}
    for at, label in enumerate(clusters):
        members.setdefault(label, []).append(at)
    if len(members) < 2:
        return [None for _ in statistics(range(len(clusters)))]
    draw, groups = np.random.default_rng(SEED), list(members.values())
    drawn = [
        statistics([at for group in draw.integers(len(groups), size=len(groups)) for at in groups[group]])
        for _ in range(DRAWS)
    ]
    return [_spread([values[at] for values in drawn]) for at in range(len(drawn[0]))]


def _spread(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) == len(values) else None
