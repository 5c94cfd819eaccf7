"""Ranking metrics: success@k, recall@k, reciprocal rank and nDCG@k, with binary relevance.

``ranked`` is what was found, best first, and ``relevant`` what should have been found. A repeated item keeps its first
rank and gains nothing more. Without relevant items every figure is None: the question is unscored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence


def first_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> int | None:
    """The 1-based rank of the first relevant item, None if none of the first ``k`` is."""
    return next((rank for rank, found in enumerate(ranked[:k], start=1) if found in relevant), None)


def success(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """success@k: 1 if any relevant item is among the first ``k``, else 0.

    If one page answers each question, as in Finardi et al. 2024, whose R@k this is, it is recall@k.
    """
    return float(first_rank(ranked, relevant, k) is not None) if relevant else None


def recall(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """recall@k: the share of the relevant items that is among the first ``k``."""
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant)) if relevant else None


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """Reciprocal rank of the first relevant item, 0 if none of the first ``k`` is; its mean is MRR@k."""
    rank = first_rank(ranked, relevant, k)
    return (1 / rank if rank else 0.0) if relevant else None


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """nDCG@k: the gain of the relevant items, discounted by log2(rank + 1), over the gain if all of them come first.

    Each relevant item gains 1 at its first rank. After Järvelin and Kekäläinen (2002).
    """
    if not relevant:
        return None
    at: dict[Hashable, int] = {}
    for rank, found in enumerate(ranked[:k], start=1):
        at.setdefault(found, rank)
    wanted = set(relevant)
    best = sum(map(_discount, range(1, min(len(wanted), k) + 1)))
    return sum(_discount(rank) for found, rank in at.items() if found in wanted) / best


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)
