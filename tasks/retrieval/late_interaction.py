"""Late interaction (ColBERT, Khattab and Zaharia 2020): each token of the question looks for the one that is nearest
to it among those of a chunk, and the chunk scores the mean of what they find. Where an answer goes on in the next
chunk, its neighbours count too: that is ours.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Place = tuple[Hashable, int]
"""What a chunk is one of, and its number there."""


def best_matches(vectors: Matrix, kept: pa.LargeBinaryArray) -> Matrix:
    """The largest cosine that each token of the question finds in each chunk, ``(t, chunks)``; their mean over the
    tokens is what ColBERT scores.

    ``vectors`` (t, d) are the unit vectors of at least one token; ``kept`` is of each chunk its ``(tokens, d)`` int8,
    row by row. In a chunk without a token it is -1.
    """
    codes, lengths = _unpacked(kept, vectors.shape[1])
    best = np.full((len(vectors), len(kept)), -1, dtype=np.float32)
    if len(codes):
        rows = codes.astype(np.float32)
        norms = np.sqrt(np.einsum("td,td->t", rows, rows))
        cosines = (vectors @ rows.T) / np.maximum(norms, 1)
        begins = np.cumsum(lengths) - lengths
        best[:, lengths > 0] = np.maximum.reduceat(cosines, begins[lengths > 0], axis=1)
    return best


def with_neighbours(best: Matrix, places: Sequence[Place | None], share: float) -> Matrix:
    """What each chunk scores, from -1 to 1, of which ``share`` is what its tokens and its neighbours' find together.

    ``best`` (t, m) is of :func:`best_matches`; of each of the m chunks, ``places`` has where it stands, or None
    where it stands alone. Neighbours are those of the m that stand next to it.
    """
    own: Matrix = best.mean(axis=0)
    if not share:
        return own
    column_at = {place: column for column, place in enumerate(places) if place is not None}
    widened = best
    for step in (-1, 1):
        beside = [
            column if p is None else column_at.get((p[0], p[1] + step), column) for column, p in enumerate(places)
        ]
        widened = np.maximum(widened, best[:, beside])
    found: Matrix = (1 - share) * own + share * widened.mean(axis=0)
    return found


def _unpacked(kept: pa.LargeBinaryArray, dimensions: int) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The rows of all chunks one after the other, ``(tokens, dimensions)``, and how many are whose; none is copied."""
    _, ends, raw = kept.buffers()
    if raw is None:
        return np.zeros((0, dimensions), np.int8), np.zeros(len(kept), np.int64)
    offsets = np.frombuffer(ends, np.int64)[kept.offset : kept.offset + len(kept) + 1]
    codes = np.frombuffer(raw, np.int8)[offsets[0] : offsets[-1]].reshape(-1, dimensions)
    return codes, np.diff(offsets) // dimensions
