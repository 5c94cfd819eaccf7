from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tasks.retrieval.late_interaction import max_similarities


def kept(*chunks: list[list[int]]) -> pa.LargeBinaryArray:
    return pa.array([np.array(chunk, np.int8).tobytes() for chunk in chunks], pa.large_binary())


def test_a_worked_example() -> None:
    """The first token finds 1 in the first chunk and .8 in the second, the second .6 and 1."""
    question = np.array([[1, 0], [0.6, 0.8]], np.float32)
    chunks = kept([[127, 0], [0, -127]], [[80, 60], [60, 80], [-127, 0]], [])
    found = max_similarities(question, chunks)
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
    np.testing.assert_allclose(max_similarities(question, column[skipped:]), wanted, atol=1e-5)
