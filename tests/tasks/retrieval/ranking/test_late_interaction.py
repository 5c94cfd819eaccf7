from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tasks.retrieval.ranking.late_interaction import best_matches, with_neighbours


def kept(*chunks: list[list[int]]) -> pa.LargeBinaryArray:
    return pa.array([np.array(chunk, np.int8).tobytes() for chunk in chunks], pa.large_binary())


def test_a_worked_example() -> None:
    """The first token finds 1 in the first chunk and .8 in the second, the second .6 and 1."""
    question = np.array([[1, 0], [0.6, 0.8]], np.float32)
    chunks = kept([[127, 0], [0, -127]], [[80, 60], [60, 80], [-127, 0]], [])
    found = best_matches(question, chunks).mean(axis=0)
    np.testing.assert_allclose(found, [(1 + 0.6) / 2, (0.8 + 1) / 2, -1], atol=1e-6)


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(1, 3), st.integers(0, 3))
def test_any_chunks_beside_a_loop(lengths: list[int], tokens: int, skipped: int) -> None:
    draw = np.random.default_rng(len(lengths) * 7 + tokens)
    chunks = [draw.integers(-127, 128, (length, 8)).astype(np.int8) for length in lengths]
    question = draw.standard_normal((tokens, 8)).astype(np.float32)
    question /= np.linalg.norm(question, axis=1, keepdims=True)
    wanted = [
        sum(
            max((float(row @ token / np.linalg.norm(row)) for row in chunk.astype(float)), default=-1)
            for token in question
        )
        / tokens
        for chunk in chunks[skipped:]
    ]
    column = pa.array([chunk.tobytes() for chunk in chunks], pa.large_binary())
    np.testing.assert_allclose(best_matches(question, column[skipped:]).mean(axis=0), wanted, atol=1e-5)


def test_what_a_neighbour_finds_counts_for_its_share() -> None:
    """The first two are one after the other in one document: together they find 1 and 1, each alone 1 and 0."""
    best = np.array([[1, 0, 0.5, 0.5], [0, 1, 0.5, 0.5]], np.float32)
    places = [("policy", 7), ("policy", 8), ("manual", 9), None]
    np.testing.assert_allclose(with_neighbours(best, places, 0.0), [0.5, 0.5, 0.5, 0.5])
    np.testing.assert_allclose(with_neighbours(best, places, 0.2), [0.6, 0.6, 0.5, 0.5])


def test_what_is_two_chunks_away_or_a_row_of_a_sheet_is_no_neighbour() -> None:
    best = np.array([[1, 0, 0]], np.float32)
    np.testing.assert_allclose(with_neighbours(best, [("policy", 1), ("policy", 3), None], 0.5), [1, 0, 0])
    np.testing.assert_allclose(with_neighbours(best, [None, None, None], 0.5), [1, 0, 0])
    assert with_neighbours(best[:, :0], [], 0.5).shape == (0,)
