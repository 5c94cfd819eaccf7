from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tasks.embedding.hybrid import combine_join, combine_sum, hybrid_vectors

ROOT_HALF = 0.5**0.5


def matrix(*rows: list[float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize(
    ("dense", "lexical", "alpha", "summed", "joined"),
    [
        ([1, 0], [0, 1], 0.5, [ROOT_HALF, ROOT_HALF], [ROOT_HALF, 0, 0, ROOT_HALF]),
        ([1, 0], [1, 0], 0.5, [1, 0], [ROOT_HALF, 0, ROOT_HALF, 0]),
        ([0.6, 0.8], [1, 0], 1.0, [0.6, 0.8], [0.6, 0.8, 0, 0]),
        ([0.6, 0.8], [1, 0], 0.0, [1, 0], [0, 0, 1, 0]),
        ([1, 0], [0, 1], 0.8, [0.8 / 0.68**0.5, 0.2 / 0.68**0.5], [0.8**0.5, 0, 0, 0.2**0.5]),
        # p < n: the lexical vector is padded (Eq. 3 with p = min(k, n))
        ([0.6, 0.8], [1], 0.5, [0.8 / 0.8**0.5, 0.4 / 0.8**0.5], [0.6 * ROOT_HALF, 0.8 * ROOT_HALF, ROOT_HALF]),
        # a text without a known word: its lexical vector is zero
        ([0.6, 0.8], [0, 0], 0.5, [0.6, 0.8], [0.6 * ROOT_HALF, 0.8 * ROOT_HALF, 0, 0]),
        ([0, 0], [0, 0], 0.5, [0, 0], [0, 0, 0, 0]),
        # the two cancel out: nothing is left, and nothing is divided by zero
        ([1, 0], [-1, 0], 0.5, [0, 0], [ROOT_HALF, 0, -ROOT_HALF, 0]),
    ],
)
def test_equation_3(
    dense: list[float], lexical: list[float], alpha: float, summed: list[float], joined: list[float]
) -> None:
    d, x = matrix(dense), matrix(lexical)
    np.testing.assert_allclose(combine_sum(d, x, alpha)[0], summed, atol=1e-6)
    np.testing.assert_allclose(combine_join(d, x, alpha)[0], joined, atol=1e-6)
    np.testing.assert_array_equal(hybrid_vectors(d, x, alpha, "sum"), combine_sum(d, x, alpha))
    np.testing.assert_array_equal(hybrid_vectors(d, x, alpha, "join"), combine_join(d, x, alpha))


def unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 1e-3))


def units(width: int) -> st.SearchStrategy[np.ndarray]:
    floats = st.floats(-1, 1, width=32, allow_subnormal=False)
    return arrays(np.float32, (3, width), elements=floats).map(unit)


@given(units(4), units(4), units(3), units(3), st.floats(0, 1))
def test_join_is_the_weighted_sum_of_the_two_cosines(
    dense: np.ndarray, dense2: np.ndarray, lexical: np.ndarray, lexical2: np.ndarray, alpha: float
) -> None:
    joined = combine_join(dense, lexical, alpha) @ combine_join(dense2, lexical2, alpha).T
    np.testing.assert_allclose(joined, alpha * dense @ dense2.T + (1 - alpha) * lexical @ lexical2.T, atol=1e-5)


@given(units(4), units(6), st.floats(0, 1))
def test_sum_gives_unit_vectors(dense: np.ndarray, lexical: np.ndarray, alpha: float) -> None:
    norms = np.linalg.norm(combine_sum(dense, lexical, alpha), axis=1)
    assert all(norm == pytest.approx(1, abs=1e-3) or norm == 0 for norm in norms)


def test_sum_carries_the_cross_terms_that_join_leaves_out() -> None:
    """Two texts that share nothing in either space, but whose dense and lexical vectors happen to be alike."""
    one, other = (matrix([1, 0]), matrix([0, 1])), (matrix([0, 1]), matrix([1, 0]))
    assert (combine_join(*one, 0.5) @ combine_join(*other, 0.5).T).item() == pytest.approx(0)
    assert (combine_sum(*one, 0.5) @ combine_sum(*other, 0.5).T).item() == pytest.approx(1)


def test_no_rows_give_no_rows() -> None:
    empty = np.zeros((0, 4), np.float32), np.zeros((0, 2), np.float32)
    assert combine_sum(*empty, 0.5).shape == (0, 4) and combine_join(*empty, 0.5).shape == (0, 6)
