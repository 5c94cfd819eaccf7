"""Shards of vectors: a few are found without reading all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tasks.embedding.corpus.shard_cache import CONTENTS, ShardCache
from tasks.storage.lake import Lake

SHARDS, TEXTS = 30, 4


class Telling(Lake):
    """A lake that tells which files were read."""

    def __init__(self, home: Path) -> None:
        super().__init__(str(home))
        self.read_names: list[str] = []

    def get_table(self, *parts: str, columns: list[str] | None = None) -> pa.Table | None:
        found = super().get_table(*parts, columns=columns)
        if found is not None:
            self.read_names.append(parts[-1])
        return found


def put(cache: ShardCache, shard: int) -> list[str]:
    ids = [f"text {shard} {at}" for at in range(TEXTS)]
    vectors = np.array([[shard + at / 10] * 3 for at in range(TEXTS)], dtype=np.float32)
    cache.put_dense("model", f"{shard:02}", ids, vectors, [f"{one}!".encode() for one in ids])
    return ids


@pytest.fixture
def lake(tmp_path: Path) -> Telling:
    lake = Telling(tmp_path)
    for shard in range(SHARDS):
        put(ShardCache(lake), shard)
    ShardCache(lake).contents("model")
    lake.read_names.clear()
    return lake


def test_what_is_known_is_told_by_one_file_and_one_shard(lake: Telling) -> None:
    wanted = frozenset(f"text {shard} 1" for shard in range(SHARDS)) | {"unknown"}
    assert ShardCache(lake).known_texts("model", wanted) == (wanted - {"unknown"}, 3)
    assert len(lake.read_names) == 2 and CONTENTS in lake.read_names
    assert ShardCache(lake).known_texts("model", frozenset(["unknown"])) == (frozenset(), 0)
    assert ShardCache(lake).known_texts("another model", wanted) == (frozenset(), 0)


def test_only_shards_with_what_is_wanted_are_read(lake: Telling) -> None:
    found = ShardCache(lake).dense("model", frozenset(["text 7 2", "text 11 0", "unknown"]))
    assert {name: vector.tolist() for name, vector in found.items()} == {
        "text 7 2": pytest.approx([7.2] * 3),
        "text 11 0": pytest.approx([11.0] * 3),
    }
    assert sorted(lake.read_names) == ["07.parquet", "11.parquet", CONTENTS]
    lake.read_names.clear()
    ((texts, tokens),) = ShardCache(lake).token_shards("model", frozenset(["text 3 3"]))
    assert dict(zip(texts, tokens.to_pylist(), strict=True))["text 3 3"] == b"text 3 3!"
    assert sorted(lake.read_names) == ["03.parquet", CONTENTS]


def test_a_shard_that_comes_later_is_found_and_one_that_goes_is_not(lake: Telling) -> None:
    new = put(ShardCache(lake), SHARDS)
    lake.drop("cache", "dense", "model", "05.parquet")
    cache = ShardCache(lake)
    known, _ = cache.known_texts("model", frozenset([*new, "text 5 0", "text 6 0"]))
    assert known == {*new, "text 6 0"}
    assert cache.dense("model", frozenset(["text 5 0"])) == {}
    assert cache.dense("model", frozenset(new)).keys() == set(new)


def test_the_list_follows_what_is_there(lake: Telling) -> None:
    for shard in range(SHARDS, 2 * SHARDS):
        put(ShardCache(lake), shard)
    first = ShardCache(lake).contents("model")
    assert len(first) == 2 * SHARDS
    lake.read_names.clear()
    assert ShardCache(lake).contents("model") == first
    assert lake.read_names == [CONTENTS], "no shard is looked up that it lists"
    lake.drop("cache", "dense", "model", CONTENTS)
    assert ShardCache(lake).contents("model") == first
