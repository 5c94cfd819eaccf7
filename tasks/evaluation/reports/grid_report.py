"""Report of a grid: the recommendation, the factors, the levels and the best configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tasks.evaluation.pictures.grid_pictures import WORDS
from tasks.evaluation.reports.cells import between, is_real, number, p_value, signed
from tasks.evaluation.reports.report import Report, Table, table


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
    objective = WORDS[summary["objective"]]
    factors = table(
        f"Which factors matter to {objective}",
        {
            "factor": lambda row: row["factor"],
            "F": lambda row: number(row["f"]),
            "degrees of freedom": lambda row: f"{row['df']}, {row['df_error']}",
            "p": lambda row: p_value(row["p"]),
            "p by Holm": lambda row: p_value(row["p_holm"]),
            "partial η²": lambda row: number(row["partial_eta2"]),
            "F by runs": lambda row: number(row["by_runs"]["f"]),
        },
        summary["anova"],
        "Analysis of variance with the questions as blocks, which are taken for independent; F by runs is between the "
        "configurations' means.",
    )
    means = Table(
        "The levels",
        ["factor", "level", f"mean {objective}", "± clustered", "n"],
        [
            [row["factor"], row["level"], number(row["mean"]), number(row["standard_error"]), str(row["n"])]
            for row in summary["levels"]
        ],
    )
    pairs = table(
        "Levels that differ by more than chance",
        {
            "factor": lambda row: row["factor"],
            "levels": lambda row: " − ".join(row["levels"]),
            "difference": lambda row: signed(row["difference"]),
            "95% interval": lambda row: between(*row["interval"]),
            "p by Holm": lambda row: p_value(row["p_holm"]),
            "n": lambda row: str(row["n"]),
        },
        filter(is_real, summary["pairs"]),
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
        f"Chosen by {objective}; what cannot be answered counts there by whether it is declined.",
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
    triad = table(
        f"How the triad goes with {objective}",
        {
            "side": lambda row: WORDS[row["name"]],
            "over": lambda row: row["over"].replace("_", " "),
            "Pearson": lambda row: number(row["pearson"]),
            "Spearman": lambda row: number(row["spearman"]),
            "p of Spearman": lambda row: p_value(row["spearman_p"]),
            "n": lambda row: str(row["n"]),
        },
        [
            {"name": name, "over": over, **told}
            for over, sides in (summary["triad"] or {}).items()
            for name, told in sides.items()
            if told["n"]
        ],
    )
    tables = [one for one in (factors, means, pairs, top, triad) if one.rows]
    return Report(f"Grid {summary['grid']}", subtitle, facts, [verdict, *deviations], tables)


def _levels(levels: Mapping[str, str]) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in levels.items())
