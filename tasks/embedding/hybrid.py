"""The hybrid of the dense and the lexical space (RAILS, Eq. 3), and the scores that follow from it.

``sum`` is the paper's: ``α·d/|d| + (1−α)·l/|l|`` for questions and chunks alike, compared by cosine. It adds
vectors of two unrelated spaces, so that its dot product carries the cross terms d·l. ``join`` concatenates
``[√α·d, √(1−α)·l]``, whose dot product is exactly ``α·cos(d, d') + (1−α)·cos(l, l')``.

Shapes: dense ``(m, n)``, lexical ``(m, p)`` with any p; rows are unit or zero. Empty inputs give no rows.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def combine_sum(dense: Matrix, lexical: Matrix, alpha: float) -> Matrix:
    """Eq. 3, made unit: ``(m, max(n, p))``; the shorter space is padded with zeros."""
    width = max(dense.shape[1], lexical.shape[1])
    summed = alpha * _padded(dense, width) + (1 - alpha) * _padded(lexical, width)
    norms = np.linalg.norm(summed, axis=1, keepdims=True)
    unit: Matrix = np.divide(summed, norms, out=np.zeros_like(summed), where=norms > 0)
    return unit


def combine_join(dense: Matrix, lexical: Matrix, alpha: float) -> Matrix:
    """The two spaces side by side, ``(m, n + p)``, so that dot products are weighted sums of the two cosines."""
    joined: Matrix = np.hstack([np.sqrt(alpha) * dense, np.sqrt(1 - alpha) * lexical]).astype(np.float32)
    return joined


def hybrid_vectors(dense: Matrix, lexical: Matrix, alpha: float, combine: Literal["sum", "join"]) -> Matrix:
    """The hybrid vectors whose dot products are the plan's scores."""
    return combine_sum(dense, lexical, alpha) if combine == "sum" else combine_join(dense, lexical, alpha)


def _padded(vectors: Matrix, width: int) -> Matrix:
    return np.pad(vectors, ((0, 0), (0, width - vectors.shape[1])))
