"""Unit vectors: rows scaled to length 1."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Float = TypeVar("Float", np.float32, np.float64)


def unit(vectors: NDArray[Float]) -> NDArray[Float]:
    """Scale the rows of ``vectors`` (m, n) to length 1; a row of zeros stays zero, and no rows give none."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: NDArray[Float] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return made


def unit_rows(rows: csr_matrix) -> csr_matrix:
    """The rows (m, n) scaled to length 1, as by :func:`unit`. Lengths are summed in double precision."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).astype(np.float64).sum(axis=1))).ravel()
    scaled = rows.copy()
    scaled.data = (rows.data / np.repeat(np.where(lengths > 0, lengths, 1), np.diff(rows.indptr))).astype(rows.dtype)
    return scaled
