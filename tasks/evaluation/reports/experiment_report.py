"""Report of an experiment: its question, its verdicts, and a table for each figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tasks.evaluation.experiments.figures import verdicts
from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES
from tasks.evaluation.reports.cells import between, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table, table


def report_of_experiment(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], day: str) -> Report:
    """Build the report of an experiment from ``rows`` of the table ``experiments``, with a table for each figure.

    No rows give no table.
    """
    own = {
        metric: [row for row in rows if row["metric"] == metric]
        for metric in dict.fromkeys(row["metric"] for row in rows)
    }
    tables = [_table(metric, some, summary.get("relative_maximum")) for metric, some in own.items()]
    facts = [(name, str(summary[name])) for name in ("gold", "corpus") if summary.get(name)]
    title, subtitle = f"Experiment {summary['experiment']}", f"bidfolio evaluate, {day}, run {summary['run_id']}"
    said = verdicts(rows, summary["against"], EXPERIMENT_FIGURES) if summary.get("against") else []
    return Report(title, subtitle, facts, [summary["question"], *said], tables)


def _table(metric: str, rows: Sequence[Mapping[str, Any]], best: str | None) -> Table:
    """The table of a figure for all settings; without a base or relative maximum, it lacks the columns for it."""
    compared = any(row["is_base"] for row in rows)
    is_drawn = any(row["bootstrap_low"] is not None for row in rows)
    columns: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "setting": lambda row: f"{row['setting']} (base)" if row["is_base"] else row["setting"],
        "value": lambda row: number(row["value"]),
        "95% by t" if is_drawn else "95% interval": lambda row: between(row["interval_low"], row["interval_high"]),
    }
    if is_drawn:
        columns["by bootstrap"] = lambda row: between(row["bootstrap_low"], row["bootstrap_high"])
    if compared:
        columns["difference to the base"] = lambda row: signed(row["difference"])
        columns["p by Holm"] = lambda row: p_value(row["p_holm"])
    if best:
        columns["degradation"] = lambda row: signed(row["degradation"])
    columns |= {"n": lambda row: str(row["n"]), "unscored": lambda row: str(row["unscored"])}
    notes = ["The difference, and its p, are over the questions that both settings have."] if compared else []
    if best:
        notes.append(f"Degradation is 1 − value / value of {best}, over the questions that both have.")
    said = EXPERIMENT_FIGURES.get(metric, metric)
    return table(said[0].upper() + said[1:], columns, rows, " ".join(notes))
