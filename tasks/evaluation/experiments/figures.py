"""Figures of an experiment: the mean of each setting, its difference from the base, and if that is more than chance."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from configs.experiments import setting_value
from tasks.evaluation.gold.outcomes import DRAFTED
from tasks.statistics.estimates import Figure, clustered, mean, wilson
from tasks.statistics.significance import holm, paired_difference

LEAST_P = 0.05
SPANS = {"points_lexical": (1.0, 10.0)}
"""Range of figures that are not shares."""
Rows = Mapping[str, Mapping[str, Any]]
"""Results of a setting: rows of the table ``grid`` by question id."""


@dataclass(frozen=True, slots=True)
class ExperimentFigure:
    """A figure of a setting: ``value`` over ``n`` questions, its uncertainty, and its difference from the base setting.

    Standard error and 95% intervals, by t and by bootstrap, are as in :func:`tasks.statistics.estimates.mean`, None
    over nothing; ``unscored`` questions have no value. ``difference`` is from the setting that the others are compared
    with, over the questions that both have, with a bootstrap interval and p that treat the questions as independent, p
    by Holm's correction over the settings, and a clustered standard error; None for that setting itself.
    ``degradation`` is 1 − value / the value with the right passage alone, over the questions that both have, with its
    interval (Finardi et al. 2024, Eq. 1); None if the experiment has no relative maximum, and for that setting itself.
    """

    setting: str
    setting_value: float | None
    is_base: bool
    metric: str
    value: float | None
    n: int
    unscored: int
    standard_error: float | None
    interval_low: float | None
    interval_high: float | None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    difference_error: float | None = None
    p: float | None = None
    p_holm: float | None = None
    degradation: float | None = None
    degradation_low: float | None = None
    degradation_high: float | None = None
    bootstrap_low: float | None = None
    bootstrap_high: float | None = None

    def as_row(self) -> dict[str, Any]:
        """The columns of the figure in the table ``experiments``."""
        return asdict(self)

    @property
    def differs(self) -> bool:
        """Tell if the setting differs from the base by more than chance."""
        return self.p_holm is not None and self.p_holm < LEAST_P


def experiment_figures(
    given: Mapping[str, Rows], measures: Sequence[str], against: str, asked: int, relative_maximum: str = ""
) -> list[ExperimentFigure]:
    """Compute the figures of each setting, in the order of ``measures`` and then of the settings.

    ``asked`` is the number of questions asked; a setting may have results for only some. ``relative_maximum`` names the
    setting that the degradation is measured from, "" for none. No questions give figures that are None.
    """
    found: list[ExperimentFigure] = []
    clusters = {one: row.get("cluster", one) for rows in given.values() for one, row in rows.items()}
    for metric in measures:
        values = {name: _values(rows, metric) for name, rows in given.items()}
        figures = [_figure(name, metric, values, clusters, against, asked) for name in values]
        if relative_maximum:
            figures = [_degraded(figure, values, clusters, relative_maximum) for figure in figures]
        corrected = holm([figure.p for figure in figures])
        found += [replace(figure, p_holm=p) for figure, p in zip(figures, corrected, strict=True)]
    return found


def verdicts(figures: Sequence[Mapping[str, Any]], against: str, words: Mapping[str, str] | None = None) -> list[str]:
    """Format, for each figure, the settings that differ from the base by more than chance.

    ``figures`` are rows of the table ``experiments``; ``words`` are display names of figures, where they have one.
    """
    found = []
    for metric in dict.fromkeys(one["metric"] for one in figures):
        ours = [one for one in figures if one["metric"] == metric]
        differ = [
            f"{one['setting']} ({one['difference']:+.3f} [{one['difference_low']:+.3f}, {one['difference_high']:+.3f}])"
            for one in ours
            if one["p_holm"] is not None and one["p_holm"] < LEAST_P
        ]
        said = f"differ from {against} by more than chance: {', '.join(differ)}"
        if not differ:
            said = f"no setting differs from {against} by more than chance"
        if all(one["p"] is None for one in ours):
            said = "no setting has questions in common with the one it is compared with"
        found.append(f"{(words or {}).get(metric, metric)}: {said}")
    return found


def degradation(values: Sequence[float], best: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Figure:
    """The degradation 1 − mean of ``values`` / mean of ``best``, the relative maximum, over the same questions.

    Eq. 1 of Finardi et al. 2024, whose tables print it in percent with the opposite sign. It is negative if the values
    are higher. The error is that of a ratio of two means over the same questions, by the delta method. Undefined
    without questions, or if the maximum is 0.
    """
    if not any(best):
        return Figure(None, 0, reason="the relative maximum is 0" if best else "no answer was graded both ways")
    scored, maximum = np.array(values, dtype=np.float64), np.array(best, dtype=np.float64)
    share = float(scored.mean() / maximum.mean())
    influences = -(scored - share * maximum) / maximum.mean() / len(best)
    return clustered(1 - share, influences, range(len(best)) if clusters is None else clusters)


def page_finder_figures(figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[ExperimentFigure]:
    """The accuracies of page finders by chunk size, each a setting, with the interval of Wilson (1927).

    They cover all chunks, so none is compared with another.
    """
    found = []
    for tokens, by_finder in figures.items():
        for finder, row in by_finder.items():
            for metric in ("accuracy", "accuracy_reflowed"):
                value, n = row[metric], row["n"] if row[metric] is not None else 0
                low, high = wilson(round((value or 0.0) * n), n)
                name = f"{finder}, {tokens} tokens"
                found.append(
                    ExperimentFigure(name, float(tokens), False, metric, value, n, row["n"] - n, None, low, high)
                )
    return sorted(found, key=lambda figure: figure.metric)


def _degraded(
    figure: ExperimentFigure,
    values: Mapping[str, Mapping[str, float]],
    clusters: Mapping[str, str],
    relative_maximum: str,
) -> ExperimentFigure:
    if figure.setting == relative_maximum:
        return figure
    ours, best = values[figure.setting], values[relative_maximum]
    both = [question_id for question_id in ours if question_id in best]
    of = [clusters[one] for one in both]
    found = degradation([ours[one] for one in both], [best[one] for one in both], of)
    low, high = found.interval(highest=1)
    return replace(figure, degradation=found.value, degradation_low=low, degradation_high=high)


def _values(rows: Rows, metric: str) -> dict[str, float]:
    """The values of the questions that have one."""
    if metric == "draft_rate":
        return {question_id: float(row["status"] in DRAFTED) for question_id, row in rows.items()}
    return {question_id: row[metric] for question_id, row in rows.items() if row[metric] is not None}


def _figure(
    name: str,
    metric: str,
    values: Mapping[str, Mapping[str, float]],
    clusters: Mapping[str, str],
    against: str,
    asked: int,
) -> ExperimentFigure:
    ours, base = values[name], values[against]
    own = mean(list(ours.values()), [clusters[one] for one in ours])
    low, high = own.interval(*SPANS.get(metric, (0.0, 1.0)))
    figure = ExperimentFigure(
        setting=name,
        setting_value=setting_value(name),
        is_base=name == against,
        metric=metric,
        value=own.value,
        n=own.n,
        unscored=asked - own.n,
        standard_error=own.standard_error,
        interval_low=low,
        interval_high=high,
        bootstrap_low=own.bootstrap[0],
        bootstrap_high=own.bootstrap[1],
    )
    if figure.is_base:
        return figure
    both = [question_id for question_id in ours if question_id in base]
    of = [clusters[one] for one in both]
    difference = paired_difference([ours[one] for one in both], [base[one] for one in both], of)
    return replace(
        figure,
        difference=difference.mean,
        difference_low=difference.low,
        difference_high=difference.high,
        difference_error=difference.standard_error,
        p=difference.p,
    )
