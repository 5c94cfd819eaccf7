"""Means over questions with their number of questions, unscored questions and clustered standard error.

Questions about one document are right or wrong together, and so are those of one questionnaire: a standard error that
treats them as independent is too small (Miller 2024, "Adding error bars to evals"). So every error here is clustered.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

DRAWS, SEED = 400, 0
MEAN_DRAWS = 2_000
"""Number of bootstrap draws for a mean, computed all at once; other figures are recomputed for each of DRAWS draws."""
ENDS = (2.5, 97.5)
Ends = tuple[float | None, float | None]
NO_ENDS: Ends = (None, None)
NOTHING = "no question of the gold set is one that it is over"
T = TypeVar("T")


def wilson(count: int, n: int) -> Ends:
    """The 95% interval of a share ``count`` / ``n`` of independent questions (Wilson 1927); two None if ``n`` is 0."""
    if not n:
        return NO_ENDS
    from scipy.stats import binomtest  # a second: not for those who only publish, or answer

    ends = binomtest(count, n).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


class Figure(NamedTuple):
    """A figure with its uncertainty: value, number of questions, standard error and bootstrap interval.

    ``value`` is None if undefined, with the ``reason``; ``n`` questions are counted, ``unscored`` ones could not be.
    The standard error is None with fewer than two ``clusters``; ``degrees_of_freedom`` are the error's. ``bootstrap``
    has the ends of a 95% interval by draws of whole clusters, two None if none were drawn.
    """

    value: float | None
    n: int
    unscored: int = 0
    standard_error: float | None = None
    clusters: int | None = None
    degrees_of_freedom: float | None = None
    reason: str | None = None
    bootstrap: Ends = NO_ENDS

    @property
    def successes(self) -> int:
        """The number of successes that a share is made of; 0 of no questions."""
        return round((self.value or 0.0) * self.n)

    def interval(self, lowest: float = -math.inf, highest: float = math.inf) -> Ends:
        """The 95% interval by Student's t, clipped to the scale; two None without a standard error, or if it is 0.

        An error of 0 means that all values are equal, and does not show how certain they are.
        """
        if self.value is None or not self.standard_error or self.degrees_of_freedom is None:
            return NO_ENDS
        from scipy.stats import t

        reach = float(t.ppf(0.975, self.degrees_of_freedom)) * self.standard_error
        return max(lowest, self.value - reach), min(highest, self.value + reach)

    def told(self) -> dict[str, Any]:
        """The numbers of questions and clusters, and the standard error, as JSON."""
        return {name: getattr(self, name) for name in ("n", "unscored", "standard_error", "clusters")}

    def columns(self, interval: Ends) -> dict[str, Any]:
        """The columns of the figure in the table ``scores``, with its 95% ``interval``."""
        (low, high), (drawn_low, drawn_high) = interval, self.bootstrap
        ends = {"interval_low": low, "interval_high": high, "bootstrap_low": drawn_low, "bootstrap_high": drawn_high}
        return {"value": self.value, "reason": self.reason} | self.told() | ends


def mean(
    values: Sequence[float | None], clusters: Sequence[Hashable] | None = None, *, reason: str = NOTHING
) -> Figure:
    """The mean of the scored values; None is an unscored question, which is counted and otherwise left out.

    ``clusters`` are the labels of the values, in their order; without them each value is a cluster of its own, and the
    error is the usual s/√n. No values give no mean, with the ``reason``. Raises ValueError if there are not as many
    labels as values.
    """
    labels = range(len(values)) if clusters is None else clusters
    scored = [(value, label) for value, label in zip(values, labels, strict=True) if value is not None]
    unscored = len(values) - len(scored)
    if not scored:
        return Figure(None, 0, unscored, reason=f"none of {unscored} questions could be scored" if unscored else reason)
    numbers = np.array([value for value, _ in scored], dtype=np.float64)
    average = float(numbers.mean())
    of = [label for _, label in scored]
    found = clustered(average, (numbers - average) / len(numbers), of, unscored)
    return found._replace(bootstrap=bootstrap_interval(numbers, of)) if found.standard_error else found


def clustered(
    value: float, influences: Sequence[float] | np.ndarray, clusters: Sequence[Hashable], unscored: int = 0
) -> Figure:
    """A figure with its clustered standard error, from the ``influences`` of its questions.

    An influence is how far a question moves the figure; for a mean (x − mean) / n.
    """
    error = clustered_error(influences, clusters)
    return Figure(value, len(clusters), unscored, error, len(set(clusters)), degrees_of_freedom(clusters))


def clustered_error(influences: Sequence[float] | np.ndarray, clusters: Sequence[Hashable]) -> float | None:
    """The cluster-robust standard error of a figure from its influences; None with fewer than two clusters.

    The estimator of Liang and Zeger (1986) with the correction G / (G − 1) for G clusters: CR1 of Cameron and Miller
    (2015), whose other factor, (N − 1) / (N − K), is 1 for a mean (K = 1). With few clusters, or one that holds most of
    the questions, it is too small; the degrees of freedom compensate for that in an interval.
    """
    at = _numbered(clusters)
    if len(set(at)) < 2:
        return None
    sums = np.bincount(at, weights=np.asarray(influences, dtype=np.float64))
    return math.sqrt(len(sums) / (len(sums) - 1) * float(sums @ sums))


def bootstrap_interval(values: Sequence[float] | np.ndarray, clusters: Sequence[Hashable]) -> Ends:
    """The 95% percentile interval of a mean by cluster bootstrap; two None with fewer than two clusters.

    MEAN_DRAWS draws of as many whole clusters as there are, with replacement (Cameron and Miller 2015, section VI.C). A
    draw's mean is over the questions it contains, so that clusters of unequal size make it a ratio. With few clusters,
    or one that holds most of the questions, the interval is too narrow: no draw has a document that is not there.
    """
    at = _numbered(clusters)
    if len(set(at)) < 2:
        return NO_ENDS
    sums, sizes = np.bincount(at, weights=np.asarray(values, dtype=np.float64)), np.bincount(at)
    drawn = _times_drawn(len(sizes))
    low, high = np.percentile((drawn @ sums) / (drawn @ sizes), ENDS)
    return float(low), float(high)


@lru_cache(maxsize=8)
def _times_drawn(clusters: int) -> NDArray[np.float64]:
    """Count how often each draw has each cluster, (MEAN_DRAWS, clusters); cached for figures with as many clusters."""
    drawn = np.random.default_rng(SEED).integers(clusters, size=(MEAN_DRAWS, clusters))
    cells = drawn + clusters * np.arange(MEAN_DRAWS)[:, None]
    return np.bincount(cells.ravel(), minlength=cells.size).reshape(cells.shape).astype(np.float64)


def _numbered(clusters: Sequence[Hashable]) -> list[int]:
    """Number the labels from 0, in the order of their first occurrence."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(label, len(numbers)) for label in clusters]


def degrees_of_freedom(clusters: Sequence[Hashable]) -> float | None:
    """The degrees of freedom of the clustered error; None with fewer than two clusters.

    One less than the number of clusters if they are equal in size, and fewer the more they differ. Satterthwaite's, as
    in Bell and McCaffrey (2002), for independent values of one variance: from the clusters' sums of residuals, whose
    covariances are C = diag(n) − n·nᵀ/N for clusters of n questions, tr(C)² / tr(C²). They use another correction
    (CR2), which gives fewer still.
    """
    sizes = np.array(list(Counter(clusters).values()), dtype=np.float64)
    if len(sizes) < 2:
        return None
    shares = sizes / sizes.sum()
    squared = float(shares @ shares)
    # tr(C) and tr(C²) over N and N².
    return (1 - squared) ** 2 / (squared - 2 * float(shares @ shares**2) + squared**2)


class Scatter(NamedTuple):
    """Spread of a figure over bootstrap draws: its standard error, and the ends of its 95% percentile interval."""

    standard_error: float | None
    ends: Ends


def bootstrapped(
    items: Sequence[T], clusters: Sequence[Hashable], statistics: Callable[[Sequence[T]], Mapping[str, float | None]]
) -> dict[str, Figure]:
    """The figures by name that ``statistics`` computes of the items, and that are no means, with their spread.

    DRAWS draws of as many whole clusters as there are, with replacement (the pairs cluster bootstrap of Cameron and
    Miller 2015, section VI.C). The spread is None for a figure that is undefined in any draw, and for all with fewer
    than two clusters.
    """
    members: dict[Hashable, list[T]] = {}
    for item, label in zip(items, clusters, strict=True):
        members.setdefault(label, []).append(item)
    draw, groups = np.random.default_rng(SEED), list(members.values())
    drawn = [
        statistics([item for group in draw.integers(len(groups), size=len(groups)) for item in groups[group]])
        for _ in range(DRAWS if len(groups) > 1 else 0)
    ]
    found = {}
    for name, value in statistics(items).items():
        error, ends = _scatter([values[name] for values in drawn])
        freedom = degrees_of_freedom(clusters)
        found[name] = Figure(value, len(items), 0, error, len(groups), freedom, bootstrap=ends)
    return found


def _scatter(values: Sequence[float | None]) -> Scatter:
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return Scatter(None, NO_ENDS)
    low, high = np.percentile(known, ENDS)
    error = float(np.std(known, ddof=1))
    return Scatter(error, (float(low), float(high)) if error else NO_ENDS)
