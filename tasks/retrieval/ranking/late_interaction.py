"""Late interaction (ColBERT, Khattab and Zaharia 2020): scores from the best match of each question token in a chunk.

The chunk's score is the mean of these matches. Where an answer goes on in the next chunk, its neighbours count too:
that is our addition.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Place = tuple[Hashable, int]
"""The group that a chunk belongs to, and its number in it."""


def best_matches(vectors: Matrix, kept: pa.LargeBinaryArray) -> Matrix:
    """The largest cosine of each question token in each chunk, ``(t, chunks)``;
    ColBERT scores the mean over the tokens.

    ``vectors`` (t, d) are the unit vectors of at least one token. ``kept`` holds each chunk's ``(tokens, d)`` int8, row
    by row. A chunk without a token gives -1.
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
    """The score of each chunk, from -1 to 1, where its neighbours' tokens count for ``share`` of it.

    ``best`` (t, m) is from :func:`best_matches`. ``places`` has the place of each of the m chunks, or None for a chunk
    that stands alone. Neighbours are those of the m chunks that stand next to it.
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
    """The token vectors of all chunks in sequence, ``(tokens, dimensions)``, and the number of each chunk's;
    none is copied.
    """
    _, ends, raw = kept.buffers()
    if raw is None:
        return np.zeros((0, dimensions), np.int8), np.zeros(len(kept), np.int64)
    offsets = np.frombuffer(ends, np.int64)[kept.offset : kept.offset + len(kept) + 1]
    codes = np.frombuffer(raw, np.int8)[offsets[0] : offsets[-1]].reshape(-1, dimensions)
    return codes, np.diff(offsets) // dimensions
