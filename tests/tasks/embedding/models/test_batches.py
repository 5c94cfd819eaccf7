from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.embedding.models.batches import cut_batches, mean_of_parts, read_vectors, run_sorted
from tasks.embedding.models.unit_vectors import unit

token_lists = st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=9), min_size=1, max_size=30)


@given(token_lists, st.integers(1, 5), st.sampled_from([1, 4]))
def test_each_text_is_in_one_batch_with_those_of_its_length(
    tokens: list[list[int]], size: int, length_step: int
) -> None:
    batches = list(cut_batches(tokens, size, 0, length_step))
    assert sorted(row for batch in batches for row in batch.rows) == list(range(len(tokens)))
    lengths = [len(tokens[row]) for batch in batches for row in batch.rows]
    assert lengths == sorted(lengths, reverse=True)
    for batch in batches:
        padding = batch.input_ids.shape[1] - batch.attention_mask.sum(axis=1).max()
        assert 0 <= padding < length_step and batch.input_ids.shape[1] % length_step == 0
        for row, ids, mask in zip(batch.rows, batch.input_ids, batch.attention_mask, strict=True):
            assert ids[mask == 1].tolist() == tokens[row]
            assert not ids[mask == 0].any()


@given(token_lists, st.integers(1, 5), st.randoms(use_true_random=False))
def test_vectors_come_back_in_order_whatever_is_done_first(
    tokens: list[list[int]], size: int, chance: np.random.Generator
) -> None:
    def run(batches, read, /):  # type: ignore[no-untyped-def]
        batches = list(batches)
        chance.shuffle(batches)
        return [(one, read(one, [one.input_ids.sum(axis=1, keepdims=True).astype(np.float32)])) for one in batches]

    found = run_sorted(tokens, run, read_vectors, size, pad_token_id=0)
    np.testing.assert_array_equal(np.stack(found), [[sum(ids)] for ids in tokens])


def test_the_mean_of_parts() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1], [0.6, 0.8]], dtype=np.float32)
    np.testing.assert_allclose(mean_of_parts(vectors, [3, 1]), [[1 / 5**0.5, 2 / 5**0.5], [0.6, 0.8]], atol=1e-6)


def test_no_batches_of_no_texts_and_zero_stays_zero() -> None:
    assert list(cut_batches([], 4, 0)) == []
    np.testing.assert_array_equal(unit(np.zeros((1, 3), dtype=np.float32)), np.zeros((1, 3)))
