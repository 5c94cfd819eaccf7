"""Report of an experiment: its question, its verdicts, and a table for each figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.experiments.figures import verdicts
from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES
from tasks.evaluation.reports.cells import between, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table


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
    intervals = ["95% by t", "by bootstrap"] if is_drawn else ["95% interval"]
    columns = ["setting", "value", *intervals, *(["difference to the base", "p by Holm"] if compared else [])]
    columns += [*(["degradation"] if best else []), "n", "unscored"]
    notes = ["The difference, and its p, are over the questions that both settings have."] if compared else []
    if best:
        notes.append(f"Degradation is 1 − value / value of {best}, over the questions that both have.")
    cells = [
        [
            f"{row['setting']} (base)" if row["is_base"] else row["setting"],
            number(row["value"]),
            between(row["interval_low"], row["interval_high"]),
            *([between(row["bootstrap_low"], row["bootstrap_high"])] if is_drawn else []),
            *([signed(row["difference"]), p_value(row["p_holm"])] if compared else []),
            *([signed(row["degradation"])] if best else []),
            str(row["n"]),
            str(row["unscored"]),
        ]
        for row in rows
    ]
    said = EXPERIMENT_FIGURES.get(metric, metric)
    return Table(said[0].upper() + said[1:], columns, cells, " ".join(notes))
