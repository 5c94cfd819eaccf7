"""Cache of the gate's facts about pages and chunks, keyed by the bytes that they were computed from.

Most facts depend on one document alone, and most documents are unchanged. All documents are read and hashed again, and
facts of the same bytes are reused; a document or a chunk that was damaged since has other bytes, and is checked anew.
Facts that depend on the whole version (counts, duplicate ids, vectors) are not cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import orjson
import pandas as pd
import pyarrow as pa

from tasks.index.rows import chunk_columns
from tasks.pages.finders import verbatim
from tasks.quality import frames
from tasks.quality.frames import ChunkFacts, PageFacts, chunk_frame, page_frame
from tasks.records import content_id
from tasks.safety import injection
from tasks.storage.stage_cache import StageCache

KEY = "facts_key"
"""Name of the column with the cache key of a row."""


class KeptFacts(NamedTuple):
    """Cached facts: the frames of :func:`page_frame` and :func:`chunk_frame`, with a column KEY."""

    pages: pd.DataFrame
    chunks: pd.DataFrame

    @property
    def keys(self) -> frozenset[str]:
        """The keys that are in both frames: a run that was killed may have written only one of them."""
        return frozenset(self.pages[KEY]) & frozenset(self.chunks[KEY])

    def of(self, keys: Collection[str]) -> KeptFacts:
        """The facts with these keys."""
        return KeptFacts(*(frame[frame[KEY].isin(keys)] for frame in self))

    def with_found(self, found: FoundFacts) -> KeptFacts:
        """These facts, followed by those ``found``."""
        pages = page_frame(found.pages).assign(**{KEY: pd.Series(found.page_keys, dtype="string")})
        chunks = chunk_frame(found.chunks).assign(**{KEY: pd.Series(found.chunk_keys, dtype="string")})
        return KeptFacts(_joined(self.pages, pages), _joined(self.chunks, chunks))


class FoundFacts(NamedTuple):
    """New facts about pages and chunks, with the key of each."""

    pages: list[PageFacts]
    page_keys: list[str]
    chunks: list[ChunkFacts]
    chunk_keys: list[str]

    def add(self, key: str, pages: Sequence[PageFacts], chunks: Sequence[ChunkFacts]) -> None:
        """Add the facts of one document under its key."""
        self.pages.extend(pages)
        self.page_keys.extend([key] * len(pages))
        self.chunks.extend(chunks)
        self.chunk_keys.extend([key] * len(chunks))


class FactCache(StageCache):
    """The facts from the last quality check of each index."""

    def put_checked(self, corpus: str, index_key: str, pages: pa.Table, chunks: pa.Table) -> None:
        """Store the facts about an index' pages and chunks."""
        for name, table in (("pages", pages), ("chunks", chunks)):
            self._lake.put_table(table, *_checked(corpus, index_key, name))

    def checked(self, corpus: str, index_key: str) -> tuple[pa.Table, pa.Table] | None:
        """The facts about an index' pages and chunks; None where either is missing."""
        pages, chunks = (self._lake.get_table(*_checked(corpus, index_key, name)) for name in ("pages", "chunks"))
        return None if pages is None or chunks is None else (pages, chunks)


def _checked(corpus: str, index_key: str, name: str) -> tuple[str, ...]:
    return "cache", "checked", f"corpus={corpus}", f"index_key={index_key}", f"{name}.parquet"


def facts_key(document: bytes, matrices: bytes, rows: pa.Table, granularities: Sequence[str]) -> str:
    """The cache key of a document's facts: a hash of everything that they depend on.

    That is the ``document`` as JSON, its page finder's ``matrices``, its ``rows`` of the index without their vectors,
    the plan's ``granularities``, and the versions of the logic.
    """
    # Not Arrow's own bytes: they also contain the rows around a slice.
    told = orjson.dumps(rows.select(chunk_columns(rows.schema)).to_pydict())
    logic = (frames.LOGIC_VERSION, verbatim.LOGIC_VERSION, injection.LOGIC_KEY)
    return content_id("facts", *logic, document, matrices, told, *granularities)


def _joined(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    # An empty frame may have been cached by another version of bidfolio, with other columns.
    return pd.concat([old, new], ignore_index=True) if len(old) and len(new) else old if len(old) else new
