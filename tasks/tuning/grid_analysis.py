"""Analysis of a grid: find the factors that matter and the best configuration, and test it against the plan in use.

The test uses questions that did not choose the configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from tasks.evaluation.experiments.trials import TO_BEAT, Trial
from tasks.evaluation.gold.outcomes import DRAFTED
from tasks.schemas.evaluation import GRID_MEASURES
from tasks.statistics.anova import by_runs, effects, level_means
from tasks.statistics.estimates import mean
from tasks.statistics.significance import SIGNIFICANT_P, PairedDifference, holm, paired_difference

Matrix = NDArray[np.float64]
OBJECTIVES = ("correctness", "rouge1_recall", "embedding_triad")
"""Figures to choose a plan by: the first that is known for LEAST_KNOWN of the questions that may be answerable, else
the last. Answerable only, because otherwise a plan that declines everything would be best.
"""
LEAST_KNOWN = 0.5
TIE_BREAKER = "page_mrr_at_10"
TRIAD = ("embedding_triad", "context_relevance", "groundedness", "answer_relevance")
SEED = 0
SAME_WITHIN = 1e-9
"""Relative range below which values count as constant: no correlation is computed for them."""


FIGURES = [field.name for field in GRID_MEASURES if pa.types.is_float64(field.type)]


@dataclass(frozen=True, slots=True)
class Gridded:
    """The figures of a grid by name, each (questions, configurations), NaN if unknown.

    ``to_beat`` has those of the plan to beat, (questions,). ``levels``: the level of each configuration, by factor.
    ``answerable`` (questions,): the documents answer the question, or may, as nobody has labelled it. ``clusters``: the
    group of each question, whose members are right or wrong together.
    """

    figures: Mapping[str, Matrix]
    to_beat: Mapping[str, NDArray[np.float64]]
    levels: Mapping[str, Sequence[str]]
    answerable: NDArray[np.bool_]
    clusters: Sequence[str]

    @property
    def objective(self) -> str:
        """The name of the figure that a plan is chosen by."""
        if self.answerable.any():
            for name in OBJECTIVES[:-1]:
                known = ~np.isnan(self.figures[name][self.answerable]).all(axis=1)
                if known.mean() >= LEAST_KNOWN:
                    return name
        return OBJECTIVES[-1]

    @property
    def values(self) -> Matrix:
        """The objective of each question and configuration.

        By ROUGE-1 recall, which needs a known answer, declining an unanswerable question counts 1 and answering it 0;
        else nothing would reward a decline.
        """
        return self._chosen_by(self.figures)

    @property
    def in_use(self) -> NDArray[np.float64]:
        """The objective of each question under the plan to beat."""
        return self._chosen_by(self.to_beat)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Mask (questions,) of those whose objective is known for all configurations and the plan to beat."""
        return np.asarray(~np.isnan(self.values).any(axis=1) & ~np.isnan(self.in_use))

    def _chosen_by(self, figures: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        values = figures[self.objective]
        if self.objective != "rouge1_recall":
            return values
        answerable = self.answerable[:, None] if values.ndim == 2 else self.answerable
        return np.where(answerable, values, figures["correctness"])


def grid_matrices(rows: pa.Table, trials: Sequence[Trial]) -> Gridded:
    """Convert the rows of the table ``grid`` to matrices; it has the trials in their order, each with all questions."""

    def matrix(column: pa.ChunkedArray) -> Matrix:
        values = column.to_numpy(zero_copy_only=False).astype(np.float64)
        return np.asarray(values.reshape(len(trials), -1).T)

    figures = {name: matrix(rows[name]) for name in FIGURES}
    figures["draft_rate"] = matrix(pc.is_in(rows["status"], pa.array(DRAFTED)))
    answerable = pc.fill_null(rows["answerable"], True)[: rows.num_rows // len(trials)]
    levels = [trial.levels for trial in trials if trial.levels is not None]
    return Gridded(
        figures={name: values[:, TO_BEAT + 1 :] for name, values in figures.items()},
        to_beat={name: values[:, TO_BEAT] for name, values in figures.items()},
        levels={factor: [one[factor] for one in levels] for factor in levels[0]},
        answerable=answerable.to_numpy(zero_copy_only=False).astype(np.bool_),
        clusters=rows["cluster"][: len(answerable)].to_pylist(),
    )


class HeldOut(NamedTuple):
    """The configurations ``chosen`` by each half of the questions, and their lead over the plan in use on the other."""

    chosen: tuple[int, int]
    difference: PairedDifference

    @property
    def beats(self) -> bool:
        """Tell if the chosen configurations beat the plan in use by more than chance."""
        mean, p = self.difference.mean, self.difference.p
        return mean is not None and p is not None and mean > 0 and p < SIGNIFICANT_P


def analysis(grid: Gridded, figure: str | None = None) -> list[dict[str, Any]]:
    """Analysis of variance: the main effect of each factor on the figure, or on the objective if None.

    Effects are within questions and, as ``by_runs``, between configurations. ``p_holm`` is p corrected for the number
    of factors. Questions whose figure is unknown are left out.
    """
    values = grid.values[grid.scored] if figure is None else grid.figures[figure]
    values = values[~np.isnan(values).any(axis=1)]
    found, runs = effects(values, grid.levels), by_runs(values, grid.levels)
    corrected = holm([effect.p for effect in found])
    return [
        {**asdict(effect), "p_holm": p_holm, "by_runs": dict(zip(("f", "p"), runs[effect.factor], strict=True))}
        for effect, p_holm in zip(found, corrected, strict=True)
    ]


def compared_levels(grid: Gridded) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The objective's mean at each level, with n and clustered error, and comparisons of each pair of levels.

    A pair has difference, interval and p; Holm's correction is for all pairs of all factors.
    """
    values, clusters = grid.values[grid.scored], _clusters(grid)
    means, pairs, differences = [], [], []
    for factor, of in grid.levels.items():
        names, by_level = level_means(values, of)
        for at, name in enumerate(names):
            figure = mean(by_level[:, at].tolist(), clusters)
            of_level = {"mean": figure.value, "n": figure.n, "standard_error": figure.standard_error}
            means.append({"factor": factor, "level": name} | of_level)
        for one, other in combinations(range(len(names)), 2):
            pairs.append({"factor": factor, "levels": [names[one], names[other]]})
            differences.append(paired_difference(by_level[:, one].tolist(), by_level[:, other].tolist()))
    corrected = holm([difference.p for difference in differences])
    told = [
        pair | difference.told() | {"p_holm": p_holm}
        for pair, difference, p_holm in zip(pairs, differences, corrected, strict=True)
    ]
    return means, told


def best_first(grid: Gridded, questions: NDArray[np.bool_] | None = None) -> list[int]:
    """The columns of the configurations, sorted by the objective's mean over those questions (default all), best first.

    Ties go to the better TIE_BREAKER, then to the earlier column.
    """
    mask = grid.scored if questions is None else grid.scored & questions
    objective, ties = (_column_means(values[mask]) for values in (grid.values, grid.figures[TIE_BREAKER]))
    return sorted(range(len(objective)), key=lambda at: (-round(objective[at], 9), -round(ties[at], 9), at))


def held_out(grid: Gridded) -> HeldOut:
    """Choose a configuration by each half of the questions, and compare it with the plan in use on the other half.

    The halves are drawn once; their differences are tested together.
    """
    values, in_use = grid.values, grid.in_use
    drawn = np.random.default_rng(SEED).permutation(np.flatnonzero(grid.scored))
    first, second = np.zeros(len(values), np.bool_), np.zeros(len(values), np.bool_)
    first[drawn[::2]], second[drawn[1::2]] = True, True
    chosen = tuple(best_first(grid, half)[0] for half in (first, second))
    ours = np.where(first, values[:, chosen[1]], values[:, chosen[0]])[grid.scored]
    theirs = in_use[grid.scored]
    return HeldOut((chosen[0], chosen[1]), paired_difference(ours.tolist(), theirs.tolist(), _clusters(grid)))


def objective_figure(grid: Gridded, at: int | None = None) -> dict[str, Any]:
    """The objective's mean over the scored questions for a column, or for the plan to beat if None.

    With the number of questions and the clustered standard error.
    """
    values = (grid.in_use if at is None else grid.values[:, at])[grid.scored]
    found = mean(values.tolist(), _clusters(grid))
    return {"value": found.value, "n": found.n, "standard_error": found.standard_error}


def correlations(grid: Gridded) -> dict[str, dict[str, Any]] | None:
    """Correlate the triad and its sides with the objective; None if no known answers give one.

    Three ways: over questions, and over those with a gold page, each by its mean over all configurations; and over
    configurations, each by its mean over all questions. Questions for which a configuration drafts nothing have no
    triad and are left out.

    The last shows if the triad would choose the same plan; configurations share their questions, so its p is too small.
    The second is there because declining an unanswerable question is right, which the triad does not see.
    """
    if grid.objective not in OBJECTIVES[:-1]:
        return None
    has_page = grid.scored & ~np.isnan(grid.figures[TIE_BREAKER]).any(axis=1)
    ways = {
        "over_questions": (grid.scored, 1),
        "over_questions_with_a_page": (has_page, 1),
        "over_configurations": (grid.scored, 0),
    }
    found: dict[str, dict[str, Any]] = {}
    for over, (of, axis) in ways.items():
        found[over] = {}
        for name in TRIAD:
            both = of & ~np.isnan(grid.figures[name]).any(axis=1)
            known = [values[both] for values in (grid.values, grid.figures[name])]
            means = [values.mean(axis=axis) if len(values) else np.zeros(0) for values in known]
            found[over][name] = _correlated(*means)
    return found


def figure_means(figures: Mapping[str, Matrix], at: int | None = None) -> dict[str, float | None]:
    """The mean of each figure over the questions where it is known, for the configuration in that column."""
    found = {}
    for name, values in figures.items():
        column = values if at is None else values[:, at]
        known = column[~np.isnan(column)]
        found[name] = float(known.mean()) if len(known) else None
    return found


def _correlated(one: NDArray[np.float64], other: NDArray[np.float64]) -> dict[str, float | int | None]:
    if len(one) < 3 or _is_constant(one) or _is_constant(other):
        return {"pearson": None, "pearson_p": None, "spearman": None, "spearman_p": None, "n": len(one)}
    pearson, spearman = pearsonr(one, other), spearmanr(one, other)
    return {
        "pearson": float(pearson.statistic),
        "pearson_p": float(pearson.pvalue),
        "spearman": float(spearman.statistic),
        "spearman_p": float(spearman.pvalue),
        "n": len(one),
    }


def _is_constant(values: NDArray[np.float64]) -> bool:
    """Tell if values differ by no more than rounding, as means of the same figures in another order do."""
    return bool(np.ptp(values) <= SAME_WITHIN * np.abs(values).max())


def _clusters(grid: Gridded) -> list[str]:
    """The clusters of the scored questions."""
    return [grid.clusters[at] for at in np.flatnonzero(grid.scored).tolist()]


def _column_means(values: Matrix) -> list[float]:
    """The mean of the known values of each column; 0 if there are none."""
    known = ~np.isnan(values)
    found: list[float] = (np.where(known, values, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)).tolist()
    return found
