"""What the gate found of a document's pages and chunks, kept by the very bytes that it was found from.

Most of what the gate looks at depends on one document alone, and most documents are as they were. Of these, everything
is read again and hashed, and what was found of the same bytes is taken; a document or a chunk that was spoilt since has
other bytes, and is looked at anew. What depends on the whole (counts, ids that are there twice, vectors) is not kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import orjson
import pandas as pd
import pyarrow as pa

from tasks.index.rows import chunk_columns
from tasks.pages import verbatim
from tasks.quality import frames
from tasks.quality.frames import ChunkFacts, PageFacts, chunk_frame, page_frame
from tasks.records import content_id
from tasks.safety import injection

KEY = "facts_key"
"""The column that tells by which key a row is kept."""


class KeptFacts(NamedTuple):
    """The frames of :func:`page_frame` and :func:`chunk_frame`, with a column KEY."""

    pages: pd.DataFrame
    chunks: pd.DataFrame

    @property
    def keys(self) -> frozenset[str]:
        """The keys by which pages and chunks are kept: a run that is killed may have written one of the two."""
        return frozenset(self.pages[KEY]) & frozenset(self.chunks[KEY])

    def of(self, keys: Collection[str]) -> KeptFacts:
        """Those of these keys."""
        return KeptFacts(*(frame[frame[KEY].isin(keys)] for frame in self))

    def with_found(self, found: FoundFacts) -> KeptFacts:
        """These, and after them what was ``found``."""
        pages = page_frame(found.pages).assign(**{KEY: pd.Series(found.page_keys, dtype="string")})
        chunks = chunk_frame(found.chunks).assign(**{KEY: pd.Series(found.chunk_keys, dtype="string")})
        return KeptFacts(_joined(self.pages, pages), _joined(self.chunks, chunks))


class FoundFacts(NamedTuple):
    """What is found of pages and chunks, and the key of each."""

    pages: list[PageFacts]
    page_keys: list[str]
    chunks: list[ChunkFacts]
    chunk_keys: list[str]

    def add(self, key: str, pages: Sequence[PageFacts], chunks: Sequence[ChunkFacts]) -> None:
        """What was found of a document."""
        self.pages.extend(pages)
        self.page_keys.extend([key] * len(pages))
        self.chunks.extend(chunks)
        self.chunk_keys.extend([key] * len(chunks))


def facts_key(document: bytes, matrices: bytes, rows: pa.Table, granularities: Sequence[str]) -> str:
    """The key of what there is to find: of the ``document`` as JSON, the page finder's ``matrices`` of it, its ``rows``
    of the index, without their vectors, and the plan's ``granularities``.
    """
    # Arrow's own bytes tell of what lies beside a slice, too.
    told = orjson.dumps(rows.select(chunk_columns(rows.schema)).to_pydict())
    logic = (frames.LOGIC_VERSION, verbatim.LOGIC_VERSION, injection.LOGIC_KEY)
    return content_id("facts", *logic, document, matrices, told, *granularities)


def _joined(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    # One without rows may have been kept by another version, with other columns.
    return pd.concat([old, new], ignore_index=True) if len(old) and len(new) else old if len(old) else new
