"""Fusion of a plan's ranked lists to one ranking: by scaled scores, by reciprocal ranks, or by turns (round robin).

Every matrix is ``(questions, chunks)``. A chunk that no list proposes has the score minus infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from configs.retrieval import RankedList, Retrieval

Matrix = NDArray[np.float32]
Spread = tuple[Matrix, Matrix]
"""The mean and the peak of a list for each question, ``(questions, 1)`` both."""
LEAST_PEAK = 1e-5
"""The least distance of the best score from the mean, over the mean: less is the rounding of scores that are equal."""
_GROUP = 64
"""The size of the groups of scores of which only the best is compared with other groups."""
_GROUPS_A_PLACE = 4
"""The least number of groups for each wanted place: with fewer, more unwanted scores would pass."""


def takes_spreads(plan: Retrieval) -> bool:
    """Tell if :func:`fused` scales the plan's lists, and so needs their means and peaks."""
    return plan.fusion == "scaled" and len(plan.lists) > 1


def fused(lists: Sequence[Matrix], plan: Retrieval, spreads: Sequence[Spread | None] = ()) -> Matrix:
    """Fuse the lists of a plan to the scores that it ranks by, ``(questions, chunks)``.

    ``lists`` are the scores of the plan's lists, at least one, in their order. Their ``spreads`` are needed where the
    matrices do not cover all chunks and the plan scales them. Where words are all that is searched, a chunk without any
    of the question's words is on no list.
    """
    if plan.fusion == "turns":
        ranked = [rankings(each, listed) for each, listed in zip(lists, plan.lists, strict=True)]
        return np.stack([in_turn(of_question, lists[0].shape[1]) for of_question in zip(*ranked, strict=True)])
    if plan.fusion == "rrf":
        shares = [reciprocal_ranks(each, listed, plan.rrf_k) for each, listed in zip(lists, plan.lists, strict=True)]
        total: Matrix = np.sum(shares, axis=0, dtype=np.float32)
        found: Matrix = np.where(total > 0, total, np.float32(-np.inf))
        return found
    if len(lists) == 1:
        (alone,) = lists
        return np.where(alone > 0, alone, np.float32(-np.inf)) if plan.lists[0].by == "bm25" else alone
    known = spreads or [None] * len(lists)
    total = np.zeros_like(lists[0])
    for listed, each, spread in zip(plan.lists, lists, known, strict=True):
        total += np.float32(listed.weight) * peak_scaled(each, spread)
    return total


def of_cosines(cosines: tuple[Matrix, Matrix], listed: RankedList) -> Matrix:
    """The scores of a list that ranks by the dense cosine, the lexical one, or both (``join``)."""
    dense, lexical = cosines
    if listed.by == "hybrid":
        return listed.alpha * dense + (1 - listed.alpha) * lexical
    return dense if listed.by == "dense" else lexical


def reciprocal_ranks(scores: Matrix, listed: RankedList, k: int) -> Matrix:
    """The reciprocal-rank score of each chunk on a list: its weight over k plus the rank,
    and 0 beyond the list's count.

    After Cormack, Clarke and Büttcher (2009).
    """
    given = np.zeros(scores.shape, np.float32)
    for row, best in enumerate(rankings(scores, listed)):
        given[row, best] = listed.weight / (k + np.arange(1, len(best) + 1))
    return given


def rankings(scores: Matrix, listed: RankedList) -> list[list[int]]:
    """The positions on the list for each question, best first.

    A chunk without a word of the question is on no list of words.
    """
    least = 0.0 if listed.by in ("bm25", "lexical") else -np.inf
    return [best_above(row, listed.count or len(row), least) for row in scores]


def in_turn(ranked: Sequence[Sequence[int]], chunks: int) -> NDArray[np.float32]:
    """Round-robin scores ``(chunks,)``: the first of each ranking, in the order of the rankings,
    then the second of each.

    A chunk that is in several rankings stands where it comes up first.
    """
    places = np.full(chunks, np.inf)
    for turn, best in enumerate(ranked):
        at = np.asarray(best, np.int64)
        places[at] = np.minimum(places[at], turn + len(ranked) * np.arange(len(best)))
    given: NDArray[np.float32] = np.where(places < np.inf, 1 / (1 + places), -np.inf).astype(np.float32)
    return given


def spread_of(scores: Matrix) -> Spread:
    """The mean and the peak of each question's scores over all chunks, at least one."""
    means: Matrix = scores.mean(axis=1, keepdims=True, dtype=np.float64)
    peaks: Matrix = scores.max(axis=1, keepdims=True)
    return means, peaks


def peak_scaled(scores: Matrix, spread: Spread | None = None) -> Matrix:
    """Each row shifted to mean 0 and scaled to a maximum of 1, so that unlike scores can be added.

    A row in which nothing stands out (all equal) becomes 0. The ``spread`` is computed from ``scores`` where none is
    given.
    """
    means, highest = spread or spread_of(scores)
    peaks = highest.astype(np.float64) - means
    stands_out = peaks > LEAST_PEAK * np.maximum(np.abs(means), LEAST_PEAK)
    # The scores themselves stay as they are: of a large corpus twice as many bytes take twice as long.
    scales = np.divide(1, peaks, out=np.zeros_like(peaks), where=stands_out).astype(np.float32)
    scaled: Matrix = scores - means.astype(np.float32)
    scaled[~stands_out.any(axis=1)] = 0
    scaled *= scales
    return scaled


def best_first(scores: NDArray[np.float32], count: int) -> list[int]:
    """The positions of the ``count`` best of ``scores``, best first; of equals, the earlier. All where there are fewer.

    Sorting all of them would take longer than the product that gave them.
    """
    total = len(scores)
    if count >= total:
        return cast(list[int], np.argsort(-scores, kind="stable").tolist())
    # The best of ``count`` groups give a lower bound for the wanted scores, in a tenth of the time of a full partition.
    groups = max(_GROUPS_A_PLACE * count, total // _GROUP)
    peaks = scores[: total - total % groups].reshape(-1, groups).max(axis=0) if groups < total else scores
    least = np.partition(peaks, len(peaks) - count)[len(peaks) - count]
    candidates = np.flatnonzero(scores >= least)
    ranked = candidates[np.argsort(-scores[candidates], kind="stable")][:count]
    return cast(list[int], ranked.tolist())


def best_above(scores: NDArray[np.float32], count: int, least: float = -np.inf) -> list[int]:
    """The positions of :func:`best_first` that score more than ``least``; without ``least``,
    all chunks that were found.
    """
    best = np.asarray(best_first(scores, count), np.int64)
    return cast(list[int], best[scores[best] > least].tolist())
