"""Report of a grid: the recommendation, the factors, the levels and the best configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.evaluation.pictures.grid_pictures import WORDS
from tasks.evaluation.reports.cells import between, is_real, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table


def report_of_grid(summary: Mapping[str, Any], day: str) -> Report:
    """Build the report from the summary of a grid, as ``tune --grid --json`` prints it."""
    best, in_use, held_out = summary["best"], summary["to_beat"], summary["best"]["held_out"]
    low, high = held_out["interval"]
    on_others = (
        f"{signed(held_out['difference'])} [{signed(low)}, {signed(high)}], p = {p_value(held_out['p'])}, "
        f"n = {held_out['n']}"
    )
    if held_out["standard_error"] is not None:
        clustered = f"± {number(held_out['standard_error'])} and p = {p_value(held_out['p_clustered'])}"
        on_others += f" ({clustered} clustered by document)"
    verdict = (
        f"Recommended: {_levels(best['levels'])}. On questions that did not choose it, it has {on_others}."
        if best["beats"]
        else f"Stay with {in_use['plan']}: what half of the questions choose has {on_others} on the other half."
    )
    factors = Table(
        f"Which factors matter to {WORDS[summary['objective']]}",
        ["factor", "F", "degrees of freedom", "p", "p by Holm", "partial η²", "F by runs"],
        [
            [
                row["factor"],
                number(row["f"]),
                f"{row['df']}, {row['df_error']}",
                p_value(row["p"]),
                p_value(row["p_holm"]),
                number(row["partial_eta2"]),
                number(row["by_runs"]["f"]),
            ]
            for row in summary["anova"]
        ],
        "Analysis of variance with the questions as blocks, which are taken for independent; F by runs is between the "
        "configurations' means.",
    )
    means = Table(
        "The levels",
        ["factor", "level", f"mean {WORDS[summary['objective']]}", "± clustered", "n"],
        [
            [row["factor"], row["level"], number(row["mean"]), number(row["standard_error"]), str(row["n"])]
            for row in summary["levels"]
        ],
    )
    pairs = Table(
        "Levels that differ by more than chance",
        ["factor", "levels", "difference", "95% interval", "p by Holm", "n"],
        [
            [
                row["factor"],
                " − ".join(row["levels"]),
                signed(row["difference"]),
                between(*row["interval"]),
                p_value(row["p_holm"]),
                str(row["n"]),
            ]
            for row in summary["pairs"]
            if is_real(row)
        ],
        f"Of {len(summary['pairs'])} pairs; Holm's correction is for all of them.",
    )
    shown = ("correctness", "rouge1_recall", "embedding_triad", "page_recall_at_5", "page_mrr_at_10", "draft_rate")

    def figures(row: Mapping[str, Any]) -> list[str]:
        return [number(row["objective"]["value"]), *(number(row[name]) for name in shown)]

    top = Table(
        "The best configurations",
        ["configuration", "levels", "chosen by", *(WORDS[name] for name in shown)],
        [
            *([str(row["configuration"]), _levels(row["levels"]), *figures(row)] for row in summary["top"]),
            [in_use["plan"], "in use", *figures(in_use)],
        ],
        f"Chosen by {WORDS[summary['objective']]}; what cannot be answered counts there by whether it is declined.",
    )
    facts = [
        ("questions", f"{summary['questions']}, and {summary['unscored']} that could not be scored"),
        ("configurations", str(summary["configurations"])),
        ("gold set", str(summary["gold"])),
        ("corpus", str(summary["corpus"])),
    ]
    deviations = [
        f"{row['configurations']} configurations ran with {row['deviation']}." for row in summary["deviations"]
    ]
    subtitle = f"bidfolio tune --grid, {day}, run {summary['run_id']}"
    tables = [factors, means, pairs, top, _triad(summary)]
    said = [verdict, *deviations]
    return Report(f"Grid {summary['grid']}", subtitle, facts, said, [table for table in tables if table.rows])


def _triad(summary: Mapping[str, Any]) -> Table:
    """The table of the triad's correlation with the objective, if answers are known."""
    rows = [
        [
            WORDS[name],
            over.replace("_", " "),
            number(told["pearson"]),
            number(told["spearman"]),
            p_value(told["spearman_p"]),
            str(told["n"]),
        ]
        for over, sides in (summary["triad"] or {}).items()
        for name, told in sides.items()
        if told["n"]
    ]
    columns = ["side", "over", "Pearson", "Spearman", "p of Spearman", "n"]
    return Table(f"How the triad goes with {WORDS[summary['objective']]}", columns, rows)


def _levels(levels: Mapping[str, str]) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in levels.items())
