"""Output of `bidfolio evaluate --experiment` for people on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.cli.output.tables import kept_lines, p_value, table_lines
from tasks.evaluation.experiments.figures import verdicts
from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES


def experiment_lines(summary: Mapping[str, Any]) -> list[str]:
    """The lines for an experiment: its question, a table for each figure, and the settings that differ from the base.

    A table has each setting's value and 95% intervals.
    """
    figures = summary["figures"]
    lines = [
        f"experiment {summary['experiment']}, on {summary['base']}: {summary['question']}",
        *kept_lines(summary, "setting"),
    ]
    lines += [
        f"setting {name} ran with {deviation}"
        for name, deviations in summary.get("deviations", {}).items()
        for deviation in deviations
    ]
    for metric in dict.fromkeys(one["metric"] for one in figures):
        own = [one for one in figures if one["metric"] == metric]
        lines += ["", f"{EXPERIMENT_FIGURES.get(metric, metric)}:", *_table(own, summary.get("relative_maximum"))]
    told = verdicts(figures, summary["against"], EXPERIMENT_FIGURES) if "against" in summary else []
    return [*lines, *([""] if told else []), *told]


def _table(figures: Sequence[Mapping[str, Any]], best: str | None) -> list[str]:
    kinds = {"interval": "95% interval"}
    if any(one["bootstrap_low"] is not None for one in figures):
        kinds = {"interval": "95% by t", "bootstrap": "bootstrap"}
    columns = ["setting", "value", *kinds.values(), "n", "unscored", "to the base", "p by Holm"]
    rows = [
        [one["setting"], one["value"], *(_ends(one, kind) for kind in kinds)]
        + [one["n"], one["unscored"], *_differs(one)]
        + ([_degradation(one, best)] if best else [])
        for one in figures
    ]
    return table_lines([*columns, *(["degradation"] if best else [])], rows)


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


def _ends(figure: Mapping[str, Any], kind: str) -> str:
    low, high = figure[f"{kind}_low"], figure[f"{kind}_high"]
    return "–" if low is None else f"[{low:.3f}, {high:.3f}]"
