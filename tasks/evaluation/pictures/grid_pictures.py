"""Pictures of a grid, after König 2025: histograms by factor, triad against correctness, retrieval against answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from tasks.evaluation.pictures.picture import Picture, Point, Undrawn, parted

Values = NDArray[np.float64]
WORDS = {
    "correctness": "correctness",
    "rouge1_recall": "ROUGE-1 recall",
    "embedding_triad": "embedding triad",
    "context_relevance": "context relevance",
    "groundedness": "groundedness",
    "answer_relevance": "answer relevance",
    "page_mrr_at_10": "MRR@10 of pages",
    "page_recall_at_5": "page recall at 5",
    "draft_rate": "share drafted",
}
SIDES = ("context_relevance", "groundedness", "answer_relevance", "embedding_triad")
BINS = 12


def pictures_of_grid(
    means: Mapping[str, Values], levels: Mapping[str, Sequence[str]], objective: str, questions: int
) -> tuple[list[Picture], list[Undrawn]]:
    """Make the pictures of a grid, and list those without data.

    ``means`` has each figure's means over the questions, (configurations,), NaN if unknown; ``levels`` gives the level
    of each configuration, by factor; ``objective`` is the figure that a plan is chosen by.
    """
    known = {name: values for name, values in means.items() if name in WORDS and not np.isnan(values).any()}
    return parted(
        [
            _histograms(known, levels, objective, questions),
            _triad(known, objective, questions),
            _correlations(known, questions),
            _found_and_answered(known, levels, objective, questions),
        ]
    )


def _histograms(
    means: Mapping[str, Values], levels: Mapping[str, Sequence[str]], objective: str, questions: int
) -> Picture | Undrawn:
    title = f"{WORDS[objective].capitalize()} of the configurations, by factor"
    if objective not in means:
        return Undrawn(title, f"{WORDS[objective]} is not known of every configuration")
    values = means[objective]
    edges = np.histogram_bin_edges(values, BINS)
    points = []
    for factor, of in levels.items():
        for level in dict.fromkeys(of):
            counts, _ = np.histogram(values[np.array(of) == level], edges)
            for count, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
                series = f"{factor}: {level}"
                points.append(Point(series, (low + high) / 2, count, low, high, "", len(values), factor))
    return Picture(
        "factors",
        "histograms",
        title,
        f"How many of the {len(values)} configurations come to which mean over {questions} questions, by the level of "
        "each factor. Levels whose rows are alike do not matter; one that stands apart does. Which of it is more "
        "than chance is in the analysis of variance.",
        WORDS[objective],
        "configurations",
        tuple(points),
    )


def _triad(means: Mapping[str, Values], objective: str, questions: int) -> Picture | Undrawn:
    title = "The triad beside what is right"
    if objective == "embedding_triad" or objective not in means:
        return Undrawn(title, "no answers are known that it could be held against")
    points = [
        Point("configurations", x, y, n=questions, panel=f"{WORDS[side]}{_said(means[side], means[objective])}")
        for side in SIDES
        if side in means
        for x, y in zip(means[side].tolist(), means[objective].tolist(), strict=True)
    ]
    if not points:
        return Undrawn(title, "no side of the triad is known")
    return Picture(
        "triad",
        "scatter",
        title,
        f"Each point is a configuration, by its means over {questions} questions. Where points rise to the right, "
        "the triad, which needs no known answers, chooses what is right; ρ is Spearman's rank correlation.",
        "mean of the side",
        WORDS[objective],
        tuple(points),
    )


def _correlations(means: Mapping[str, Values], questions: int) -> Picture | Undrawn:
    title = "What goes with what"
    names = [name for name in WORDS if name in means]
    count = len(next(iter(means.values()))) if means else 0
    if len(names) < 2 or count < 3:
        return Undrawn(title, "it takes two figures and three configurations")
    points = [
        Point(WORDS[row], None, _rho(means[row], means[column]), label=WORDS[column], n=count)
        for row, column in product(names, names)
    ]
    return Picture(
        "correlations",
        "matrix",
        title,
        f"Spearman's rank correlation of the figures over {count} configurations, each by its means over {questions} "
        "questions; – where a figure is the same for all. All were asked the same questions, so that no p is told.",
        "",
        "",
        tuple(points),
        spans=(-1.0, 1.0),
    )


def _found_and_answered(
    means: Mapping[str, Values], levels: Mapping[str, Sequence[str]], objective: str, questions: int
) -> Picture | Undrawn:
    title = "What is found, and what is answered"
    finds = next((name for name in ("page_mrr_at_10", "context_relevance") if name in means), None)
    if finds is None or objective not in means:
        return Undrawn(title, "neither ranks of pages nor relevances of contexts are known")
    first = next(iter(levels))
    points = [
        Point(f"{first} {level}", x, y, n=questions)
        for level, x, y in zip(levels[first], means[finds].tolist(), means[objective].tolist(), strict=True)
    ]
    return Picture(
        "found_and_answered",
        "scatter",
        title,
        f"Each point is a configuration, by its means over {questions} questions"
        f"{_said(means[finds], means[objective])}; colours are the levels of {first}: "
        f"{', '.join(dict.fromkeys(levels[first]))}. Where better finding does not make better answers, the points "
        "lie flat.",
        WORDS[finds],
        WORDS[objective],
        tuple(points),
    )


def _rho(one: Values, other: Values) -> float | None:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(spearmanr(one, other).statistic)


def _said(one: Values, other: Values) -> str:
    rho = _rho(one, other) if len(one) > 2 else None
    return "" if rho is None else f" (ρ = {rho:+.2f})"
