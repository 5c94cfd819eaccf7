from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.retrieval.late_interaction import max_similarities, token_weights
from tests.tasks.made import bm25_weights


def kept(*chunks: list[list[int]]) -> pa.LargeBinaryArray:
    return pa.array([np.array(chunk, np.int8).tobytes() for chunk in chunks], pa.large_binary())


def test_a_worked_example() -> None:
    """The first token finds 1 in the first chunk and .8 in the second, the second .6 and 1; the first weighs three."""
    question = np.array([[1, 0], [0.6, 0.8]], np.float32)
    chunks = kept([[127, 0], [0, -127]], [[80, 60], [60, 80], [-127, 0]], [])
    found = max_similarities(question, np.array([3, 1], np.float32), chunks)
    np.testing.assert_allclose(found, [(3 * 1 + 0.6) / 4, (3 * 0.8 + 1) / 4, -1], atol=1e-6)


@given(st.lists(st.integers(0, 4), max_size=6), st.integers(1, 3), st.integers(0, 3))
def test_any_chunks_beside_a_loop(lengths: list[int], tokens: int, skipped: int) -> None:
    draw = np.random.default_rng(len(lengths) * 7 + tokens)
    chunks = [draw.integers(-127, 128, (length, 8)).astype(np.int8) for length in lengths]
    question = draw.standard_normal((tokens, 8)).astype(np.float32)
    question /= np.linalg.norm(question, axis=1, keepdims=True)
    weights = draw.random(tokens).astype(np.float32) + 1
    wanted = [
        sum(
            weight * max((float(row @ token / np.linalg.norm(row)) for row in chunk.astype(float)), default=-1)
            for token, weight in zip(question, weights, strict=True)
        )
        / weights.sum()
        for chunk in chunks[skipped:]
    ]
    column = pa.array([chunk.tobytes() for chunk in chunks], pa.large_binary())
    np.testing.assert_allclose(max_similarities(question, weights, column[skipped:]), wanted, atol=1e-5)


def test_a_token_weighs_what_its_word_does() -> None:
    state = bm25_weights(["backups of data", "data", "data kept", "logs"], 1.2, 0.75)
    text = "Are the Backups, of frobnication data?"
    (words,) = state.words_in([text])
    assert [text[begin:end] for begin, end, _ in words] == ["Backups", "frobnication", "data"]
    rare, unknown, common = (idf for *_, idf in words)
    assert unknown > rare > common > 0
    assert common == pytest.approx(np.log(5 / 3.5)) and unknown == pytest.approx(np.log(5 / 0.5))
    spans = [(0, 3), (8, 12), (12, 15), (15, 16), (20, 24), (24, 32), (33, 37)]
    expected = [1, 1 + rare, 1 + rare, 1, 1 + unknown, 1 + unknown, 1 + common]
    np.testing.assert_allclose(token_weights(spans, words), expected, rtol=1e-6)
    assert state.words_in(["", "the of"]) == [[], []] and token_weights([], []).shape == (0,)
