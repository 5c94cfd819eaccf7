"""The truncated SVD by blocks of rows, beside NumPy's exact one and scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_matrix
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from tasks.embedding.lexical.truncated_svd import PASSES, principal_axes


def by_blocks(matrix: NDArray[np.float32] | csr_matrix, rows: int) -> Callable[[], list[csr_matrix]]:
    whole = csr_matrix(matrix)
    return lambda: [whole[begin : begin + rows] for begin in range(0, whole.shape[0], rows)]


def of_rank(rank: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    draw = np.random.default_rng(rank)
    left, right = draw.normal(size=(shape[0], rank)), draw.normal(size=(rank, shape[1]))
    return np.asarray(left @ right, dtype=np.float32)


@pytest.mark.parametrize(
    ("rank", "shape", "components", "expected"),
    [
        (12, (60, 40), 5, 5),
        (5, (60, 40), 12, 5),
        (5, (5, 40), 12, 5),
        (3, (40, 3), 12, 3),
        (1, (1, 7), 4, 1),
        (0, (6, 3), 2, 0),
        (0, (0, 3), 2, 0),
    ],
    ids=["leading", "rank", "few rows", "few columns", "one row", "zeros", "no rows"],
)
def test_axes_are_the_right_singular_vectors(rank: int, shape: tuple[int, int], components: int, expected: int) -> None:
    matrix = of_rank(rank, shape)
    axes = principal_axes(by_blocks(matrix, 7), shape[1], components, seed=0)
    assert axes.shape == (shape[1], expected) and axes.dtype == np.float32
    exact = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)[2][:expected]
    np.testing.assert_allclose(np.abs(np.sum(exact.T * axes, axis=0)), 1, atol=1e-4)
    peaks = axes[np.abs(axes).argmax(axis=0), np.arange(expected)]
    assert (peaks > 0).all()


def text_like(rows: int, width: int) -> csr_matrix:
    """Sparse rows with common columns and rare ones, as counts of words are."""
    draw = np.random.default_rng(0)
    matrix = random_matrix(rows, width, density=0.02, format="csr", random_state=1, dtype=np.float32)
    return csr_matrix(matrix.multiply(1 / np.sqrt(1 + draw.permutation(width))), dtype=np.float32)


def test_as_much_is_kept_as_by_scikit_learn_in_half_the_looks() -> None:
    matrix = text_like(1500, 900)
    reference = TruncatedSVD(48, n_iter=5, random_state=0).fit(matrix).components_.T
    looks = 0

    def blocks() -> Iterator[csr_matrix]:
        nonlocal looks
        looks += 1
        yield from by_blocks(matrix, 128)()

    axes = principal_axes(blocks, 900, 48, seed=0)
    assert looks == PASSES
    kept, expected = (np.square(matrix @ found).sum() for found in (axes, reference))
    assert kept > 0.99 * expected


def test_the_same_blocks_give_the_same_bits_and_other_blocks_nearly_the_same() -> None:
    matrix = text_like(400, 300)
    first, again = (principal_axes(by_blocks(matrix, 64), 300, 16, seed=0) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(principal_axes(by_blocks(matrix, 50), 300, 16, seed=0), first, atol=1e-3)


def test_threads_of_products_change_no_bit() -> None:
    matrix = random_matrix(600, 900, 0.02, "csr", np.float32, random_state=1)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(principal_axes(by_blocks(matrix, 256), 900, 128, seed=0))
    alone, both = found
    assert np.array_equal(alone, both)
