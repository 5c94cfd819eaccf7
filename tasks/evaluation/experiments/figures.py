"""Figures of an experiment: the mean of each setting, its difference from the base, and if that is more than chance."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from configs.experiments import setting_value
from tasks.evaluation.gold.outcomes import DRAFTED
from tasks.statistics.estimates import Figure, clustered, mean, wilson
from tasks.statistics.significance import SIGNIFICANT_P, holm, paired_difference

SPANS = {"points_lexical": (1.0, 10.0)}
"""Range of figures that are not shares."""
Rows = Mapping[str, Mapping[str, Any]]
"""Results of a setting: rows of the table ``grid`` by question id."""
_UNCOMPARED = dict.fromkeys(
    "difference difference_low difference_high difference_error p p_holm degradation degradation_low degradation_high "
    "bootstrap_low bootstrap_high".split()
)


def experiment_figures(
    given: Mapping[str, Rows], measures: Sequence[str], against: str, asked: int, relative_maximum: str = ""
) -> list[dict[str, Any]]:
    """Compute the figures of each setting, in the order of ``measures`` and then of the settings.

    They are rows of the table ``experiments`` without the run's columns. ``asked`` is the number of questions asked; a
    setting may have results for only some. A difference is from the setting ``against``, over the questions that both
    have, with Holm's correction over the settings; None for that setting itself. ``relative_maximum`` names the setting
    that the degradation is measured from, "" for none. No questions give figures that are None.
    """
    found: list[dict[str, Any]] = []
    clusters = {one: row.get("cluster", one) for rows in given.values() for one, row in rows.items()}
    for metric in measures:
        values = {name: _values(rows, metric) for name, rows in given.items()}
        rows = []
        for name in values:
            row = _row(name, metric, values[name], clusters, asked) | {"is_base": name == against}
            if name != against:
                row |= _difference(values[name], values[against], clusters)
            if relative_maximum and name != relative_maximum:
                row |= _degradation(values[name], values[relative_maximum], clusters)
            rows.append(row)
        corrected = holm([row["p"] for row in rows])
        found += [row | {"p_holm": p} for row, p in zip(rows, corrected, strict=True)]
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
            if one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT_P
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


def page_finder_figures(figures: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """The accuracies of page finders by chunk size, each a setting, with the interval of Wilson (1927).

    They are rows as of :func:`experiment_figures`, and cover all chunks, so none is compared with another.
    """
    found = []
    for metric in ("accuracy", "accuracy_reflowed"):
        for tokens, by_finder in figures.items():
            for finder, row in by_finder.items():
                value, n = row[metric], row["n"] if row[metric] is not None else 0
                low, high = wilson(round((value or 0.0) * n), n)
                setting = {"setting": f"{finder}, {tokens} tokens", "setting_value": float(tokens), "is_base": False}
                known = {"metric": metric, "value": value, "n": n, "unscored": row["n"] - n, "standard_error": None}
                found.append({**setting, **known, "interval_low": low, "interval_high": high, **_UNCOMPARED})
    return found


def _values(rows: Rows, metric: str) -> dict[str, float]:
    """The values of the questions that have one."""
    if metric == "draft_rate":
        return {question_id: float(row["status"] in DRAFTED) for question_id, row in rows.items()}
    return {question_id: row[metric] for question_id, row in rows.items() if row[metric] is not None}


def _row(name: str, metric: str, ours: Mapping[str, float], clusters: Mapping[str, str], asked: int) -> dict[str, Any]:
    own = mean(list(ours.values()), [clusters[one] for one in ours])
    columns = own.columns(own.interval(*SPANS.get(metric, (0.0, 1.0))))
    del columns["reason"], columns["clusters"]
    whose = {"setting": name, "setting_value": setting_value(name), "metric": metric}
    return whose | _UNCOMPARED | columns | {"unscored": asked - own.n}


def _difference(
    ours: Mapping[str, float], base: Mapping[str, float], clusters: Mapping[str, str]
) -> dict[str, float | None]:
    found = paired_difference(*_both(ours, base, clusters))
    return {
        "difference": found.mean,
        "difference_low": found.low,
        "difference_high": found.high,
        "difference_error": found.standard_error,
        "p": found.p,
    }


def _degradation(
    ours: Mapping[str, float], best: Mapping[str, float], clusters: Mapping[str, str]
) -> dict[str, float | None]:
    found = degradation(*_both(ours, best, clusters))
    low, high = found.interval(highest=1)
    return {"degradation": found.value, "degradation_low": low, "degradation_high": high}


def _both(
    ours: Mapping[str, float], other: Mapping[str, float], clusters: Mapping[str, str]
) -> tuple[list[float], list[float], list[str]]:
    """The values of the questions that both have, and their clusters."""
    both = [one for one in ours if one in other]
    return [ours[one] for one in both], [other[one] for one in both], [clusters[one] for one in both]
