"""Unit vectors: rows scaled to length 1."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)


def unit(vectors: NDArray[Float]) -> NDArray[Float]:
    """Scale the rows of ``vectors`` (m, n) to length 1; a row of zeros stays zero, and no rows give none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: NDArray[Float] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return made
