"""Analysis of variance of a grid's factors, with the questions as blocks.

Every configuration is asked every question, so the figures of one question are correlated, and the sample, to
generalise from, is one of questions. So a factor is tested within questions: the difference between its levels, against
how much that varies from question to question,

    F = [SS_factor / (k − 1)] / [SS_factor×question / ((k − 1)(n − 1))]

with k levels and n questions, on each question's mean over the levels of all other factors. The grid is a full
factorial and each cell has each question once, so sums of squares of types I, II and III are the same. If the
differences between levels have unequal variances (no sphericity), F is too bold: both degrees of freedom are multiplied
by Greenhouse and Geisser's (1959) epsilon, which is 1 for two levels.
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
"""Share of all squares below which a sum of squares counts as rounding error."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The main effect of a factor: ``f`` with ``df`` and ``df_error`` degrees of freedom, ``p``, and effect sizes.

    ``p`` is after both degrees of freedom are multiplied by ``epsilon``. ``eta2`` is the factor's share of all squares,
    ``partial_eta2`` its share of its own and its error's. All are None with fewer than two questions, or if nothing
    varies.
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
    """The main effect of each factor, in their order, on ``values`` (questions, configurations).

    ``levels`` gives the level of each configuration, by factor, at least two in all. Every combination of levels is one
    configuration.
    """
    squares = float(((values - values.mean()) ** 2).sum()) if values.size else 0.0
    return [_effect(factor, level_means(values, of)[1], values.shape[1], squares) for factor, of in levels.items()]


def level_means(values: Matrix, of: Sequence[str]) -> tuple[list[str], Matrix]:
    """The levels of a factor in order of occurrence, and each question's mean at each, (questions, levels)."""
    names = list(dict.fromkeys(of))
    at = np.array([names.index(level) for level in of])
    return names, np.stack([values[:, at == number].mean(axis=1) for number in range(len(names))], axis=1)


def by_runs(values: Matrix, levels: Mapping[str, Sequence[str]]) -> dict[str, tuple[float | None, float | None]]:
    """F and p of each factor by one-way analysis over the configurations' means, as in König 2025.

    The effects of other factors count as error, and the spread over questions does not: p does not generalise to
    further questions. None if all means are equal.
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
    # Number of configurations that each mean stands for.
    weight = configurations / k
    of_levels = means.mean(axis=0) - means.mean()
    left = means - means.mean(axis=1, keepdims=True) - of_levels
    ours, error = weight * n * float((of_levels**2).sum()), weight * float((left**2).sum())
    if n < 2 or ours + error <= LEAST_SQUARES * max(all_squares, LEAST_SQUARES):
        return Effect(factor, None, None, df, df_error, None, None, None)
    shares = ours / all_squares, ours / (ours + error)
    if error <= LEAST_SQUARES * ours:  # the effect is the same for each question
        return Effect(factor, None, 0.0, df, df_error, None, *shares)
    epsilon = _epsilon(left)
    f = (ours / df) / (error / df_error)
    p = float(f_distribution.sf(f, df * epsilon, df_error * epsilon))
    return Effect(factor, f, p, df, df_error, epsilon, *shares)


def _epsilon(left: Matrix) -> float:
    """Greenhouse and Geisser's epsilon, from 1/(k − 1) to 1, of the residuals within questions, (n, k)."""
    covariance = left.T @ left
    return float(np.trace(covariance) ** 2 / ((left.shape[1] - 1) * (covariance**2).sum()))
