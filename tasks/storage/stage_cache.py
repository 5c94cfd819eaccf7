"""Cache of the stages between runs: each result is stored under the key of its inputs.

Files in ``cache/`` can be made again: deleting them costs time and nothing else. Files that a rollback to an index
version needs are in ``index/``.
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

from tasks.conversion.document.serialization import DATES, from_json, to_json
from tasks.conversion.files.convert import LOGIC_VERSION as CONVERSION_VERSION
from tasks.conversion.files.reconversion import Note
from tasks.embedding.corpus.corpus_parts import Facts
from tasks.embedding.lexical.word_counts import Counts
from tasks.errors import Damaged, UsageError
from tasks.index.rows import CHUNK_SCHEMA, matrix_of, to_table
from tasks.pages.finders.verbatim import LOGIC_VERSION as PAGES_VERSION
from tasks.records import Chunk, Document, Quarantined, SourceFile, content_id, searched_text
from tasks.sources.object_fingerprints import LOGIC_VERSION as SEEN_VERSION
from tasks.sources.object_fingerprints import Seen
from tasks.storage.shard_cache import ShardCache, TableStore


class Store(TableStore, Protocol):
    """File storage of the cache; each method takes the parts of a path below the home."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Write a file, completely or not at all."""
        ...

    def get(self, *parts: str) -> bytes | None:
        """The bytes of a file; None where it is missing."""
        ...

    def url(self, *parts: str) -> str:
        """The URL by which any process can read the file."""
        ...

    def has(self, *parts: str) -> bool:
        """Tell if the file exists."""
        ...

    def drop(self, *parts: str) -> None:
        """Remove the file; a missing file is no error."""
        ...


def _gone(what: str, key: str) -> UsageError:
    return UsageError(
        f"the cache has no {what} {key}: where it was cleared meanwhile, run the same command again; where a Dask "
        "worker says so, give a --home that all of them see"
    )


class StageCache(ShardCache):
    """The cache of a home, by stage. A missing key gives None."""

    def __init__(self, lake: Store) -> None:
        super().__init__(lake)
        self._lake = lake

    def put_files(self, key: str, files: Iterable[SourceFile]) -> None:
        """Store the list of a corpus' files."""
        self._put_json("scans", key, [asdict(file) for file in files])

    def files(self, key: str) -> list[SourceFile] | None:
        """The list of a corpus' files."""
        found = self._get_json("scans", key)
        return None if found is None else [SourceFile(**file) for file in found]

    def put_seen(self, corpus: str, source: str, seen: Mapping[str, Seen]) -> None:
        """Store the fingerprints of a store's objects as of that corpus' scan, by name."""
        self._put_json("seen", content_id(corpus, source, SEEN_VERSION), dict(seen))

    def seen(self, corpus: str, source: str) -> dict[str, Seen]:
        """The fingerprints of a store's objects as of the last scan, by name;
        empty for a source that was never scanned.
        """
        found = self._get_json("seen", content_id(corpus, source, SEEN_VERSION)) or {}
        return {name: Seen(*one) for name, one in found.items()}

    def put_members(self, key: str, files: Iterable[SourceFile]) -> None:
        """Store the list of a container's members."""
        self._put_json("containers", key, [asdict(file) for file in files])

    def members(self, key: str) -> list[SourceFile] | None:
        """The members of a container; None where the list, or a member's bytes, are missing."""
        found: list[dict[str, Any]] | None = self._get_json("containers", key)
        files = [SourceFile(**file) for file in found or []]
        kept = [file for file in files if file.path]
        if found is None or not all(self._lake.has(*self._member(file.content_sha256)) for file in kept):
            return None
        # The home may have been moved since the list was written.
        return [
            replace(file, path=self._lake.url(*self._member(file.content_sha256))) if file.path else file
            for file in files
        ]

    def listed_members(self, key: str) -> list[SourceFile]:
        """The members of a container, even if their bytes are missing; empty for a container that was never opened."""
        return [SourceFile(**file) for file in self._get_json("containers", key) or []]

    def put_member(self, data: bytes, content_sha256: str) -> str:
        """Store a member's bytes; returns the URL to read them."""
        if not self._lake.has(*self._member(content_sha256)):
            self._lake.put(data, *self._member(content_sha256))
        return self._lake.url(*self._member(content_sha256))

    def member(self, content_sha256: str) -> bytes | None:
        """The bytes of a member; None where the hash is unknown."""
        return self._lake.get(*self._member(content_sha256))

    def put_document(self, document: Document | Quarantined) -> None:
        """Store a converted file."""
        self.put_document_json(document.document_id, to_json(document))

    def put_document_json(self, document_id: str, raw: bytes) -> None:
        """Store a converted file that is JSON already: to parse a long one only to write it again takes seconds."""
        self._lake.put(raw, *self._document(document_id))

    def document(self, document_id: str) -> Document | Quarantined | None:
        """The converted file, if this version of the conversion made it."""
        raw = self.document_json(document_id)
        return None if raw is None else from_json(raw)

    def document_json(self, document_id: str, version: str = CONVERSION_VERSION) -> bytes | None:
        """The JSON of :meth:`document`; of another ``version`` where one is given."""
        return self._lake.get(*self._document(document_id, version))

    def conversions(self) -> dict[str, str]:
        """The newest version of the conversion by which each converted file is kept, by its id."""
        names = (name.removesuffix(".json") for name in self._lake.names("index", "converted", suffix=".json"))
        found = [(int(version), document_id) for document_id, _, version in (name.rpartition("-") for name in names)]
        return {document_id: str(version) for version, document_id in sorted(found)}

    def section_paths(self, document_id: str) -> list[tuple[int | None, str]] | None:
        """The start and section path of each element in a converted file; None where it is missing."""
        raw = self.document_json(document_id)
        found = [] if raw is None else orjson.loads(raw).get("elements", [])
        return None if raw is None else [(element["start"], element["section_path"]) for element in found]

    def has_document(self, document_id: str) -> bool:
        """Tell if a file converted by this version of the conversion is stored."""
        return self._lake.has(*self._document(document_id))

    def put_page_matrices(self, document_id: str, raw: bytes) -> None:
        """Store the page finder's matrices of a converted file."""
        self._lake.put(raw, *self._pages(document_id))

    def page_matrices(self, document_id: str) -> bytes | None:
        """The page finder's matrices of a converted file."""
        return self._lake.get(*self._pages(document_id)) or None

    def drop_page_matrices(self, document_id: str) -> None:
        """Delete the page finder's matrices of a converted file, if there are any."""
        if self._lake.has(*self._pages(document_id)):
            self._lake.put(b"", *self._pages(document_id))

    def note(self, what: Note, document_id: str, holds: bool = True) -> None:
        """Set or, without ``holds``, delete a note about a converted file."""
        where = "cache", what, f"{document_id}-{CONVERSION_VERSION}.json"
        if not holds:
            return self._lake.drop(*where)
        return self._lake.put(b"true", *where)

    def noted(self, what: Note) -> frozenset[str]:
        """The ids of the files with that note."""
        end = f"-{CONVERSION_VERSION}.json"
        return frozenset(name.removesuffix(end) for name in self._lake.names("cache", what, suffix=end))

    def put_document_rows(self, corpus: str, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Store the rows of the table ``documents`` with the index: a version that is rolled back to needs them."""
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
        """Store the changes found when those documents of the corpus were converted."""
        self._put_json("changes", f"{corpus}-{key}", list(rows))

    def changes(self, corpus: str, key: str) -> list[dict[str, Any]]:
        """The changes found when those documents of the corpus were converted; empty without any."""
        return self._get_json("changes", f"{corpus}-{key}") or []

    def put_chunks(self, key: str, chunks: Sequence[Chunk]) -> None:
        """Store one document's chunks."""
        self._lake.put_table(to_table(chunks), "cache", "chunks", f"{key}.parquet")

    def count_chunks(self, key: str) -> int | None:
        """The number of a document's chunks; None where they are missing."""
        ids = self._lake.get_table("cache", "chunks", f"{key}.parquet", columns=["ordinal"])
        return None if ids is None else ids.num_rows

    def put_chunk_counts(self, key: str, counts: Sequence[tuple[str, int]]) -> None:
        """Store the documents of a corpus' chunks, each with its number of chunks."""
        self._put_json("chunk_lists", f"{key}-counted", list(counts))

    def chunk_counts(self, key: str) -> list[tuple[str, int]]:
        """The documents of a corpus' chunks, in order, each with its number of chunks.

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
        """The searched texts of those documents' chunks, in order. Raises as :meth:`chunk_counts`."""
        found = [self._chunks(name, ["context", "text"]).to_pylist() for name in documents]
        return [searched_text(**row) for rows in found for row in rows]

    def _chunks(self, name: str, columns: list[str] | None) -> pa.Table:
        table = self._lake.get_table("cache", "chunks", f"{name}.parquet", columns=columns)
        if table is None:
            raise _gone("chunks", name)
        return table

    def put_facts(self, key: str, facts: Facts) -> None:
        """Store the facts about a part's texts."""
        for name in ("lexical", "bm25", "abbreviations"):
            self._lake.put_table(getattr(facts, name).to_table(), "cache", "counts", f"{key}-{name}.parquet")
        texts = pa.table({"text_id": facts.text_ids, "length": pa.array(facts.lengths, pa.int32())})
        self._lake.put_table(texts, "cache", "counts", f"{key}.parquet")

    def has_facts(self, key: str) -> bool:
        """Tell if the facts about a part's texts are stored; the file checked is written last."""
        return self._lake.has("cache", "counts", f"{key}.parquet")

    def part_texts(self, key: str) -> tuple[list[str], list[int]] | None:
        """The ids and lengths in characters of a part's texts; None where it was not read yet."""
        table = self._lake.get_table("cache", "counts", f"{key}.parquet")
        return None if table is None else (table["text_id"].to_pylist(), table["length"].to_pylist())

    def counts(self, key: str, name: str, texts: int) -> Counts:
        """The word counts of a part's texts. Raises as :meth:`chunk_counts`."""
        table = self._lake.get_table("cache", "counts", f"{key}-{name}.parquet")
        if table is None:
            raise _gone("counts", key)
        return Counts.from_table(table, texts)

    def put_checked(self, corpus: str, index_key: str, pages: pa.Table, chunks: pa.Table) -> None:
        """Store the findings about an index' pages and chunks from its quality check."""
        for name, table in (("pages", pages), ("chunks", chunks)):
            self._lake.put_table(table, *self._checked(corpus, index_key, name))

    def checked(self, corpus: str, index_key: str) -> tuple[pa.Table, pa.Table] | None:
        """The findings about an index' pages and chunks from its last quality check."""
        pages, chunks = (self._lake.get_table(*self._checked(corpus, index_key, name)) for name in ("pages", "chunks"))
        return None if pages is None or chunks is None else (pages, chunks)

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

    def put_pairs(self, key: str, pairs: Sequence[dict[str, Any]]) -> None:
        """Store questions with the chunks that answer them."""
        self._put_json("pairs", key, list(pairs))

    def pairs(self, key: str) -> list[dict[str, Any]] | None:
        """Questions with the chunks that answer them."""
        found: list[dict[str, Any]] | None = self._get_json("pairs", key)
        return found

    def put_reply(self, key: str, reply: str) -> None:
        """Store a model server's reply."""
        self._put_json("replies", key, reply)

    def reply(self, key: str) -> str | None:
        """The stored reply of a model server."""
        found: str | None = self._get_json("replies", key)
        return found

    def put_filled(self, key: str, what: Mapping[str, str]) -> None:
        """Store the identity of the run that made a filled copy."""
        self._lake.put(json.dumps(dict(what)).encode(), "index", "filled", f"{key}.json")

    def filled(self, key: str) -> dict[str, str] | None:
        """The identity of the run that made a filled copy."""
        raw = self._lake.get("index", "filled", f"{key}.json")
        return None if raw is None else json.loads(raw)

    def put_history(self, corpus: str, index_key: str, versions: Sequence[str]) -> None:
        """Store the versions that were live, the oldest first, without those that were rolled back."""
        self._lake.put(json.dumps(list(versions)).encode(), "index", "history", f"{corpus}-{index_key}.json")

    def history(self, corpus: str, index_key: str) -> list[str]:
        """The versions that were live, the oldest first."""
        raw = self._lake.get("index", "history", f"{corpus}-{index_key}.json")
        return [] if raw is None else json.loads(raw)

    def put_publishing(self, corpus: str, index_version: str) -> None:
        """Mark a version as being published; an empty string clears the mark."""
        self._lake.put(index_version.encode(), "index", "publishing", corpus)

    def publishing(self, corpus: str) -> str:
        """The version whose publishing has begun and not ended; empty where there is none."""
        return (self._lake.get("index", "publishing", corpus) or b"").decode()

    def put_state(self, key: str, name: str, raw: bytes) -> None:
        """Store a fitted state of an index version, with the index rather than the cache: it is part of it."""
        self._lake.put(raw, "index", "states", f"{key}.{name}.npz")

    def state(self, key: str, name: str) -> bytes | None:
        """The fitted state of an index version. Raises Damaged where its bytes are not those that were written."""
        where = "index", "states", f"{key}.{name}.npz"
        raw = self._lake.get(*where)
        try:
            if raw is not None and (spoilt := ZipFile(io.BytesIO(raw)).testzip()):
                raise Damaged(self._path(*where), f"{spoilt} in it is not what was written")
        except BadZipFile as error:
            raise Damaged(self._path(*where), error) from error
        return raw

    def has_state(self, key: str, name: str) -> bool:
        """Tell if that fitted state is stored."""
        return self._lake.has("index", "states", f"{key}.{name}.npz")

    def drop_states(self, key: str) -> None:
        """Delete the fitted states under that key, and the vectors that were projected by them."""
        self._drop_lexical(key, frozenset())
        for name in self._lake.names("index", "states", suffix=".npz"):
            if name.startswith(f"{key}."):
                self._lake.drop("index", "states", name)

    def _document(self, document_id: str, version: str = CONVERSION_VERSION) -> tuple[str, ...]:
        # With the index, not the cache: a rollback to a version restores its pages.
        return "index", "converted", f"{document_id}-{version}.json"

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
