"""What an experiment says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.evaluation.experiment_figures import verdicts
from tasks.evaluation.reports.cells import between, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table


def report_of_experiment(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], day: str) -> Report:
    """What an experiment says: ``rows`` are those of the table ``experiments``."""
    best = summary.get("relative_maximum")
    table = Table(
        "Settings",
        [
            "setting",
            "figure",
            "value",
            "95% interval",
            "difference to the base",
            "p by Holm",
            *(["degradation"] if best else []),
            "n",
            "unscored",
        ],
        [
            [
                f"{row['setting']} (base)" if row["is_base"] else row["setting"],
                row["metric"],
                number(row["value"]),
                between(row["interval_low"], row["interval_high"]),
                signed(row["difference"]),
                p_value(row["p_holm"]),
                *([signed(row["degradation"])] if best else []),
                str(row["n"]),
                str(row["unscored"]),
            ]
            for row in rows
        ],
        f"Degradation is 1 − value / value of {best}." if best else "",
    )
    facts = [(name, str(summary[name])) for name in ("gold", "corpus") if summary.get(name)]
    title, subtitle = f"Experiment {summary['experiment']}", f"bidfolio evaluate, {day}, run {summary['run_id']}"
    said = verdicts(rows, summary["against"]) if summary.get("against") else []
    return Report(title, subtitle, facts, [summary["question"], *said], [table] if rows else [])
