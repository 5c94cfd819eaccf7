"""Cache of the gate's facts about pages and chunks, keyed by the bytes that they were computed from.

Most facts depend on one document alone, and most documents are unchanged. All documents are read and hashed again, and
facts of the same bytes are reused; a document or a chunk that was damaged since has other bytes, and is checked anew.
Facts that depend on the whole version (counts, duplicate ids, vectors) are not cached.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import orjson
import pandas as pd
import pyarrow as pa

from tasks.index.rows import chunk_columns
from tasks.pages.finders import verbatim
from tasks.quality import frames
from tasks.quality.frames import ChunkFacts, PageFacts, frame_of
from tasks.records import content_id
from tasks.safety import injection
from tasks.storage.stage_cache import StageCache

KEY = "facts_key"
"""Name of the column with the cache key of a row."""


class KeptFacts(NamedTuple):
    """Cached facts: the frames of PageFacts and ChunkFacts, with a column KEY."""

    pages: pd.DataFrame
    chunks: pd.DataFrame

    @property
    def keys(self) -> frozenset[str]:
        """The keys that are in both frames: a run that was killed may have written only one of them."""
        return frozenset(self.pages[KEY]) & frozenset(self.chunks[KEY])

    def of(self, keys: Collection[str]) -> KeptFacts:
        """The facts with these keys."""
        return KeptFacts(*(frame[frame[KEY].isin(keys)] for frame in self))

    def with_found(self, pages: Sequence[tuple[str, PageFacts]], chunks: Sequence[tuple[str, ChunkFacts]]) -> KeptFacts:
        """These facts, followed by new ones, each with its key."""
        return KeptFacts(_joined(self.pages, PageFacts, pages), _joined(self.chunks, ChunkFacts, chunks))


class FactCache(StageCache):
    """The facts from the last quality check of each index."""

    def put_checked(self, corpus: str, index_key: str, facts: KeptFacts) -> None:
        """Store the facts about an index' pages and chunks."""
        for name, frame in facts._asdict().items():
            self._lake.put_table(pa.Table.from_pandas(frame, preserve_index=False), *_checked(corpus, index_key, name))

    def checked(self, corpus: str, index_key: str) -> KeptFacts | None:
        """The facts about an index' pages and chunks; None where either is missing."""
        pages, chunks = (self._lake.get_table(*_checked(corpus, index_key, name)) for name in KeptFacts._fields)
        return None if pages is None or chunks is None else KeptFacts(pages.to_pandas(), chunks.to_pandas())


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


def _joined(old: pd.DataFrame, kind: type[tuple[Any, ...]], found: Sequence[tuple[str, Any]]) -> pd.DataFrame:
    new = frame_of(kind, [facts for _, facts in found])
    new[KEY] = pd.Series([key for key, _ in found], dtype="string")
    # An empty frame may have been cached by another version of bidfolio, with other columns.
    return pd.concat([old, new], ignore_index=True) if len(old) and len(new) else old if len(old) else new
