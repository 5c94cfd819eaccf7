"""Which factor of a grid matters: analysis of variance, with the questions as blocks.

Every configuration is asked every question, so the figures of one question hang together, and what is sampled, and
generalised to, is questions. So a factor is tested within questions: what its levels differ by, against how much
that differs from question to question,

    F = [SS_factor / (k − 1)] / [SS_factor×question / ((k − 1)(n − 1))]

with k levels and n questions, on each question's mean over the levels of all other factors. The grid is a full
factorial and each cell has each question once, so sums of squares of types I, II and III are the same. Where the
differences between levels do not vary alike (no sphericity), F is too bold: both degrees of freedom are multiplied by
Greenhouse and Geisser's (1959) epsilon, which two levels have no need of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_distribution
from scipy.stats import f_oneway

Matrix = NDArray[np.float64]
LEAST_SQUARES = 1e-12
"""A sum of squares below this share of all is the rounding of figures that are equal."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The main effect of a factor: ``f`` with ``df`` and ``df_error`` degrees of freedom, and its ``p`` after both are
    multiplied by ``epsilon``.

    ``eta2`` is the factor's share of all squares, ``partial_eta2`` its share of its own and its error's. All are None
    where there are fewer than two questions, or nothing varies.
    """

    factor: str
    f: float | None
    p: float | None
    df: int
    df_error: int
    epsilon: float | None
    eta2: float | None
    partial_eta2: float | None


def effects(values: Matrix, levels: Mapping[str, Sequence[str]]) -> list[Effect]:
    """The main effect of each factor, in their order, on ``values`` (questions, configurations); ``levels`` names of
    each factor the level of each configuration, two or more in all. Every combination of levels is one configuration.
    """
    squares = float(((values - values.mean()) ** 2).sum()) if values.size else 0.0
    return [_effect(factor, level_means(values, of)[1], values.shape[1], squares) for factor, of in levels.items()]


def level_means(values: Matrix, of: Sequence[str]) -> tuple[list[str], Matrix]:
    """The levels in the order in which they come, and of each question its mean at each, (questions, levels)."""
    names = list(dict.fromkeys(of))
    at = np.array([names.index(level) for level in of])
    return names, np.stack([values[:, at == number].mean(axis=1) for number in range(len(names))], axis=1)


def by_runs(values: Matrix, levels: Mapping[str, Sequence[str]]) -> dict[str, tuple[float | None, float | None]]:
    """F and p of each factor as one-way analyses over the configurations' means, each a run: as König 2025 has them.

    What the other factors do is error in these, and questions are not: p says nothing of further questions. None
    where no mean differs.
    """
    means = values.mean(axis=0)
    found: dict[str, tuple[float | None, float | None]] = {}
    for factor, of in levels.items():
        groups = [means[np.array(of) == level] for level in dict.fromkeys(of)]
        varies = max(map(len, groups)) > 1 and any(np.ptp(group) > 0 for group in groups)
        test = f_oneway(*groups) if varies else None
        found[factor] = (float(test.statistic), float(test.pvalue)) if test else (None, None)
    return found


def _effect(factor: str, means: Matrix, configurations: int, all_squares: float) -> Effect:
    n, k = means.shape
    df, df_error = k - 1, (k - 1) * (n - 1)
    # Each mean stands for so many configurations.
    weight = configurations / k
    of_levels = means.mean(axis=0) - means.mean()
    left = means - means.mean(axis=1, keepdims=True) - of_levels
    ours, error = weight * n * float((of_levels**2).sum()), weight * float((left**2).sum())
    if n < 2 or ours + error <= LEAST_SQUARES * max(all_squares, LEAST_SQUARES):
        return Effect(factor, None, None, df, df_error, None, None, None)
    shares = ours / all_squares, ours / (ours + error)
    if error <= LEAST_SQUARES * ours:  # each question differs by just the same
        return Effect(factor, None, 0.0, df, df_error, None, *shares)
    epsilon = _epsilon(left)
    f = (ours / df) / (error / df_error)
    p = float(f_distribution.sf(f, df * epsilon, df_error * epsilon))
    return Effect(factor, f, p, df, df_error, epsilon, *shares)


def _epsilon(left: Matrix) -> float:
    """Greenhouse and Geisser's epsilon, from 1/(k − 1) to 1, of what is left within questions, (n, k)."""
    covariance = left.T @ left
    return float(np.trace(covariance) ** 2 / ((left.shape[1] - 1) * (covariance**2).sum()))
