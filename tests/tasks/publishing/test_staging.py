"""Token vectors on their way from the cache to the index, with a cache of three texts in place of one of a refresh."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from configs.plans import load_plan
from tasks.errors import CacheGone
from tasks.publishing.staging import token_source, vectors_of
from tasks.references import Chunked, Embedded

TOKENS = {"a": b"first", "b": b"", "c": b"\x00\x01"}
SHARDS = [(["a", "b"], [b"first", b""]), (["c", "a", "other"], [b"\x00\x01", b"first", b"of no chunk"]), ([], [])]
EMBEDDED = Embedded(Chunked("chunks", "default", 3), "state", "space", "model", 0, 0, "fitted", None)
PLAN = load_plan("rails").embedding
KEEPING = PLAN.model_copy(update={"token_dimensions": 8})


class ThreeTexts:
    """What a refresh left of chunks with the texts ``ids``."""

    def __init__(self, ids: list[str], is_there: bool = True, lost: str = "") -> None:
        self.ids = ids
        self.is_there = is_there
        self.lost = lost

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        return [("document", len(self.ids))]

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        return (self.ids, [1] * len(self.ids)) if self.is_there else None

    def dense_shards(self, fingerprint: str, wanted: frozenset[str]) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
        for ids in (["c", "other"], ["b", "a"], ["a"]):
            names = [one for one in ids if one not in self.lost]
            yield names, np.array([[ord(one[0])] * 2 for one in names], np.float32).reshape(-1, 2)

    def lexical(self, lexical_key: str, part: str) -> NDArray[np.float32] | None:
        return np.zeros((len(self.ids), 3), np.float32)

    def token_shards(self, fingerprint: str, wanted: frozenset[str]) -> Iterator[tuple[list[str], pa.ChunkedArray]]:
        for ids, values in SHARDS:
            yield ids, pa.chunked_array([pa.array(values, pa.large_binary())])


@given(st.lists(st.sampled_from("abc"), min_size=1), st.data())
def test_each_row_gets_the_bytes_of_its_text_once(ids: list[str], data: st.DataObject) -> None:
    tokens = token_source(ThreeTexts(ids), EMBEDDED, KEEPING)
    assert tokens is not None
    asked = data.draw(st.lists(st.sampled_from(range(len(ids))), unique=True))
    found = [each for rows, values in tokens(asked) for each in zip(rows, values.to_pylist(), strict=True)]
    assert sorted(found) == sorted((row, TOKENS[ids[row]]) for row in asked)


def test_a_plan_that_keeps_none_has_none() -> None:
    assert token_source(ThreeTexts(["a"]), EMBEDDED, PLAN) is None


def test_vectors_come_in_the_order_of_the_chunks() -> None:
    dense, lexical = vectors_of(ThreeTexts(["b", "a", "b"]), EMBEDDED, PLAN)
    assert dense[:, 0].tolist() == [98, 97, 98] and lexical.shape == (3, 3)
    dense, _ = vectors_of(ThreeTexts(["c", "a", "b"]), EMBEDDED, PLAN)
    assert dense.tolist() == [[99, 99], [97, 97], [98, 98]]


def test_a_text_without_token_vectors_is_no_row_that_is_left_out() -> None:
    tokens = token_source(ThreeTexts(["a", "elsewhere"]), EMBEDDED, KEEPING)
    assert tokens is not None and [rows for rows, _ in tokens([0])] == [[0]]
    with pytest.raises(CacheGone, match="run the same command again"):
        list(tokens([0, 1]))


def test_a_cache_that_was_cleared_says_to_run_the_command_again() -> None:
    for ask in (vectors_of, token_source):
        with pytest.raises(CacheGone, match="run the same command again"):
            ask(ThreeTexts(["a"], is_there=False), EMBEDDED, KEEPING)
    for lost in ("a", "abc"):
        with pytest.raises(CacheGone, match="run the same command again"):
            vectors_of(ThreeTexts(["a", "b"], lost=lost), EMBEDDED, KEEPING)
