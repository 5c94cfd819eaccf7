"""Results as a person reads them on a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.errors import UsageError

FIGURES = {
    "page_recall_at_1": "R@1",
    "page_recall_at_3": "R@3",
    "page_recall_at_5": "R@5",
    "page_recall_at_7": "R@7",
    "page_recall_at_9": "R@9",
    "page_mrr_at_10": "MRR@10",
    "ndcg_at_10": "nDCG@10",
    "citation_page_precision": "citation",
    "decline_rate_answerable": "declined",
    "decline_rate_unanswerable": "declined (unanswerable)",
    "retrieval_ms_p50": "ms p50",
    "retrieval_ms_p95": "ms p95",
}
WITH_INTERVALS = ("page_recall_at_5", "page_mrr_at_10", "ndcg_at_10", "retrieval_ms_p50", "retrieval_ms_p95")


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The rows under their columns, aligned; no rows give the header alone."""
    cells = [[str(column) for column in columns], *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(columns))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]


def evaluation_lines(summary: dict[str, Any]) -> list[str]:
    """The plans with their figures, the 95% intervals of some below each, where one ran other than it says, and each
    difference with its interval, p, and p by Holm's correction.
    """
    plans: dict[str, dict[str, Any]] = summary["plans"]
    rows: list[list[Any]] = []
    for name, figures in plans.items():
        rows.append([name, figures["n"], *(figures[key] for key in FIGURES)])
        rows.append(
            ["", "", *(_interval(figures[f"{key}_interval"]) if key in WITH_INTERVALS else "" for key in FIGURES)]
        )
    lines = table_lines(["plan", "n", *FIGURES.values()], rows)
    for name, figures in plans.items():
        lines += [f"{name} ran with {deviation}" for deviation in figures.get("deviations", [])]
        lines.append(f"{name}: {_right_in_words(figures)}")
        if figures["unexpanded"]:
            lines.append(f"{name} asked {figures['unexpanded']} of {figures['n']} questions as they stand")
    for difference in summary["differences"]:
        first, second = difference["plans"]
        low, high = difference["interval"]
        lines.append(
            f"{first} − {second}, {FIGURES[difference['metric']]}: {_cell(difference['difference'])} "
            f"[{_cell(low)}, {_cell(high)}], p = {_cell(difference['p'])} "
            f"({_cell(difference['p_holm'])} by Holm), n = {difference['n']}"
        )
    return lines


def _right_in_words(figures: dict[str, Any]) -> str:
    """What to set so that most drafts are right, and how many questions are drafted then."""
    said = []
    for percent in (95, 90):
        threshold, coverage = (figures[f"{what}_where_{percent}_right"] for what in ("threshold", "coverage"))
        said.append(
            f"{percent}% of the drafts cite a right page with answering.decline_below at {threshold:.3f}, "
            f"for {coverage:.0%} of the questions"
            if threshold is not None
            else f"no threshold gives drafts of which {percent}% cite a right page"
        )
    return f"{'; '.join(said)}; calibration error {_cell(figures['calibration_error'])}"


def page_finder_lines(summary: dict[str, Any]) -> list[str]:
    """The finders with their accuracy, by chunk size."""
    rows = [
        [tokens, finder, figures["n"], figures["accuracy"], figures["accuracy_reflowed"]]
        for tokens, by_finder in summary["page_finder"].items()
        for finder, figures in by_finder.items()
    ]
    return table_lines(["chunk tokens", "finder", "n", "accuracy", "accuracy, text re-flowed"], rows)


def write_summary(summary: dict[str, Any], folder: str, name: str = "evaluation.json") -> None:
    """Writes the file ``name`` into ``folder``, which is made. Raises UsageError where it may not."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder, name).write_text(json.dumps(summary, indent=2, default=str), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to --out {folder}: {error.strerror}") from error


def _interval(ends: Sequence[float | None]) -> str:
    return f"[{', '.join(map(_cell, ends))}]"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
