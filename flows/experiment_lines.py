"""What `bidfolio evaluate --experiment` says, as a person reads it on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.tables import table_lines

LEAST_P = 0.05


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
    return [*lines, "", *table_lines(columns, rows), *(["", *_verdict(summary)] if "against" in summary else [])]


def _kept(summary: Mapping[str, Any]) -> list[str]:
    if summary.get("interrupted"):
        return [f"run {summary['interrupted']} was interrupted: {summary['kept']} settings were there already"]
    return [f"{summary['kept']} settings were measured by earlier runs"] if summary.get("kept") else []


def _verdict(summary: Mapping[str, Any]) -> list[str]:
    """For each metric, which settings differ from the base by more than chance."""
    found = []
    for metric in dict.fromkeys(one["metric"] for one in summary["figures"]):
        ours: Sequence[Mapping[str, Any]] = [one for one in summary["figures"] if one["metric"] == metric]
        differ = [
            f"{one['setting']} ({one['difference']:+.3f} [{one['difference_low']:+.3f}, {one['difference_high']:+.3f}])"
            for one in ours
            if one["p_holm"] is not None and one["p_holm"] < LEAST_P
        ]
        said = f"differ from {summary['against']} by more than chance: {', '.join(differ)}"
        if not differ:
            said = f"no setting differs from {summary['against']} by more than chance"
        if all(one["p"] is None for one in ours):
            said = "no setting has questions in common with the one it is compared with"
        found.append(f"{metric}: {said}")
    return found


def _differs(figure: Mapping[str, Any]) -> list[Any]:
    if figure["is_base"]:
        return ["base", ""]
    difference = figure["difference"]
    return ["–" if difference is None else f"{difference:+.3f}", figure["p_holm"]]


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
