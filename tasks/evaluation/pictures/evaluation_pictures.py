"""Pictures of an evaluation: recall by rank, figures of the plans, latency, coverage and reliability."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tasks.evaluation.metrics.figure_names import EXPERIMENT_FIGURES, FIGURES
from tasks.evaluation.pictures.picture import Mark, Picture, Point, Undrawn, measured, parted

Row = Mapping[str, Any]
SHOWN = (
    "page_recall_at_5",
    "page_mrr_at_10",
    "citation_page_precision",
    "decline_rate_unanswerable",
    "decline_rate_answerable",
    "verdict_balanced_accuracy",
)
STAGES = {"retrieval": "to find", "drafting": "to draft"}
RIGHT = (0.05, 0.10)
BINS = 10
LEAST_ERROR_SHOWN = 0.5
"""Least upper end of the error axis."""
_RECALL = re.compile(r"page_recall_at_(\d+)$")
_TIME = re.compile(r"(retrieval|drafting)_ms_(p50|p95)$")


def pictures_of_evaluation(
    scores: Sequence[Row], coverage: Sequence[Row], verdict_coverage: Sequence[Row]
) -> tuple[list[Picture], list[Undrawn]]:
    """Make the pictures from the rows of these tables of one run, and list those without data.

    No rows give no picture.
    """
    return parted(
        [
            _verdicts(verdict_coverage),
            _recall(scores),
            _figures(scores),
            _latency(scores),
            _coverage(coverage),
            _reliability(coverage),
        ]
    )


def _verdicts(rows: Sequence[Row]) -> Picture | Undrawn:
    title = "How many yes/no questions can be answered where so many may be wrong"
    if not rows:
        return Undrawn(title, "no verdict was proposed to a question whose answer is known")
    points = _coverage_points(rows)
    plans = list(dict.fromkeys(point.series for point in points))
    band = ", with its 95% interval (Wilson's)" if len(plans) <= 3 else ""
    return Picture(
        "verdicts",
        "curves",
        title,
        "Proposed verdicts in the order of their probability, the surest first: what share of all yes/no questions is "
        f"answered down to there, and what share of these answers is wrong{band}. The diamond is the plan's own "
        "threshold, answering.verdicts.answered_from; a few above it are left to a person all the same, for other "
        "reasons. Where the curve passes a line, a threshold at that probability answers so many, as far as these "
        "questions tell.",
        "share of yes/no questions answered",
        "share of answers wrong",
        tuple(points),
        (Mark(f"{1 - RIGHT[0]:.0%} right", y=RIGHT[0]), *_own_thresholds(rows, plans)),
        (0.0, max(LEAST_ERROR_SHOWN, *(row["error"] for row in rows))),
    )


def _coverage_points(rows: Sequence[Row]) -> list[Point]:
    return [
        Point(
            row["plan"],
            row["coverage"],
            row["error"],
            row.get("error_low"),
            row.get("error_high"),
            f"{row['threshold']:.3f}",
            row["n"],
        )
        for row in rows
    ]


def _own_thresholds(rows: Sequence[Row], plans: Sequence[str]) -> list[Mark]:
    """A point for each plan whose threshold leaves a verdict."""
    marks = []
    for plan in plans:
        own = [row for row in rows if row["plan"] == plan and row["answered_from"] is not None]
        if left := [row for row in own if row["threshold"] >= row["answered_from"]]:
            last = min(left, key=lambda row: row["threshold"])
            name = f"{plan}: " if len(plans) > 1 else ""
            marks.append(Mark(f"{name}threshold {last['answered_from']:g}", last["coverage"], last["error"]))
    return marks


def _recall(scores: Iterable[Row]) -> Picture | Undrawn:
    title = "How far down a right page stands"
    found = [(match, row) for row in scores if (match := _RECALL.match(row["metric"])) and row["value"] is not None]
    if not found:
        return Undrawn(title, "no question has a page that answers it")
    points = [measured(row["plan"], float(match[1]), row["value"], row) for match, row in found]
    plans = {row["plan"] for _, row in found}
    band = "; the band is the 95% interval" if len(plans) <= 3 else "; intervals are in the table"
    return Picture(
        "recall",
        "curves",
        title,
        f"Share of answerable questions of which a right page is among the first hits, over {_over(points)}{band}. "
        "What a plan does not find among nine no answer of it can cite.",
        "first hits looked at",
        "share of questions",
        tuple(points),
        spans=(0.0, 1.0),
    )


def _figures(scores: Sequence[Row]) -> Picture | Undrawn:
    title = "What the plans are worth"
    points = [
        measured(row["plan"], row["value"], None, row, panel=(FIGURES | EXPERIMENT_FIGURES)[metric])
        for metric in SHOWN
        for row in scores
        if row["metric"] == metric and row["value"] is not None
    ]
    if not points:
        return Undrawn(title, "no figure is defined on this gold set")
    return Picture(
        "figures",
        "dots",
        title,
        "Each figure with its 95% interval. Where intervals overlap widely the plans may be equal: the table of "
        "differences, question by question, says more. Right is better, but for what is declined though it can be "
        "answered.",
        "mean over questions",
        "",
        tuple(points),
        spans=(0.0, 1.0),
    )


def _latency(scores: Iterable[Row]) -> Picture | Undrawn:
    title = "How long a question takes"
    by_metric = {(row["plan"], row["metric"]): row for row in scores}
    points = [
        measured(plan, row["value"], None, row, label=match[2], panel=STAGES[match[1]])
        for (plan, metric), row in by_metric.items()
        if (match := _TIME.match(metric)) and row["value"] is not None
    ]
    if not points:
        return Undrawn(title, "no question was timed")
    return Picture(
        "latency",
        "bars",
        title,
        f"Milliseconds a question, asked one at a time: the median and the 95th percentile, over {_over(points)}.",
        "milliseconds",
        "",
        tuple(sorted(points, key=lambda one: (one.panel != STAGES["retrieval"], one.label))),
    )


def _coverage(rows: Sequence[Row]) -> Picture | Undrawn:
    title = "How much is left where so many may be wrong"
    if not rows:
        return Undrawn(title, "no draft has a confidence")
    points = _coverage_points(rows)
    marks = tuple(Mark(f"{1 - error:.0%} right", y=error) for error in RIGHT)
    return Picture(
        "coverage",
        "curves",
        title,
        "Drafts in the order of their confidence, the surest first: what share of all questions is drafted, and what "
        "share of these drafts cites no right page. Where the curve passes a line, a threshold at that confidence "
        "leaves so many drafts that may be trusted so far.",
        "share of questions drafted",
        "share of drafts wrong",
        tuple(points),
        marks,
        (0.0, 1.0),
    )


def _reliability(rows: Sequence[Row]) -> Picture | Undrawn:
    title = "How often a draft of so much confidence cites a right page"
    if not rows:
        return Undrawn(title, "no draft has a confidence")
    plans = list(dict.fromkeys(row["plan"] for row in rows))
    points = [
        point._replace(panel=plan if len(plans) > 1 else "")
        for plan in plans
        for point in _binned(plan, [row for row in rows if row["plan"] == plan])
    ]
    return Picture(
        "reliability",
        "scatter",
        title,
        f"Drafts in up to {BINS} bins of equally many by confidence: the mean confidence of a bin, and the share of it "
        "that cites a right page. A confidence says how likely the documents answer the question at all; on the line, "
        "the draft would cite the right page as often.",
        "mean confidence",
        "share with a right page",
        tuple(points),
        (Mark("", slope=1.0),),
        (0.0, 1.0),
    )


def _binned(plan: str, rows: Sequence[Row]) -> list[Point]:
    """Bin one plan's drafts by confidence; the drafts are recovered from its coverage curve."""
    drafts: list[tuple[float, float]] = []
    before, wrong_before = 0, 0.0
    for row in sorted(rows, key=lambda row: -row["threshold"]):
        count, wrong = row["n"] - before, row["error"] * row["n"] - wrong_before
        drafts += [(row["threshold"], 1 - wrong / count)] * count
        before, wrong_before = row["n"], row["error"] * row["n"]
    parts = [part for part in np.array_split(np.array(sorted(drafts)), BINS) if len(part)]
    return [
        Point(plan, float(part[:, 0].mean()), float(part[:, 1].mean()), None, None, "", len(part)) for part in parts
    ]


def _over(points: Sequence[Point]) -> str:
    return told_count([point.n for point in points if point.n is not None], "questions")


def told_count(counts: Sequence[int], of: str) -> str:
    """Format a range of counts, "94 questions" or "30 to 94 questions"; "no questions" without counts."""
    if not counts:
        return f"no {of}"
    low, high = min(counts), max(counts)
    return f"{low} {of}" if low == high else f"{low} to {high} {of}"
