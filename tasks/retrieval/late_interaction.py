"""Late interaction (ColBERT, Khattab and Zaharia 2020): each token of the question looks for the one that is nearest
to it among those of a chunk, and the chunk scores the mean of what they find.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def max_similarities(vectors: Matrix, kept: pa.LargeBinaryArray) -> Matrix:
    """What each chunk scores, from -1 to 1: the mean over the question's tokens of the largest cosine.

    ``vectors`` (t, d) are the unit vectors of at least one token; ``kept`` is of each chunk its ``(tokens, d)`` int8,
    row by row. A chunk without a token scores -1.
    """
    codes, lengths = _unpacked(kept, vectors.shape[1])
    best = np.full((len(vectors), len(kept)), -1, dtype=np.float32)
    if len(codes):
        rows = codes.astype(np.float32)
        norms = np.sqrt(np.einsum("td,td->t", rows, rows))
        cosines = (vectors @ rows.T) / np.maximum(norms, 1)
        begins = np.cumsum(lengths) - lengths
        best[:, lengths > 0] = np.maximum.reduceat(cosines, begins[lengths > 0], axis=1)
    scores: Matrix = best.mean(axis=0)
    return scores


def _unpacked(kept: pa.LargeBinaryArray, dimensions: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The rows of all chunks one after the other, ``(tokens, dimensions)``, and how many are whose; none is copied."""
    _, ends, raw = kept.buffers()
    if raw is None:
        return np.zeros((0, dimensions), np.int8), np.zeros(len(kept), np.int64)
    offsets = np.frombuffer(ends, np.int64)[kept.offset : kept.offset + len(kept) + 1]
    codes = np.frombuffer(raw, np.int8)[offsets[0] : offsets[-1]].reshape(-1, dimensions)
    return codes, np.diff(offsets) // dimensions
