"""Figures of declines, over questions asked with the documents that answer them and without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RESAMPLES, FOLDS, SEEDS = 2000, 10, 5
KEPT = (0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question of a gold set, once asked: ``held_out`` are the documents that were not there; ``a_twin_stays`` where
    a document about another thing of the same kind still was.

    ``signals`` are support, relevance and known words. ``confidence`` is 0 without a draft. ``cites_right_page`` is
    None where nothing is cited, and where the right page is not there.
    """

    gold_set: str
    corpus: str
    question_id: str
    question: str
    cluster: str
    held_out: tuple[str, ...]
    is_answerable: bool
    signals: tuple[float, ...]
    confidence: float
    status: str
    cites_right_page: bool | None
    known_answer: str
    verdict: str | None
    true_verdict: str | None
    asks_yes_no: bool
    quotes: tuple[tuple[str, int | None, str], ...]
    a_twin_stays: bool = False


def below(scores: Floats, threshold: float) -> float:
    """The share of scores below; nan of none."""
    return float((scores < threshold).mean()) if len(scores) else float("nan")


def keeping(scores: Floats, share: float) -> float:
    """The threshold that keeps at least that share of the scores at or above it."""
    return float(np.quantile(scores, 1 - share, method="lower"))


def separation(answerable: Floats, unanswerable: Floats) -> float:
    """The area under the ROC curve: how often an answerable question scores more than an unanswerable one; nan where
    there are none of either.
    """
    if not len(answerable) or not len(unanswerable):
        return float("nan")
    differences = answerable[:, None] - unanswerable
    return float((differences > 0).mean() + (differences == 0).mean() / 2)


def interval(
    clusters: Sequence[str], figure: Callable[[NDArray[np.int64]], float], resamples: int = RESAMPLES
) -> tuple[float, float]:
    """95% of what ``figure`` is over the questions of clusters that are drawn anew, given as indices of ``clusters``.

    Draws for which it is undefined are left out; two nan where it is undefined, or fewer than two clusters are there.
    """
    names = sorted(set(clusters))
    if len(names) < 2 or np.isnan(figure(np.arange(len(clusters)))):
        return float("nan"), float("nan")
    labels = np.array(clusters)
    members = [np.flatnonzero(labels == name) for name in names]
    draw = np.random.default_rng(0)
    found = [
        figure(np.concatenate([members[at] for at in draw.integers(len(members), size=len(members))]))
        for _ in range(resamples)
    ]
    low, high = np.nanquantile(found, [0.025, 0.975])
    return float(low), float(high)


def questions_left_out(answerable: Floats, share: float, others: Floats) -> tuple[Floats, Floats]:
    """How often each answerable and each other question is below the threshold that keeps ``share`` of the answerable
    ones of nine tenths of the set, over SEEDS ways to part it: of the answerable ones only those of the other tenth are
    judged.
    """
    mine, its = np.zeros(len(answerable)), np.zeros(len(others))
    for seed in range(SEEDS):
        folds = np.random.default_rng(seed).permutation(len(answerable)) % FOLDS
        for fold in range(FOLDS):
            threshold = keeping(answerable[folds != fold], share)
            mine[folds == fold] += (answerable[folds == fold] < threshold) / SEEDS
            its += (others < threshold) / SEEDS / FOLDS
    return mine, its


def shown(value: float, bounds: tuple[float, float] = (float("nan"), float("nan"))) -> str:
    """A figure with its interval, where it has one."""
    return f"{value:.3f}" if np.isnan(bounds[0]) else f"{value:.3f} ({bounds[0]:.3f} to {bounds[1]:.3f})"


def report(found: Sequence[Asking], threshold: float) -> None:
    """Prints the figures of each gold set and of all."""
    scores = np.array([one.confidence for one in found])
    sets = list(dict.fromkeys(one.gold_set for one in found))
    for name in [*sets, "all"]:
        report_set(name, [one for one in found if name in (one.gold_set, "all")], found, threshold)
    print(f"\n{len(scores)} askings, {sum(len(one.quotes) for one in found)} quotes")


def report_set(name: str, some: Sequence[Asking], everything: Sequence[Asking], threshold: float) -> None:
    """Prints the figures of one gold set; thresholds of other corpora are those of all sets of ``everything``."""
    scores = np.array([one.confidence for one in some])
    clusters = [one.cluster for one in some]
    away = {(one.gold_set, one.question_id) for one in some if one.held_out}
    kinds: Mapping[str, Bools] = {
        "there": np.array([one.is_answerable and (one.gold_set, one.question_id) in away for one in some]),
        "held out": np.array([bool(one.held_out) and not one.a_twin_stays for one in some]),
        "held out but for a twin": np.array([one.a_twin_stays for one in some]),
        "of the set": np.array([not one.is_answerable and not one.held_out for one in some]),
    }
    there = kinds["there"]
    counts = ", ".join(f"{int(kind.sum())} {what}" for what, kind in kinds.items())
    print(f"\n{name}: {counts}; {len({c for c, k in zip(clusters, there, strict=True) if k})} documents")

    def rate(declined: Floats, kind: Bools) -> str:
        def figure(at: NDArray[np.int64]) -> float:
            chosen = declined[at][kind[at]]
            return float(chosen.mean()) if len(chosen) else float("nan")

        return shown(float(declined[kind].mean()), interval(clusters, figure)) if kind.any() else "none"

    def told_of(declined: Floats) -> str:
        return "; ".join(f"{what} {rate(declined, kind)}" for what, kind in kinds.items() if kind.any())

    by_plan = np.array([one.status in ("declined", "failed") for one in some], float)
    print(
        f"  declined by the plan, {threshold}: {'; '.join(f'{what} {rate(by_plan, k)}' for what, k in kinds.items())}"
    )
    corpora = {one.corpus for one in some}
    for share in KEPT:
        declined = np.zeros(len(some))
        for corpus in corpora:
            others = [one for one in everything if one.corpus != corpus and one.is_answerable]
            of = np.array([one.corpus == corpus for one in some])
            if others:
                declined[of] = scores[of] < keeping(np.array([one.confidence for one in others]), share)
        print(f"  where {share:.0%} of other corpora's are kept: {told_of(declined)}")
        declined = np.zeros(len(some))
        for gold_set in {one.gold_set for one in some}:
            of = np.array([one.gold_set == gold_set for one in some])
            declined[of & there], declined[of & ~there] = questions_left_out(
                scores[of & there], share, scores[of & ~there]
            )
        print(f"  where {share:.0%} of the set's are kept, a tenth left out: {told_of(declined)}")
    for what, kind in kinds.items():
        if what == "there" or not kind.any():
            continue

        def area(at: NDArray[np.int64], kind: Bools = kind) -> float:
            return separation(scores[at][there[at]], scores[at][kind[at]])

        everyone = np.arange(len(some))
        print(f"  area under the curve, {what}: {shown(area(everyone), interval(clusters, area))}")
    cited = np.array([one.is_answerable and one.cites_right_page is not None for one in some])
    right = np.array([bool(one.cites_right_page) for one in some], float)
    print(f"  of {int(cited.sum())} drafts, citation_page_precision {rate(right, cited)}")
    asked = [one for one in some if one.held_out and one.asks_yes_no]
    if asked:
        yes = sum(one.verdict == "yes" for one in asked)
        print(f"  of {len(asked)} yes/no questions without what answers them, answered yes: {yes}")
