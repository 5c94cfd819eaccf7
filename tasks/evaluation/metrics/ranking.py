"""What a ranking is worth, by where in it stands what is relevant.

``ranked`` is what was found, best first, and ``relevant`` what should have been. A thing that comes again keeps its
rank and gains nothing more. Of nothing relevant every figure is None: the question is unscored. Relevance is yes or no.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence


def first_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> int | None:
    """The 1-based rank of the first relevant one, None where none of the first ``k`` is."""
    return next((rank for rank, found in enumerate(ranked[:k], start=1) if found in relevant), None)


def success(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """success@k: 1 where any relevant one is among the first ``k``, else 0.

    Where one page answers each question, as in Finardi et al. 2024, whose R@k this is, it is recall@k.
    """
    return float(first_rank(ranked, relevant, k) is not None) if relevant else None


def recall(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """recall@k: the share of the relevant ones that is among the first ``k``."""
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant)) if relevant else None


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """1 over the rank of the first relevant one, 0 where none of the first ``k`` is; its mean is MRR@k."""
    rank = first_rank(ranked, relevant, k)
    return (1 / rank if rank else 0.0) if relevant else None


def ndcg(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float | None:
    """nDCG@k: each relevant one gains 1 where it first stands, discounted by log2(rank + 1), over what they gain if all
    of them come first.

    After Järvelin and Kekäläinen (2002).
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
