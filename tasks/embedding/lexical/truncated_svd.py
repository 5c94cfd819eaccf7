"""Truncated SVD of a matrix too large for memory: blocks of its rows are read anew in each pass.

Subspace iteration on AᵀA, so that a pass is one look at each block (a power step of Halko, Martinsson and Tropp 2011,
which scikit-learn's ``randomized_svd`` makes in two looks). The last pass serves twice: as a step and, by Nyström's
approximation of AᵀA, as the projection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from tasks.embedding.models.threads import one_thread_a_product

Matrix = NDArray[np.float32]
Blocks = Callable[[], Iterable[csr_matrix]]
"""Function that gives the blocks of rows, the same in each pass."""

PASSES = 3
_EXTRA = 0.4
"""The share of extra directions beyond the requested number.

With them three passes are as good as five with ten more directions (Halko et al., section 4.2), for less.
"""
_LEAST_EXTRA = 32
"""The least number of extra directions, for small requests."""
_LANES = 2
"""The number of blocks that are summed in parallel, whatever the number of processors.

Each lane has a fixed part of the blocks, so that the result does not depend on the order of threads. Each takes as much
memory as the basis.
"""
_LEAST = 1e-6
"""The least share of the largest energy; directions with less are rounding errors of float32."""


def principal_axes(blocks: Blocks, width: int, components: int, seed: int) -> Matrix:
    """The leading right singular vectors of the rows of ``blocks``, ``(width, p)`` float32, the largest first.

    p is ``components``, or the rank where that is less: no rows, or nothing but zeros, give ``(width, 0)``. The first
    entry of the largest magnitude in each vector is positive. The numbers of cores and of threads change no bit of it.
    """
    with one_thread_a_product():
        return _principal_axes(blocks, width, components, seed)


def _principal_axes(blocks: Blocks, width: int, components: int, seed: int) -> Matrix:
    searched = min(components + max(_LEAST_EXTRA, math.ceil(_EXTRA * components)), width)
    start = np.random.default_rng(seed).standard_normal((width, searched))
    basis = _orthonormal(start.astype(np.float32))
    for _ in range(PASSES - 1):
        image = _multiplied(blocks(), basis)
        # Each direction has grown by its own energy; divided by it, the Gram matrix is well conditioned in float32.
        energy, turn = _leading(basis.T @ image)
        basis = _orthonormal(image @ (turn / energy).astype(np.float32))
    image = _multiplied(blocks(), basis)
    energy, turn = _leading(basis.T @ image)
    axes = _orthonormal(image @ (turn / np.sqrt(energy)).astype(np.float32))[:, :components]
    peaks = np.take_along_axis(axes, np.abs(axes).argmax(axis=0, keepdims=True), axis=0) if axes.size else axes
    return np.ascontiguousarray(axes * np.sign(peaks), dtype=np.float32)


def _multiplied(blocks: Iterable[csr_matrix], basis: Matrix) -> Matrix:
    """``AᵀA basis`` for the rows A of all ``blocks``."""
    total = np.zeros((_LANES, *basis.shape), dtype=np.float32)

    def add(lane: int, block: csr_matrix) -> None:
        total[lane] += block.T @ (block @ basis)

    left = iter(blocks)
    with ThreadPoolExecutor(_LANES) as threads:
        # The next blocks are read when these are done: no more blocks than lanes are in memory at any time.
        while some := list(islice(left, _LANES)):
            list(threads.map(add, range(_LANES), some))
    return np.asarray(total.sum(axis=0))


def _orthonormal(vectors: Matrix) -> Matrix:
    """The left singular vectors of ``vectors``, the largest first, by their Gram matrix."""
    energy, turn = _leading(vectors.T @ vectors)
    return vectors @ (turn / np.sqrt(energy)).astype(np.float32)


def _leading(gram: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The eigenvalues of a symmetric matrix above rounding error, the largest first, and their eigenvectors."""
    values, vectors = np.linalg.eigh((gram + gram.T).astype(np.float64) / 2)
    kept = values > _LEAST * max(values[-1], 0.0) if len(values) else np.zeros(0, bool)
    return values[kept][::-1], vectors[:, kept][:, ::-1]
