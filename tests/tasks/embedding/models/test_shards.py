from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.embedding.models.shards import TEXTS_A_SHARD, Shard, cut_shards, text_id

many = st.lists(st.text(max_size=30), max_size=300)


def cut(texts: list[str], known: frozenset[str] = frozenset()) -> list[Shard]:
    return list(cut_shards(("a", "b"), [text_id(text) for text in texts], [len(text) for text in texts], known))


@given(many, st.randoms(use_true_random=False))
def test_the_same_texts_give_the_same_shards_in_any_order(texts: list[str], chance: Any) -> None:
    mixed = [*texts, *texts[: len(texts) // 3]]
    chance.shuffle(mixed)
    found = [[(shard.shard_id, shard.text_ids) for shard in cut(some)] for some in (mixed, texts)]
    assert found[0] == found[1]


@given(many)
def test_every_text_is_in_one_shard(texts: list[str]) -> None:
    shards = cut(texts)
    held = [texts[row] for shard in shards for row in shard.rows]
    assert sorted(held) == sorted(set(texts))
    assert [len(text) for text in held] == sorted(map(len, held)), "like lengths stand together"
    assert all(shard.text_ids == tuple(text_id(texts[row]) for row in shard.rows) for shard in shards)
    assert all(len(shard.rows) == TEXTS_A_SHARD for shard in shards[:-1])
    assert len({shard.shard_id for shard in shards}) == len(shards)
    assert all(shard.documents == ("a", "b") for shard in shards)


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (128, [128]), (129, [128, 1]), (300, [128, 128, 44])])
def test_how_texts_are_cut(count: int, sizes: list[int]) -> None:
    assert [len(shard.rows) for shard in cut([f"text {n:03}" for n in range(count)])] == sizes


def test_what_has_a_vector_is_in_no_shard() -> None:
    (shard,) = cut(["one", "two", "three"], frozenset([text_id("two")]))
    assert [("one", "two", "three")[row] for row in shard.rows] == ["one", "three"]


def test_ids_are_those_of_every_machine() -> None:
    """A literal: another value would make every cached vector worthless."""
    assert text_id("All customer data at rest is encrypted.") == "03bf9b192134a894"
