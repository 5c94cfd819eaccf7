"""What the stages keep between runs, each under the key of what it was made from.

What lies in ``cache/`` can be made again: deleting it costs time and nothing else. What an index version needs to be
gone back to lies in ``index/``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any, Protocol
from zipfile import BadZipFile, ZipFile

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from tasks.conversion.convert import LOGIC_VERSION as CONVERSION_VERSION
from tasks.conversion.documents import DATES, from_json, to_json
from tasks.conversion.seen import LOGIC_VERSION as SEEN_VERSION
from tasks.conversion.seen import Seen
from tasks.conversion.waiting import Note
from tasks.embedding.counts import Counts
from tasks.embedding.parts import Facts
from tasks.errors import Damaged, UsageError
from tasks.index.rows import CHUNK_SCHEMA, matrix_of, to_table
from tasks.pages.verbatim import LOGIC_VERSION as PAGES_VERSION
from tasks.records import Chunk, Document, Quarantined, SourceFile, content_id, searched_text
from tasks.shard_cache import ShardCache, TableStore


class Store(TableStore, Protocol):
    """Where the cache lies; each method takes the parts of a path below the home."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Writes whole or not at all."""
        ...

    def get(self, *parts: str) -> bytes | None:
        """What is there, or None."""
        ...

    def url(self, *parts: str) -> str:
        """The path by which anyone reads what is there."""
        ...

    def has(self, *parts: str) -> bool:
        """Whether something is there."""
        ...

    def drop(self, *parts: str) -> None:
        """Removes what is there; nothing is no error."""
        ...


def _gone(what: str, key: str) -> UsageError:
    return UsageError(
        f"the cache has no {what} {key}: where it was cleared meanwhile, run the same command again; where a Dask "
        "worker says so, give a --home that all of them see"
    )


class StageCache(ShardCache):
    """The cache of a home, by stage. A key that is not there gives None."""

    def __init__(self, lake: Store) -> None:
        super().__init__(lake)
        self._lake = lake

    def put_files(self, key: str, files: Iterable[SourceFile]) -> None:
        """Keeps the list of a corpus' files."""
        self._put_json("scans", key, [asdict(file) for file in files])

    def files(self, key: str) -> list[SourceFile] | None:
        """The list of a corpus' files."""
        found = self._get_json("scans", key)
        return None if found is None else [SourceFile(**file) for file in found]

    def put_seen(self, corpus: str, source: str, seen: Mapping[str, Seen]) -> None:
        """Keeps what the objects of a store were when that corpus was scanned, by name."""
        self._put_json("seen", content_id(corpus, source, SEEN_VERSION), dict(seen))

    def seen(self, corpus: str, source: str) -> dict[str, Seen]:
        """What the objects of a store were, by name; none for one that was never scanned."""
        found = self._get_json("seen", content_id(corpus, source, SEEN_VERSION)) or {}
        return {name: Seen(*one) for name, one in found.items()}

    def put_members(self, key: str, files: Iterable[SourceFile]) -> None:
        """Keeps what a container gave."""
        self._put_json("containers", key, [asdict(file) for file in files])

    def members(self, key: str) -> list[SourceFile] | None:
        """What a container gave, or None where that, or a member's bytes, are not there any more."""
        found: list[dict[str, Any]] | None = self._get_json("containers", key)
        files = [SourceFile(**file) for file in found or []]
        kept = [file for file in files if file.path]
        if found is None or not all(self._lake.has(*self._member(file.content_sha256)) for file in kept):
            return None
        # The home may stand elsewhere than when the list was written.
        return [
            replace(file, path=self._lake.url(*self._member(file.content_sha256))) if file.path else file
            for file in files
        ]

    def listed_members(self, key: str) -> list[SourceFile]:
        """What a container gave, whether its members' bytes are there or not; none for one that was never opened."""
        return [SourceFile(**file) for file in self._get_json("containers", key) or []]

    def put_member(self, data: bytes, content_sha256: str) -> str:
        """Keeps a member's bytes; gives the path by which they are read."""
        if not self._lake.has(*self._member(content_sha256)):
            self._lake.put(data, *self._member(content_sha256))
        return self._lake.url(*self._member(content_sha256))

    def member(self, content_sha256: str) -> bytes | None:
        """A member's bytes, or None where none of that hash is kept."""
        return self._lake.get(*self._member(content_sha256))

    def put_document(self, document: Document | Quarantined) -> None:
        """Keeps a converted file."""
        self.put_document_json(document.document_id, to_json(document))

    def put_document_json(self, document_id: str, raw: bytes) -> None:
        """Keeps a converted file that is JSON already: to read a long one only to write it again takes seconds."""
        self._lake.put(raw, *self._document(document_id))

    def document(self, document_id: str) -> Document | Quarantined | None:
        """A converted file, by this version of the conversion."""
        raw = self.document_json(document_id)
        return None if raw is None else from_json(raw)

    def document_json(self, document_id: str) -> bytes | None:
        """As :meth:`document`, as JSON."""
        return self._lake.get(*self._document(document_id))

    def section_paths(self, document_id: str) -> list[tuple[int | None, str]] | None:
        """As :meth:`document`, of each element alone where it begins, and its section's path."""
        raw = self.document_json(document_id)
        found = [] if raw is None else orjson.loads(raw).get("elements", [])
        return None if raw is None else [(element["start"], element["section_path"]) for element in found]

    def has_document(self, document_id: str) -> bool:
        """Whether a converted file is there, by this version of the conversion."""
        return self._lake.has(*self._document(document_id))

    def put_page_matrices(self, document_id: str, raw: bytes) -> None:
        """Keeps the page finder's matrices of a converted file."""
        self._lake.put(raw, *self._pages(document_id))

    def page_matrices(self, document_id: str) -> bytes | None:
        """The page finder's matrices of a converted file."""
        return self._lake.get(*self._pages(document_id)) or None

    def drop_page_matrices(self, document_id: str) -> None:
        """Lets the page finder's matrices of a converted file go, where there are any."""
        if self._lake.has(*self._pages(document_id)):
            self._lake.put(b"", *self._pages(document_id))

    def note(self, what: Note, document_id: str, holds: bool = True) -> None:
        """Notes that of a converted file, or that it holds no more."""
        where = "cache", what, f"{document_id}-{CONVERSION_VERSION}.json"
        if not holds:
            return self._lake.drop(*where)
        return self._lake.put(b"true", *where)

    def noted(self, what: Note) -> frozenset[str]:
        """The ids of the files of which that is noted."""
        end = f"-{CONVERSION_VERSION}.json"
        return frozenset(name.removesuffix(end) for name in self._lake.names("cache", what, suffix=end))

    def put_document_rows(self, corpus: str, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps the rows of the table ``documents`` with the index: a version that is rolled back to needs them."""
        raw = json.dumps(list(rows), default=date.isoformat).encode()
        self._lake.put(raw, "index", "documents", corpus, f"{key}.json")

    def document_rows(self, corpus: str, key: str) -> list[dict[str, Any]] | None:
        """The rows of the table ``documents`` for those documents of the corpus."""
        raw = self._lake.get("index", "documents", corpus, f"{key}.json")
        if raw is None:
            return None
        rows: list[dict[str, Any]] = json.loads(raw)
        for row in rows:
            row |= {name: date.fromisoformat(row[name]) for name in DATES if row.get(name)}
        return rows

    def put_changes(self, corpus: str, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps what changed when those documents of the corpus were converted."""
        self._put_json("changes", f"{corpus}-{key}", list(rows))

    def changes(self, corpus: str, key: str) -> list[dict[str, Any]]:
        """What changed when those documents of the corpus were converted."""
        return self._get_json("changes", f"{corpus}-{key}") or []

    def put_chunks(self, key: str, chunks: Sequence[Chunk]) -> None:
        """Keeps one document's chunks."""
        self._lake.put_table(to_table(chunks), "cache", "chunks", f"{key}.parquet")

    def count_chunks(self, key: str) -> int | None:
        """How many chunks one document has, or None where they are not there."""
        ids = self._lake.get_table("cache", "chunks", f"{key}.parquet", columns=["ordinal"])
        return None if ids is None else ids.num_rows

    def put_chunk_counts(self, key: str, counts: Sequence[tuple[str, int]]) -> None:
        """Keeps which documents' chunks make up a corpus, and how many each has."""
        self._put_json("chunk_lists", f"{key}-counted", list(counts))

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        """The documents whose chunks make up a corpus, in order, and how many each has.

        Raises UsageError where the cache was cleared meanwhile, or this machine does not see it.
        """
        found = self._get_json("chunk_lists", f"{key}-counted")
        if found is None:
            raise _gone("list of chunks", key)
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
        """What is searched of those documents' chunks, in order. Raises as :meth:`chunk_counts`."""
        found = [self._chunks(name, ["context", "text"]).to_pylist() for name in documents]
        return [searched_text(**row) for rows in found for row in rows]

    def _chunks(self, name: str, columns: list[str] | None) -> pa.Table:
        table = self._lake.get_table("cache", "chunks", f"{name}.parquet", columns=columns)
        if table is None:
            raise _gone("chunks", name)
        return table

    def put_facts(self, key: str, facts: Facts) -> None:
        """Keeps what was found of a part's texts."""
        for name in ("lexical", "bm25", "abbreviations"):
            self._lake.put_table(getattr(facts, name).to_table(), "cache", "counts", f"{key}-{name}.parquet")
        texts = pa.table({"text_id": facts.text_ids, "length": pa.array(facts.lengths, pa.int32())})
        self._lake.put_table(texts, "cache", "counts", f"{key}.parquet")

    def has_facts(self, key: str) -> bool:
        """Whether what was found of a part's texts is there: they are what is written last."""
        return self._lake.has("cache", "counts", f"{key}.parquet")

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        """The ids and lengths in characters of a part's texts, or None where it was not read yet."""
        table = self._lake.get_table("cache", "counts", f"{key}.parquet")
        return None if table is None else (table["text_id"].to_pylist(), table["length"].to_pylist())

    def counts(self, key: str, name: str, texts: int) -> Counts:
        """How often which word stands in which of a part's texts. Raises as :meth:`chunk_counts`."""
        table = self._lake.get_table("cache", "counts", f"{key}-{name}.parquet")
        if table is None:
            raise _gone("counts", key)
        return Counts.from_table(table, texts)

    def put_checked(self, corpus: str, index_key: str, pages: pa.Table, chunks: pa.Table) -> None:
        """Keeps what was found of an index' pages and chunks when it was checked."""
        for name, table in (("pages", pages), ("chunks", chunks)):
            self._lake.put_table(table, *self._checked(corpus, index_key, name))

    def checked(self, corpus: str, index_key: str) -> tuple[pa.Table, pa.Table] | None:
        """What was found of an index' pages and chunks when it was checked."""
        pages, chunks = (self._lake.get_table(*self._checked(corpus, index_key, name)) for name in ("pages", "chunks"))
        return None if pages is None or chunks is None else (pages, chunks)

    def put_lexical(self, lexical_key: str, part: str, vectors: NDArray[np.float32]) -> None:
        """Keeps a part's lexical vectors ``(m, p)`` in that space."""
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        self._lake.put_table(pa.table({"lexical": column}), "cache", "lexical", lexical_key, f"{part}.parquet")

    def has_lexical(self, lexical_key: str, part: str) -> bool:
        """Whether a part's lexical vectors in that space are there."""
        return self._lake.has("cache", "lexical", lexical_key, f"{part}.parquet")

    def lexical(self, lexical_key: str, part: str) -> NDArray[np.float32] | None:
        """A part's lexical vectors in that space, or None where they are not there."""
        table = self._lake.get_table("cache", "lexical", lexical_key, f"{part}.parquet")
        return None if table is None else matrix_of(table, "lexical")

    def keep_lexical(self, lexical_key: str, parts: Collection[str]) -> None:
        """Removes the lexical vectors in that space of all parts but those: a version has its own."""
        self._drop_lexical(lexical_key, frozenset(parts))

    def _drop_lexical(self, lexical_key: str, kept: frozenset[str]) -> None:
        for name in self._lake.names("cache", "lexical", lexical_key, suffix=".parquet"):
            if name.removesuffix(".parquet") not in kept:
                self._lake.drop("cache", "lexical", lexical_key, name)

    def put_pairs(self, key: str, pairs: Sequence[dict[str, Any]]) -> None:
        """Keeps questions with the chunks that answer them."""
        self._put_json("pairs", key, list(pairs))

    def pairs(self, key: str) -> list[dict[str, Any]] | None:
        """Questions with the chunks that answer them."""
        found: list[dict[str, Any]] | None = self._get_json("pairs", key)
        return found

    def put_reply(self, key: str, reply: str) -> None:
        """Keeps what a model server replied."""
        self._put_json("replies", key, reply)

    def reply(self, key: str) -> str | None:
        """What a model server replied."""
        found: str | None = self._get_json("replies", key)
        return found

    def put_filled(self, key: str, what: Mapping[str, str]) -> None:
        """Keeps which run a filled copy came from."""
        self._lake.put(json.dumps(dict(what)).encode(), "index", "filled", f"{key}.json")

    def filled(self, key: str) -> dict[str, str] | None:
        """Which run a filled copy came from."""
        raw = self._lake.get("index", "filled", f"{key}.json")
        return None if raw is None else json.loads(raw)

    def put_history(self, corpus: str, index_key: str, versions: Sequence[str]) -> None:
        """Keeps which versions were live, the oldest first, without those that were gone back from."""
        self._lake.put(json.dumps(list(versions)).encode(), "index", "history", f"{corpus}-{index_key}.json")

    def history(self, corpus: str, index_key: str) -> list[str]:
        """Which versions were live, the oldest first."""
        raw = self._lake.get("index", "history", f"{corpus}-{index_key}.json")
        return [] if raw is None else json.loads(raw)

    def put_publishing(self, corpus: str, index_version: str) -> None:
        """Notes that a version is being published; an empty one that it is done."""
        self._lake.put(index_version.encode(), "index", "publishing", corpus)

    def publishing(self, corpus: str) -> str:
        """The version whose publishing was begun and not ended, empty where there is none."""
        return (self._lake.get("index", "publishing", corpus) or b"").decode()

    def put_state(self, key: str, name: str, raw: bytes) -> None:
        """Keeps a fitted state of an index version, with the index rather than the cache: it is part of it."""
        self._lake.put(raw, "index", "states", f"{key}.{name}.npz")

    def state(self, key: str, name: str) -> bytes | None:
        """A fitted state of an index version. Raises Damaged where its bytes are not those that were written."""
        where = "index", "states", f"{key}.{name}.npz"
        raw = self._lake.get(*where)
        try:
            if raw is not None and (spoilt := ZipFile(io.BytesIO(raw)).testzip()):
                raise Damaged(self._path(*where), f"{spoilt} in it is not what was written")
        except BadZipFile as error:
            raise Damaged(self._path(*where), error) from error
        return raw

    def has_state(self, key: str, name: str) -> bool:
        """Whether that fitted state is there."""
        return self._lake.has("index", "states", f"{key}.{name}.npz")

    def drop_states(self, key: str) -> None:
        """Removes the fitted states of index versions that are no more, and what was projected by them."""
        self._drop_lexical(key, frozenset())
        for name in self._lake.names("index", "states", suffix=".npz"):
            if name.startswith(f"{key}."):
                self._lake.drop("index", "states", name)

    def _document(self, document_id: str) -> tuple[str, ...]:
        # With the index, not the cache: a version that is gone back to brings its pages back.
        return "index", "converted", f"{document_id}-{CONVERSION_VERSION}.json"

    def _pages(self, document_id: str) -> tuple[str, ...]:
        return "cache", "pages", f"{document_id}-{CONVERSION_VERSION}-{PAGES_VERSION}.npz"

    def _checked(self, corpus: str, index_key: str, name: str) -> tuple[str, ...]:
        return "cache", "checked", f"corpus={corpus}", f"index_key={index_key}", f"{name}.parquet"

    def _member(self, content_sha256: str) -> tuple[str, ...]:
        return "cache", "members", content_sha256

    def _put_json(self, stage: str, key: str, value: Any) -> None:
        self._lake.put(json.dumps(value).encode(), "cache", stage, f"{key}.json")

    def _get_json(self, stage: str, key: str) -> Any:
        raw = self._lake.get("cache", stage, f"{key}.json")
        try:
            return None if raw is None else json.loads(raw)
        except ValueError as error:
            raise Damaged(self._path("cache", stage, f"{key}.json"), error) from error

    def _path(self, *parts: str) -> str:
        return self._lake.url(*parts).removeprefix("file://")
