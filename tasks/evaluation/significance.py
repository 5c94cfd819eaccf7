"""Whether a difference between two plans is more than chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import bootstrap, permutation_test

RESAMPLES = 9_999
SEED = 0


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean difference over the same questions, its 95% interval by bootstrap, and p by a paired permutation test.

    ``p`` is two-sided. All are None where there is no question; where no pair differs, or there is
    but one, p is 1.
    """

    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


def paired_difference(first: Sequence[float], second: Sequence[float]) -> PairedDifference:
    """``first − second`` over the same questions in the same order. Raises ValueError for unequal lengths."""
    differences = np.array([a - b for a, b in zip(first, second, strict=True)], dtype=np.float64)
    if not len(differences):
        return PairedDifference(None, None, None, None, 0)
    average = float(differences.mean())
    if not differences.any():
        return PairedDifference(average, 0.0, 0.0, 1.0, len(differences))
    if len(differences) == 1:  # scipy refuses one pair; its two signs are equally extreme
        return PairedDifference(average, average, average, 1.0, 1)
    low, high, _ = resampled(differences.tolist())
    test = permutation_test(
        (np.asarray(first), np.asarray(second)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(SEED),
    )
    return PairedDifference(average, low, high, float(test.pvalue), len(differences))


def cluster_p(first: Sequence[float], second: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """p of the same difference where whole clusters change sides, not single questions: those about one document are
    right or wrong together, and by single questions too much is found to be more than chance.

    A sign-flip test of the clusters' sums, exact where they are few (after Canay, Romano and Shaikh 2017, who flip
    each cluster's estimate). None of no question. Of G clusters it is at least 2 / 2^G: of fewer than six no difference
    is beyond .05, however large. Raises ValueError for lists of unequal lengths.
    """
    sums: dict[Hashable, float] = defaultdict(float)
    for one, other, label in zip(first, second, clusters, strict=True):
        sums[label] += one - other
    return paired_difference(list(sums.values()), [0.0] * len(sums)).p


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Each p, in its order, as it is after Holm's (1979) correction for their number; None stays so, and is none of
    them.
    """
    known = sorted((p, at) for at, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        corrected[at] = highest
    return corrected


class Resampled(NamedTuple):
    """The ends of a 95% percentile bootstrap interval, and the standard error that the resamples tell."""

    low: float | None
    high: float | None
    standard_error: float | None


def resampled(values: Sequence[float], statistic: Callable[..., Any] = np.mean) -> Resampled:
    """The spread of the mean, or of another ``statistic`` that takes an ``axis``, over RESAMPLES draws of the values;
    None of nothing, the value itself without an error where all are equal.
    """
    if not len(values):
        return Resampled(None, None, None)
    if min(values) == max(values):
        only = float(statistic(np.asarray(values, dtype=np.float64)))
        return Resampled(only, only, 0.0)
    found = bootstrap(
        (np.asarray(values, dtype=np.float64),),
        statistic,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = found.confidence_interval
    return Resampled(float(low), float(high), float(found.standard_error))
