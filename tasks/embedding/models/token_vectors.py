"""Compact token vectors of texts: fewer dimensions, and 8 bits each.

Late interaction compares the vectors of single tokens, and not only of the whole text (ColBERT, Khattab and Zaharia
2020). The dimensions that are left are those in which the model's own vocabulary varies most, so that they depend on
the model and on no document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.unit_vectors import unit
from tasks.errors import UsageError

Matrix = NDArray[np.float32]
Basis = NDArray[np.float64]
"""``(n, d)``: d orthonormal columns."""

LOGIC_VERSION = "1"
"""Version of the logic: raised whenever the same model would give the same text other stored vectors."""
WORDS_LEARNT_FROM = 4096
_SPACE_MARKS = "▁Ġ"
"""The characters with which the vocabularies of SentencePiece and of byte-level BPE begin a word."""


def words_learnt_from(vocabulary: Iterable[str]) -> list[str]:
    """Words of the vocabulary, evenly spread by alphabet, at most WORDS_LEARNT_FROM;
    a vocabulary without words gives none.
    """
    stripped = (piece.lstrip(_SPACE_MARKS) for piece in vocabulary)
    words = sorted({word for word in stripped if len(word) > 1 and word.isalpha()})
    return words[:: -(-len(words) // WORDS_LEARNT_FROM) or 1]


def fit_basis(states: Sequence[Matrix], dimensions: int) -> Basis:
    """The ``dimensions`` directions with most of the energy of all ``states``, each ``(t, n)``, as ``(n, dimensions)``.

    Raises ValueError where the states have fewer dimensions. Axes of similar energy may swap with another processor's
    rounding; so only the space is taken, and rotated to where it is nearest to fixed axes (cosines). That changes as
    little as the space does, and spreads a vector's length over all numbers that are rounded.
    """
    vectors = unit(np.concatenate(states).astype(np.float64))
    width = vectors.shape[1]
    if dimensions > width:
        raise ValueError(f"token vectors have {width} dimensions")
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    space = axes[:, width - dimensions :]
    fixed = np.cos(np.pi / width * (np.arange(width)[:, None] + 0.5) * np.arange(dimensions))
    left, _, right = np.linalg.svd(space.T @ fixed)
    basis: Basis = space @ (left @ right)
    return basis


def basis_of(model: str, states: Sequence[Matrix], dimensions: int) -> Basis:
    """The basis of :func:`fit_basis` for the token vectors of a model's words.

    Raises UsageError where it has no words, or fewer dimensions.
    """
    if not states:
        raise UsageError(f"the model {model!r} has no words to learn from: leave embedding.token_dimensions out")
    try:
        return fit_basis(states, dimensions)
    except ValueError as error:
        raise UsageError(
            f"embedding.token_dimensions is {dimensions}, and the model {model!r} gives fewer ({error}): set it to as "
            "many or fewer"
        ) from error


def projected(states: Matrix, basis: Basis) -> Matrix:
    """The ``states`` (t, n) projected on ``basis``, as unit vectors ``(t, d)`` float32; no states give no rows."""
    # Double precision costs little beside the model, and hides the order in which a product was summed.
    return np.asarray(unit(states.astype(np.float64) @ basis), dtype=np.float32)


def codes(states: Matrix, basis: Basis) -> bytes:
    """The ``states`` as stored: ``(t, d)`` int8, row by row, each scaled to its own peak; the scales are not stored."""
    return quantized(unit(states.astype(np.float64) @ basis))


def quantized(found: NDArray[np.float64] | Matrix) -> bytes:
    """Projected vectors ``(t, d)`` as :func:`codes` gives them."""
    peaks = np.abs(found).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(127 * found, peaks, out=np.zeros_like(found), where=peaks > 0)
    return bytes(np.rint(scaled).astype(np.int8))
