"""Significance tests: paired differences between two plans, Holm's correction, and bootstrap intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tasks.statistics.estimates import NO_ENDS, Scatter, mean

SIGNIFICANT_P = 0.05
"""p below which a difference is more than chance."""
RESAMPLES = 9_999
SEED = 0


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean difference over the same questions, its 95% interval by bootstrap, and p by a paired permutation test.

    ``p`` is two-sided. All are None without questions; if no pair differs, or there is only one, p is 1. Interval and p
    treat the questions as independent; ``standard_error`` and ``p_clustered``, by whole clusters, are known if the
    questions' clusters are.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    standard_error: float | None = None
    p_clustered: float | None = None

    def told(self) -> dict[str, Any]:
        """Convert to JSON, without what is clustered."""
        return {"difference": self.mean, "interval": [self.low, self.high], "p": self.p, "n": self.n}


def paired_difference(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable] | None = None
) -> PairedDifference:
    """Test ``first − second`` over the same questions in the same order. Raises ValueError for unequal lengths."""
    differences = np.array([a - b for a, b in zip(first, second, strict=True)], dtype=np.float64)
    if clusters is not None:
        error = mean(differences.tolist(), clusters).standard_error
        by_cluster = cluster_p(first, second, clusters)
        return replace(paired_difference(first, second), standard_error=error, p_clustered=by_cluster)
    if not len(differences):
        return PairedDifference(None, None, None, None, 0)
    average = float(differences.mean())
    if not differences.any():
        return PairedDifference(average, 0.0, 0.0, 1.0, len(differences))
    if len(differences) == 1:  # scipy refuses one pair; its two signs are equally extreme
        return PairedDifference(average, average, average, 1.0, 1)
    from scipy.stats import permutation_test

    test = permutation_test(
        (np.asarray(first), np.asarray(second)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
    )
    return PairedDifference(average, *resampled(differences.tolist()).ends, float(test.pvalue), len(differences))


def cluster_p(first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """p of the difference by a permutation test of whole clusters, not single questions; None without questions.

    Questions about one document are right or wrong together, so tests by single questions find too many differences. A
    sign-flip test of the clusters' sums, exact if there are few (after Canay, Romano and Shaikh 2017, who flip each
    cluster's estimate). With G clusters it is at least 2 / 2^G: with fewer than six no difference is beyond .05,
    however large. Raises ValueError for lists of unequal lengths.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    for one, other, label in zip(first, second, clusters, strict=True):
        sums[label] += one - other
    return paired_difference(list(sums.values()), [0.0] * len(sums)).p


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Apply Holm's (1979) correction to the p values, in their order; None stays None and does not count."""
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        corrected[at] = highest
    return corrected


def resampled(values: Sequence[float], statistic: Callable[..., Any] = np.mean) -> Scatter:
    """The bootstrap spread of the mean, or of another ``statistic`` that takes an ``axis``, over RESAMPLES draws.

    None without values; if all values are equal, the statistic itself as both ends, with the error 0.
    """
    if not len(values):
        return Scatter(None, NO_ENDS)
    if min(values) == max(values):
        only = float(statistic(np.asarray(values, dtype=np.float64)))
        return Scatter(0.0, (only, only))
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.asarray(values, dtype=np.float64),),
        statistic,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = found.confidence_interval
    return Scatter(float(found.standard_error), (float(low), float(high)))
