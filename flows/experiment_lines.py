"""What `bidfolio evaluate --experiment` says, as a person reads it on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.tables import p_value, table_lines
from tasks.evaluation.experiment_figures import verdicts


def experiment_lines(summary: Mapping[str, Any]) -> list[str]:
    """What was asked and of what, each setting's figures with their 95% intervals, and which of them differ from the
    base by more than chance.
    """
    figures = summary["figures"]
    lines = [f"experiment {summary['experiment']}, on {summary['base']}: {summary['question']}", *_kept(summary)]
    lines += [
        f"setting {name} ran with {deviation}"
        for name, deviations in summary.get("deviations", {}).items()
        for deviation in deviations
    ]
    best = summary.get("relative_maximum")
    rows = [
        [
            one["setting"],
            one["metric"],
            one["value"],
            _interval(one),
            one["n"],
            one["unscored"],
            *_differs(one),
            *([_degradation(one, best)] if best else []),
        ]
        for one in figures
    ]
    columns = ["setting", "metric", "value", "95% interval", "n", "unscored", "to the base", "p by Holm"]
    columns += ["degradation"] if best else []
    return [
        *lines,
        "",
        *table_lines(columns, rows),
        *(["", *verdicts(summary["figures"], summary["against"])] if "against" in summary else []),
    ]


def _kept(summary: Mapping[str, Any]) -> list[str]:
    if summary.get("interrupted"):
        return [f"run {summary['interrupted']} was interrupted: {summary['kept']} settings were there already"]
    were = "setting was" if summary.get("kept") == 1 else "settings were"
    return [f"{summary['kept']} {were} measured by earlier runs"] if summary.get("kept") else []


def _differs(figure: Mapping[str, Any]) -> list[Any]:
    if figure["is_base"]:
        return ["base", ""]
    difference = figure["difference"]
    return ["–" if difference is None else f"{difference:+.3f}", p_value(figure["p_holm"])]


def _degradation(figure: Mapping[str, Any], relative_maximum: str) -> str:
    if figure["setting"] == relative_maximum:
        return "relative maximum"
    if figure["degradation"] is None:
        return "–"
    low, high = figure["degradation_low"], figure["degradation_high"]
    return f"{figure['degradation']:+.3f}" + ("" if low is None else f" [{low:+.3f}, {high:+.3f}]")


def _interval(figure: Mapping[str, Any]) -> str:
    low, high = figure["interval_low"], figure["interval_high"]
    return "–" if low is None else f"[{low:.3f}, {high:.3f}]"
