"""Cache of a corpus' chunks and of what embedding makes of them: word counts, vectors, and fitted states."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.embedding.corpus.corpus_parts import Facts
from tasks.embedding.corpus.shard_cache import ShardCache
from tasks.embedding.lexical.word_counts import Counts
from tasks.index.rows import CHUNK_SCHEMA, matrix_of, to_table
from tasks.records import Chunk, searched_text
from tasks.storage.stage_cache import gone


class CorpusCache(ShardCache):
    """The chunks of documents and their lists, the facts and lexical vectors of parts, and the states fitted on all.

    Dense and token vectors are in the shards.
    """

    def put_chunks(self, key: str, chunks: Sequence[Chunk]) -> None:
        """Store one document's chunks."""
        self._lake.put_table(to_table(chunks), "cache", "chunks", f"{key}.parquet")

    def count_chunks(self, key: str) -> int | None:
        """The number of a document's chunks; None where they are missing."""
        ids = self._lake.get_table("cache", "chunks", f"{key}.parquet", columns=["ordinal"])
        return None if ids is None else ids.num_rows

    def put_chunk_counts(self, key: str, counts: Sequence[tuple[str, int]]) -> None:
        """Store the documents of a corpus' chunks, each with its number of chunks."""
        self.put_json(list(counts), "cache", "chunk_lists", f"{key}-counted.json")

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        """The documents of a corpus' chunks, in order, each with its number of chunks.

        Raises CacheGone where the cache was cleared meanwhile, or this machine does not see it.
        """
        found = self.get_json("cache", "chunk_lists", f"{key}-counted.json")
        if found is None:
            raise gone("list of chunks", key)
        return [(name, count) for name, count in found]

    def chunk_table(self, key: str) -> pa.Table:
        """All chunks of a corpus as CHUNK_SCHEMA, with their granularity where they have one.

        Raises as :meth:`chunk_counts`.
        """
        names = [name for name, _ in self.chunk_counts(key)]
        return pa.concat_tables(
            [CHUNK_SCHEMA.empty_table(), *(self._chunks(name, None) for name in names)], promote_options="default"
        )

    def searched_texts(self, documents: Sequence[str]) -> list[str]:
        """The searched texts of those documents' chunks, in order. Raises as :meth:`chunk_counts`."""
        found = [self._chunks(name, ["context", "text"]).to_pylist() for name in documents]
        return [searched_text(**row) for rows in found for row in rows]

    def _chunks(self, name: str, columns: list[str] | None) -> pa.Table:
        table = self._lake.get_table("cache", "chunks", f"{name}.parquet", columns=columns)
        if table is None:
            raise gone("chunks", name)
        return table

    def put_facts(self, key: str, facts: Facts) -> None:
        """Store the facts about a part's texts."""
        for name in ("lexical", "bm25", "abbreviations"):
            self._lake.put_table(getattr(facts, name).to_table(), "cache", "counts", f"{key}-{name}.parquet")
        texts = pa.table({"text_id": facts.text_ids, "length": pa.array(facts.lengths, pa.int32())})
        self._lake.put_table(texts, "cache", "counts", f"{key}.parquet")

    def has_facts(self, key: str) -> bool:
        """Tell if the facts about a part's texts are stored, all of them."""
        names = ("", "-lexical", "-bm25", "-abbreviations")
        return all(self._lake.has("cache", "counts", f"{key}{name}.parquet") for name in names)

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        """The ids and lengths in characters of a part's texts; None where it was not read yet."""
        table = self._lake.get_table("cache", "counts", f"{key}.parquet")
        return None if table is None else (table["text_id"].to_pylist(), table["length"].to_pylist())

    def counts(self, key: str, name: str, texts: int) -> Counts:
        """The word counts of a part's texts. Raises as :meth:`chunk_counts`."""
        table = self._lake.get_table("cache", "counts", f"{key}-{name}.parquet")
        if table is None:
            raise gone("counts", key)
        return Counts.from_table(table, texts)

    def put_lexical(self, lexical_key: str, part: str, vectors: NDArray[np.float32]) -> None:
        """Store a part's lexical vectors ``(m, p)`` in that space."""
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        self._lake.put_table(pa.table({"lexical": column}), "cache", "lexical", lexical_key, f"{part}.parquet")

    def has_lexical(self, lexical_key: str, part: str) -> bool:
        """Tell if a part's lexical vectors in that space are stored."""
        return self._lake.has("cache", "lexical", lexical_key, f"{part}.parquet")

    def lexical(self, lexical_key: str, part: str) -> NDArray[np.float32] | None:
        """A part's lexical vectors in that space; None where they are missing."""
        table = self._lake.get_table("cache", "lexical", lexical_key, f"{part}.parquet")
        return None if table is None else matrix_of(table, "lexical")

    def keep_lexical(self, lexical_key: str, parts: Collection[str]) -> None:
        """Delete the lexical vectors in that space except those of the given parts: a version has its own."""
        self._drop_lexical(lexical_key, frozenset(parts))

    def _drop_lexical(self, lexical_key: str, kept: frozenset[str]) -> None:
        for name in self._lake.names("cache", "lexical", lexical_key, suffix=".parquet"):
            if name.removesuffix(".parquet") not in kept:
                self._lake.drop("cache", "lexical", lexical_key, name)

    def put_state(self, key: str, name: str, raw: bytes) -> None:
        """Store a fitted state of an index version, with the index rather than the cache: it is part of it."""
        self._lake.put(raw, *_state(key, name))

    def state(self, key: str, name: str) -> bytes | None:
        """The fitted state of an index version. Raises Damaged where its bytes are not those that were written."""
        return self._lake.get(*_state(key, name))

    def has_state(self, key: str, name: str) -> bool:
        """Tell if that fitted state is stored."""
        return self._lake.has(*_state(key, name))

    def drop_states(self, key: str) -> None:
        """Delete the fitted states under that key, and the vectors that were projected by them."""
        self._drop_lexical(key, frozenset())
        for name in self._lake.names("index", "states", suffix=".npz"):
            if name.startswith(f"{key}."):
                self._lake.drop("index", "states", name)


def _state(key: str, name: str) -> tuple[str, ...]:
    return "index", "states", f"{key}.{name}.npz"
