"""Cache of vectors in shards, by a model's fingerprint, with an index of the texts in each shard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.index.rows import TOKENS, matrix_of
from tasks.storage.stage_cache import StageCache

CONTENTS = "contents.index"
"""The file beside the shards with the text ids of each; a shard that it does not list is opened instead."""
_UNLISTED = 16
"""The most unlisted shards that are opened singly before that file is written anew."""


class ShardCache(StageCache):
    """Cache of the dense and token vectors of a home, in shards."""

    def put_dense(
        self,
        fingerprint: str,
        shard: str,
        text_ids: Sequence[str],
        vectors: NDArray[np.float32],
        tokens: Sequence[bytes] | None = None,
    ) -> None:
        """Store a shard of dense vectors ``(len(text_ids), n)``, and of token vectors where there are any."""
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        table = pa.table({"text_id": pa.array(text_ids, pa.string()), "dense": column})
        if tokens is not None:
            table = table.append_column(TOKENS, pa.array(tokens, pa.large_binary()))
        self._lake.put_table(table, "cache", "dense", fingerprint, f"{shard}.parquet")

    def contents(self, fingerprint: str) -> dict[str, list[str]]:
        """The text ids in each stored shard, by file name."""
        names = self._lake.names("cache", "dense", fingerprint, suffix=".parquet")
        listed = self._listed(fingerprint)
        found = {name: listed[name] for name in names if name in listed}
        unlisted = [name for name in names if name not in listed]
        for name in unlisted:
            ids = self._lake.get_table("cache", "dense", fingerprint, name, columns=["text_id"])
            if ids is not None:
                found[name] = ids["text_id"].to_pylist()
        if len(unlisted) > _UNLISTED:
            shards = [name for name, ids in found.items() for _ in ids]
            texts = [one for ids in found.values() for one in ids]
            table = pa.table({"shard": pa.array(shards, pa.string()), "text_id": pa.array(texts, pa.string())})
            self._lake.put_table(table, "cache", "dense", fingerprint, CONTENTS)
        return found

    def known_texts(self, fingerprint: str, wanted: frozenset[str]) -> tuple[frozenset[str], int]:
        """The wanted texts that have a vector, and the vectors' dimensions; 0 where there is none.

        Reads one vector at most.
        """
        contents = self.contents(fingerprint)
        known = wanted.intersection(one for ids in contents.values() for one in ids)
        one = next(iter(known), None)
        return known, len(self.dense(fingerprint, frozenset((one,)), contents)[one]) if one else 0

    def dense(
        self, fingerprint: str, wanted: frozenset[str], contents: Mapping[str, list[str]] | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """The stored dense vectors of those texts, by id; ``contents`` of the shards may be given."""
        found: dict[str, NDArray[np.float32]] = {}
        for ids, vectors in self.dense_shards(fingerprint, wanted, contents):
            found |= {text_id: vectors[at] for at, text_id in enumerate(ids) if text_id in wanted}
        return found

    def dense_shards(
        self, fingerprint: str, wanted: frozenset[str], contents: Mapping[str, list[str]] | None = None
    ) -> Iterator[tuple[list[str], NDArray[np.float32]]]:
        """The shards with some ``wanted`` dense vectors: text ids, and vectors ``(texts, n)``.

        ``contents`` of the shards may be given.
        """
        for name, texts in (self.contents(fingerprint) if contents is None else contents).items():
            if wanted.isdisjoint(texts):
                continue
            table = self._lake.get_table("cache", "dense", fingerprint, name, columns=["dense"])
            if table is not None:
                yield texts, matrix_of(table, "dense")

    def token_shards(self, fingerprint: str, wanted: frozenset[str]) -> Iterator[tuple[list[str], pa.ChunkedArray]]:
        """The shards with some ``wanted`` token vectors: text ids, and vectors as stored."""
        for name, texts in self.contents(fingerprint).items():
            if wanted.isdisjoint(texts):
                continue
            table = self._lake.get_table("cache", "dense", fingerprint, name, columns=[TOKENS])
            if table is not None:
                yield texts, table[TOKENS]

    def _listed(self, fingerprint: str) -> dict[str, list[str]]:
        table = self._lake.get_table("cache", "dense", fingerprint, CONTENTS)
        if table is None:
            return {}
        found: dict[str, list[str]] = {}
        for shard, text in zip(table["shard"].to_pylist(), table["text_id"].to_pylist(), strict=True):
            found.setdefault(shard, []).append(text)
        return found
