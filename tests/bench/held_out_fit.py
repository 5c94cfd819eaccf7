"""Whether weights that have seen questions without their documents decline better, judged by other corpora.

Run: .venv/bin/python -m tests.bench.held_out_fit OUT

OUT is what `tests.bench.held_out` wrote. Each corpus is judged by fits to the others; the plan's own weights stand
beside them, though they have seen the questions of all. Questions that were asked without their documents are in the
fit as those asked of other corpora are in that of `tests.bench.evidence`, each as three tenths of a question, and
judged as such. Intervals are 95%, by documents drawn anew. Beside these stands each signal alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from configs.plans import load_plan
from tests.bench.declining import Floats, interval, keeping, separation, shown
from tests.bench.evidence import FOREIGN_WEIGHT, Fit, fit

KEPT = 0.9
SIGNALS = ("support", "relevance", "known words")
Rows = Sequence[Mapping[str, Any]]
Scored = Callable[[Floats], Floats]


def matrix(rows: Rows) -> Floats:
    """The signals, ``(n, 3)``."""
    return np.array([row["signals"] for row in rows], float).reshape(-1, 3)


def fitted(rows: Rows, with_held_out: bool) -> Fit:
    """The fit to the gold sets' questions, and to those held out besides."""
    own = [row for row in rows if not row["held_out"]]
    away = [row for row in rows if row["held_out"]] if with_held_out else []
    return fit(matrix(own), np.array([row["is_answerable"] for row in own]), matrix(away))


def alone(here: Rows) -> str:
    """How each signal alone parts the questions with their documents from those without, and its mean on both."""
    there = matrix([row for row in here if row["is_answerable"]])
    away = matrix([row for row in here if row["held_out"]])
    return "; ".join(
        f"{name} {separation(mine, its):.3f} (mean {mine.mean():.3f}, held out {its.mean():.3f})"
        for name, mine, its in zip(SIGNALS, there.T, away.T, strict=True)
    )


def judged(name: str, scored: Scored, here: Rows, others: Rows, review_below: float) -> None:
    """Prints how the scores part the questions of a corpus, what they decline below the threshold that keeps KEPT of
    the others' answerable ones, in brackets below the one that keeps so many of its own, and what is answered outright.
    """
    scores = scored(matrix(here))
    clusters = [row["cluster"] for row in here]
    there = np.array([row["is_answerable"] for row in here])
    threshold = keeping(scored(matrix([row for row in others if row["is_answerable"]])), KEPT)
    kinds = {
        "held out": np.array([bool(row["held_out"]) for row in here]),
        "of the set": ~there & ~np.array([bool(row["held_out"]) for row in here]),
    }
    told = [
        f"answerable declined {float((scores[there] < threshold).mean()):.3f}, "
        f"outright {float((scores[there] >= review_below).mean()):.3f}"
    ]
    for kind, which in kinds.items():

        def area(at: Any, which: Any = which) -> float:
            return separation(scores[at][there[at]], scores[at][which[at]])

        own = float((scores[which] < keeping(scores[there], KEPT)).mean())
        parted = shown(area(np.arange(len(here))), interval(clusters, area, 500))
        outright = float((scores[which] >= review_below).mean())
        declined = float((scores[which] < threshold).mean())
        told.append(f"{kind} {declined:.3f} ({own:.3f} at its own), area {parted}, outright {outright:.3f}")
    print(f"  {name:24} {'; '.join(told)}")


def main(out: str) -> None:
    """Prints the figures of each corpus."""
    rows = [row for row in pl.read_parquet(Path(out) / "asked.parquet").to_dicts() if not row["a_twin_stays"]]
    answering = load_plan("bidfolio").answering
    weights, review_below = answering.confidence, answering.review_below
    assert weights is not None
    plan = Fit(np.array([weights.support, weights.relevance, weights.known_words]), weights.intercept)
    print(f"where {KEPT:.0%} of the other corpora's answerable questions are kept; held out weigh {FOREIGN_WEIGHT}")
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        here = [row for row in rows if row["corpus"] == corpus]
        others = [row for row in rows if row["corpus"] != corpus]
        print(f"\n{corpus}")
        print(f"  area of each alone: {alone(here)}")
        answerers: dict[str, Scored] = {
            "the plan's weights": plan.probability,
            "without held-out ones": fitted(others, False).probability,
            "with held-out ones": fitted(others, True).probability,
        }
        for name, scored in answerers.items():
            judged(name, scored, here, others, review_below)
    for with_held_out in (False, True):
        found = fitted(rows, with_held_out)
        how = "with" if with_held_out else "without"
        print(f"\nof all, {how} held-out ones: {found.weights.round(2)}, {found.intercept:.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
