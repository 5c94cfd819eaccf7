from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from configs.retrieval import RankedList
from tasks.embedding.lexical.hybrid_scores import combine_sum
from tasks.retrieval.first_stage.exact_search import vector_scores

ROOT_HALF = 0.5**0.5
Pair = tuple[np.ndarray, np.ndarray]


def matrix(*rows: list[float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize(
    ("dense", "lexical", "alpha", "summed"),
    [
        ([1, 0], [0, 1], 0.5, [ROOT_HALF, ROOT_HALF]),
        ([1, 0], [1, 0], 0.5, [1, 0]),
        ([0.6, 0.8], [1, 0], 1.0, [0.6, 0.8]),
        ([0.6, 0.8], [1, 0], 0.0, [1, 0]),
        ([1, 0], [0, 1], 0.8, [0.8 / 0.68**0.5, 0.2 / 0.68**0.5]),
        # p < n: the lexical vector is padded (Eq. 3 with p = min(k, n))
        ([0.6, 0.8], [1], 0.5, [0.8 / 0.8**0.5, 0.4 / 0.8**0.5]),
        # a text without a known word: its lexical vector is zero
        ([0.6, 0.8], [0, 0], 0.5, [0.6, 0.8]),
        ([0, 0], [0, 0], 0.5, [0, 0]),
        # the two cancel out: nothing is left, and nothing is divided by zero
        ([1, 0], [-1, 0], 0.5, [0, 0]),
    ],
)
def test_equation_3(dense: list[float], lexical: list[float], alpha: float, summed: list[float]) -> None:
    np.testing.assert_allclose(combine_sum(matrix(dense), matrix(lexical), alpha)[0], summed, atol=1e-6)


def scores(one: Pair, other: Pair, alpha: float, combine: Literal["sum", "join"]) -> np.ndarray:
    cosines = one[0] @ other[0].T, one[1] @ other[1].T
    return vector_scores(one, other, cosines, RankedList(by="hybrid", alpha=alpha, combine=combine))


def unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 1e-3))


def units(width: int) -> st.SearchStrategy[np.ndarray]:
    floats = st.floats(-1, 1, width=32, allow_subnormal=False)
    return arrays(np.float32, (3, width), elements=floats).map(unit)


@given(units(4), units(4), units(3), units(3), st.floats(0, 1))
def test_join_is_the_product_of_the_two_vectors_side_by_side(
    dense: np.ndarray, dense2: np.ndarray, lexical: np.ndarray, lexical2: np.ndarray, alpha: float
) -> None:
    one, other = (
        np.hstack([np.sqrt(alpha) * d, np.sqrt(1 - alpha) * x]) for d, x in ((dense, lexical), (dense2, lexical2))
    )
    found = scores((dense, lexical), (dense2, lexical2), alpha, "join")
    np.testing.assert_allclose(found, one @ other.T, atol=1e-5)


@given(units(4), units(6), st.floats(0, 1))
def test_sum_gives_unit_vectors(dense: np.ndarray, lexical: np.ndarray, alpha: float) -> None:
    norms = np.linalg.norm(combine_sum(dense, lexical, alpha), axis=1)
    assert all(norm == pytest.approx(1, abs=1e-3) or norm == 0 for norm in norms)


def test_sum_carries_the_cross_terms_that_join_leaves_out() -> None:
    """Two texts that share nothing in either space, but whose dense and lexical vectors happen to be alike."""
    one, other = (matrix([1, 0]), matrix([0, 1])), (matrix([0, 1]), matrix([1, 0]))
    assert scores(one, other, 0.5, "join").item() == pytest.approx(0)
    assert scores(one, other, 0.5, "sum").item() == pytest.approx(1)


def test_no_rows_give_no_rows() -> None:
    empty = np.zeros((0, 4), np.float32), np.zeros((0, 2), np.float32)
    assert combine_sum(*empty, 0.5).shape == (0, 4) and scores(empty, empty, 0.5, "join").shape == (0, 0)
