"""Output of `bidfolio tune --grid` for people on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.cli.output.tables import cell, kept_lines, p_said, p_value, table_lines

OBJECTIVES = {
    "correctness": "correctness (cited on a gold page with no other verdict, or rightly declined)",
    "rouge1_recall": "ROUGE-1 recall of the known answers, and 1 for what is rightly declined",
    "embedding_triad": "the embedding triad (no known answers: question, context and answer by cosines)",
}
UNSCORED = {
    "correctness": "known page or verdict, or an answer that failed",
    "rouge1_recall": "known answer, or an answer that failed",
    "embedding_triad": "draft of some configuration",
}
FIGURES = {
    "correctness": "correct",
    "rouge1_recall": "ROUGE-1",
    "embedding_triad": "triad",
    "page_recall_at_5": "R@5",
    "page_mrr_at_10": "MRR@10",
    "draft_rate": "drafted",
}
SIDES = {
    "embedding_triad": "the triad",
    "context_relevance": "context relevance",
    "groundedness": "groundedness",
    "answer_relevance": "answer relevance",
}


def grid_lines(summary: Mapping[str, Any], out: str | None) -> list[str]:
    """The lines for a grid: the measurement, factors, levels and their differences, the best configurations,
    and the result.

    Between, the triad's correlation with known answers; at the end, if the best beats the plan in use.
    """
    return [
        *_measured(summary),
        "",
        *_factors(summary["anova"]),
        "",
        *_levels(summary["levels"]),
        *_pairs(summary["pairs"]),
        "",
        *_best(summary),
        *_triad(summary),
        "",
        *recommendation_lines(summary, out),
    ]


def _measured(summary: Mapping[str, Any]) -> list[str]:
    lines = [
        f"grid {summary['grid']}: {summary['configurations']} configurations × {summary['questions']} questions, by "
        f"{OBJECTIVES[summary['objective']]}, in {summary['seconds']:.1f} s",
        *kept_lines(summary, "configuration"),
    ]
    if summary["unscored"]:
        lines.append(
            f"{summary['unscored']} questions have no {UNSCORED[summary['objective']]}, and are left out of it"
        )
    return lines + [f"{row['configurations']} ran with {row['deviation']}" for row in summary["deviations"]]


def _factors(anova: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [
        [
            row["factor"],
            row["f"],
            f"{row['df']}, {row['df_error']}",
            row["epsilon"],
            p_value(row["p"]),
            p_value(row["p_holm"]),
            row["eta2"],
            row["partial_eta2"],
            row["by_runs"]["f"],
            p_value(row["by_runs"]["p"]),
        ]
        for row in anova
    ]
    columns = ["factor", "F", "df", "epsilon", "p", "p (Holm)", "eta²", "partial eta²", "F by runs", "p by runs"]
    return table_lines(columns, rows)


def _levels(levels: Sequence[Mapping[str, Any]]) -> list[str]:
    by_factor: dict[str, list[str]] = {}
    for row in levels:
        error = "" if row["standard_error"] is None else f" ± {row['standard_error']:.3f}"
        by_factor.setdefault(row["factor"], []).append(f"{row['level']} {cell(row['mean'])}{error}")
    return [f"{factor}: {', '.join(means)}" for factor, means in by_factor.items()]


def _pairs(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The pairs of levels that differ by Holm's correction, and the number of those that do not."""
    told = [pair for pair in pairs if pair["p_holm"] is not None and pair["p_holm"] < 0.05]
    lines = [
        f"{pair['factor']} {' − '.join(pair['levels'])}: {_difference(pair)} ({p_value(pair['p_holm'])} by Holm)"
        for pair in told
    ]
    return [*lines, f"{len(pairs) - len(told)} of {len(pairs)} pairs of levels differ by no more than chance"]


def _best(summary: Mapping[str, Any]) -> list[str]:
    factors = list(summary["best"]["levels"])
    rows = [
        [
            row["configuration"],
            *(row["levels"][factor] for factor in factors),
            row["objective"]["value"],
            row["objective"]["standard_error"],
            *(row[name] for name in FIGURES),
        ]
        for row in summary["top"]
    ]
    in_use = summary["to_beat"]
    chosen_by = in_use["objective"]["value"], in_use["objective"]["standard_error"]
    rows.append([in_use["plan"], *("" for _ in factors), *chosen_by, *(in_use[name] for name in FIGURES)])
    return [
        *table_lines(["configuration", *factors, "chosen by", "±", *FIGURES.values()], rows),
        f"chosen by {OBJECTIVES[summary['objective']]}; ± is its standard error, clustered by document. F, intervals "
        "and p take questions for independent, and halves are drawn by question",
    ]


def _triad(summary: Mapping[str, Any]) -> list[str]:
    if summary["triad"] is None:
        return ["", *_worth(summary["worth_of_triad"])]
    lines = ["", f"how it goes with {FIGURES[summary['objective']]}:"]
    for over, found in summary["triad"].items():
        for name, said in found.items():
            if not said["n"]:
                continue
            lines.append(f"{SIDES[name]} {over.replace('_', ' ')}: {_correlations(said)}, n = {said['n']}")
    return lines


def _worth(worth: Mapping[str, Any] | None) -> list[str]:
    """The lines about the triad's known correlation with correctness, where the plan is chosen by the triad."""
    lines = ["the triad is of drafts, held back or not: it cannot say when to decline, nor what is true"]
    if worth is None:
        return [
            *lines,
            "what it is worth on these documents is not known: run the grid on some labelled questions, too",
        ]
    return [
        *lines,
        f"over the {worth['n']} configurations of grid {worth['grid']} (run {worth['run_id']}) it went with "
        f"{FIGURES[worth['objective']]} by {_correlations(worth)}",
    ]


def _correlations(told: Mapping[str, Any]) -> str:
    kinds = ("pearson", "spearman")
    return ", ".join(f"{kind.capitalize()} {cell(told[kind])} ({p_said(told[f'{kind}_p'])})" for kind in kinds)


def recommendation_lines(summary: Mapping[str, Any], out: str | None) -> list[str]:
    """The difference of the best configuration on held-out questions, and the recommendation."""
    best, plan = summary["best"], summary["to_beat"]["plan"]
    said = f"{_difference(best['held_out'])}, n = {best['held_out']['n']}"
    if (error := best["held_out"]["standard_error"]) is not None:
        said += f", ± {error:.3f} and {p_said(best['held_out']['p_clustered'])} clustered by document"
    halves = " and ".join(map(str, best["chosen_by_halves"]))
    lines = [f"on questions that did not choose it, the best of a half ({halves}) differs from {plan} by {said}"]
    named = ", ".join(f"{factor} {level}" for factor, level in best["levels"].items())
    worth = summary["worth_of_triad"]
    if summary["triad"] is None and not (worth and worth["goes_with_what_is_right"]):
        why = "is not known to rise" if worth is None else "did not rise"
        return [*lines, f"the triad {why} with what is right on labelled questions: stay with {plan}"]
    if not best["beats"]:
        return [*lines, f"no configuration beats {plan} by more than chance: stay with it"]
    lines.append(f"recommended: configuration {best['configuration']} ({named})")
    if out:
        return [*lines, f"written: bidfolio refresh SOURCE --plan {out}/best.yaml"]
    return [*lines, "give --out DIR to have it as a plan"]


def _difference(told: Mapping[str, Any]) -> str:
    low, high = told["interval"]
    if told["difference"] is None:
        return "nothing to compare"
    return f"{told['difference']:+.3f} [{low:+.3f}, {high:+.3f}], {p_said(told['p'])}"
