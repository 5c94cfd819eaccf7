"""Late interaction (ColBERT, Khattab and Zaharia 2020): each token of the question looks for the one that is nearest
to it among those of a chunk, and the chunk scores the mean of what they find.

Each token weighs ``1 + idf`` of the word that it is of, so that what sets a question apart counts for more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def token_weights(spans: Sequence[tuple[int, int]], words: Sequence[tuple[int, int, float]]) -> Matrix:
    """The weight of each token ``(len(spans),)``: 1, and the idf of the word that it is of, or a part of.

    ``spans`` and the first two of each of the ``words`` are characters of the same question, words come with their idf.
    A token of none of them, as a stop word or a full stop is, weighs 1.
    """
    of_words = [max((idf for a, b, idf in words if a < end and begin < b), default=0.0) for begin, end in spans]
    return np.array(of_words, dtype=np.float32) + 1


def max_similarities(vectors: Matrix, weights: Matrix, kept: pa.LargeBinaryArray) -> Matrix:
    """What each chunk scores, from -1 to 1: the weighted mean over the question's tokens of the largest cosine.

    ``vectors`` (t, d) are the unit vectors of at least one token, ``weights`` (t,) theirs; ``kept`` is of each chunk
    its ``(tokens, d)`` int8, row by row. A chunk without a token scores -1.
    """
    codes, lengths = _unpacked(kept, vectors.shape[1])
    best = np.full((len(vectors), len(kept)), -1, dtype=np.float32)
    if len(codes):
        rows = codes.astype(np.float32)
        norms = np.sqrt(np.einsum("td,td->t", rows, rows))
        cosines = (vectors @ rows.T) / np.maximum(norms, 1)
        begins = np.cumsum(lengths) - lengths
        best[:, lengths > 0] = np.maximum.reduceat(cosines, begins[lengths > 0], axis=1)
    scores: Matrix = weights @ best / weights.sum()
    return scores


def _unpacked(kept: pa.LargeBinaryArray, dimensions: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The rows of all chunks one after the other, ``(tokens, dimensions)``, and how many are whose; none is copied."""
    _, ends, raw = kept.buffers()
    if raw is None:
        return np.zeros((0, dimensions), np.int8), np.zeros(len(kept), np.int64)
    offsets = np.frombuffer(ends, np.int64)[kept.offset : kept.offset + len(kept) + 1]
    codes = np.frombuffer(raw, np.int8)[offsets[0] : offsets[-1]].reshape(-1, dimensions)
    return codes, np.diff(offsets) // dimensions
