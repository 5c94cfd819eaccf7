"""The hybrid of the dense and the lexical space (RAILS, Eq. 3), and the scores that follow from it.

``sum`` is the paper's: ``α·d/|d| + (1−α)·l/|l|`` for questions and chunks alike, compared by cosine. It adds
vectors of two unrelated spaces, so that its dot product carries the cross terms d·l. ``join`` leaves them out: the dot
product of the concatenated ``[√α·d, √(1−α)·l]`` is exactly ``α·cos(d, d') + (1−α)·cos(l, l')``, and is reckoned as
such (:func:`tasks.retrieval.first_stage.exact_search.vector_scores`), so that no third vector is kept.

Shapes: dense ``(m, n)``, lexical ``(m, p)`` with any p; rows are unit or zero. Empty inputs give no rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.unit_vectors import unit

Matrix = NDArray[np.float32]


def combine_sum(dense: Matrix, lexical: Matrix, alpha: float) -> Matrix:
    """The normalized weighted sum of Eq. 3, ``(m, max(n, p))``; the shorter space is padded with zeros."""
    width = max(dense.shape[1], lexical.shape[1])
    summed = alpha * _padded(dense, width) + (1 - alpha) * _padded(lexical, width)
    return unit(summed)


def _padded(vectors: Matrix, width: int) -> Matrix:
    return np.pad(vectors, ((0, 0), (0, width - vectors.shape[1])))
