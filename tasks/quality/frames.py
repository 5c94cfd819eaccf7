"""Data frames that the index suites check: rows reduced to figures, flags and places.

No text of a document reaches a report.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import takewhile
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tasks.chunking.chunker import covers
from tasks.places import page_place
from tasks.records import Chunk, Document, Page, PageSpan
from tasks.safety.injection import order_in_chunk

LOGIC_VERSION = "3"
"""Version of the logic, part of the key of cached facts. Change it whenever the same input would give other facts."""
PAGED_KINDS = frozenset({"pdf", "pptx"})
LEAST_COSINE = 0.99
"""Cosine from which two vectors of the same text count as equal: a quantized model gives a text a slightly different
vector among other texts of a batch.
"""
DTYPES: Mapping[Any, str] = {
    str: "string",
    str | None: "string",
    bool: "bool",
    bool | None: "boolean",
    int: "int64",
    int | None: "Int64",
    float | None: "float64",
}
"""The column type of each type of fact."""

Matrix = NDArray[np.float32]


class Counts(NamedTuple):
    """Size of a version: its documents, pages and chunks.

    ``chunks`` is None if the plan had no version before, the others if no version before is known.
    """

    documents: int | None
    pages: int | None
    chunks: int | None


class PageFacts(NamedTuple):
    """Facts about a page. ``page_key`` is its document and number, null if it has no number."""

    place: str
    document_id: str | None
    page_number: int | None
    page_key: str | None
    is_within_text: bool


class ChunkFacts(NamedTuple):
    """Facts about a chunk, as flags that the suite checks.

    ``pages_exist``: the numbered pages that it names, with the part of it on each, are exactly those that it touches.
    ``is_cut_whole``: the chunks of each granularity of the plan cover all of its document's text. ``gives_orders``: its
    text, or a title or name above it, contains prompt injection. ``page_is_found``: a page finder that does not know
    the offsets finds one of its pages, or a page with the same text; null for a chunk without pages.
    """

    place: str
    chunk_id: str | None
    has_document: bool
    token_count: int
    characters: int
    is_verbatim: bool
    lacks_page: bool
    pages_exist: bool
    page_is_found: bool | None
    granularity: str
    is_cut_whole: bool
    gives_orders: bool


NOTHING = Counts(0, 0, 0)


def deleted_files(before: Iterable[str], now: Iterable[str]) -> frozenset[str]:
    """The files of ``before`` that somebody deleted or renamed: they are gone from a folder that has other files still.

    Where a folder has none left, it may as well be out of reach: a drive that is not mounted, a pattern too narrow.
    """
    there = frozenset(now)
    folders = {name.rpartition("/")[0] for name in there}
    return frozenset(name for name in before if name not in there and name.rpartition("/")[0] in folders)


def counts_frame(before: Counts | None, now: Counts, judged_from: int, deleted: Counts = NOTHING) -> pd.DataFrame:
    """Build a one-row frame with the share of documents, pages and chunks that is left of the version before.

    ``…_kept`` are the shares of all, ``…_explained`` those that are there or were ``deleted`` on purpose. A share is
    null if there were none before, or fewer than ``judged_from``. ``place`` shows the counts themselves.
    """
    old = before or Counts(None, None, None)
    rows = list(zip(Counts._fields, old, now, deleted, strict=True))
    told = ", ".join(
        f"{name} {was if was is not None else '?'} → {is_}{f' ({gone} deleted)' if gone else ''}"
        for name, was, is_, gone in rows
    )
    shares = {f"{name}_kept": [_share(was, is_, judged_from)] for name, was, is_, _ in rows}
    explained = {
        f"{name}_explained": [_share(was, (is_ or 0) + (gone or 0), judged_from)] for name, was, is_, gone in rows
    }
    return pd.DataFrame({"place": pd.Series([told], dtype="string"), **shares, **explained})


def page_facts(document: Document) -> Iterator[PageFacts]:
    """The facts about each page of a document; none for a document without pages."""
    for index, page in enumerate(document.pages, start=1):
        name = f"sheet {page.sheet_name}" if page.sheet_name else f"part {index}"
        yield PageFacts(
            place=f"{document.file_name}, {name if page.page_number is None else page_place(page.page_number)}",
            document_id=document.document_id or None,
            page_number=page.page_number,
            page_key=None if page.page_number is None else f"{document.document_id} {page.page_number}",
            is_within_text=0 <= page.start <= page.end <= len(document.text),
        )


def chunk_facts(
    chunks: Sequence[Chunk], document: Document | None, borne_out: Mapping[str, bool], granularities: Iterable[str]
) -> Iterator[ChunkFacts]:
    """The facts about each chunk of a document; ``document`` is None if the version does not have it.

    ``borne_out`` tells by chunk id if the page finder confirms its pages; a missing chunk counts as not confirmed.
    ``granularities`` are those of the plan.
    """
    pages = [page for page in document.pages if page.page_number is not None] if document else []
    ends = [page.end for page in pages]
    # Unanswered questions are in no chunk.
    left_out = (
        [(one.start or 0, one.end or 0) for one in document.elements if one.kind == "question"] if document else []
    )
    is_cut_whole = document is not None and all(
        covers([*left_out, *((one.start, one.end) for one in chunks if one.granularity == name)], document.text)
        for name in granularities
    )
    for chunk in chunks:
        where = "" if chunk.page_number is None else f", {page_place(chunk.page_number)}"
        yield ChunkFacts(
            place=f"{chunk.file_name}{where}, chunk {chunk.chunk_id or '?'}",
            chunk_id=chunk.chunk_id or None,
            has_document=document is not None,
            token_count=chunk.token_count,
            characters=len(chunk.text.strip()),
            is_verbatim=document is not None and document.text[chunk.start : chunk.end] == chunk.text,
            lacks_page=chunk.kind in PAGED_KINDS and chunk.page_number is None,
            pages_exist={span for span in chunk.page_spans if span.page_number is not None}
            == set(_touched(pages[bisect_right(ends, chunk.start) :], chunk)),
            page_is_found=None if chunk.page_number is None else borne_out.get(chunk.chunk_id, False),
            granularity=chunk.granularity,
            is_cut_whole=is_cut_whole,
            gives_orders=order_in_chunk(chunk) is not None,
        )


def _touched(pages: Iterable[Page], chunk: Chunk) -> Iterator[PageSpan]:
    """The part of the chunk on each of the ``pages``, in order from the first that ends after its start."""
    for page in takewhile(lambda page: page.start < chunk.end, pages):
        start, end = max(page.start, chunk.start), min(page.end, chunk.end)
        if start < end:
            yield PageSpan(page.page_number, start, end)


def frame_of(kind: type[tuple[Any, ...]], facts: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """Build the frame of some facts, which are NamedTuples of one ``kind``; no facts give no rows, all columns."""
    types = {name: DTYPES[hint] for name, hint in get_type_hints(kind).items()}
    return pd.DataFrame(facts, columns=list(types)).astype(types)


def vector_frame(
    places: Sequence[str],
    chunk_ids: Sequence[str],
    text_ids: Sequence[str],
    dense: Matrix,
    lexical: Matrix,
    kept: Iterable[tuple[Sequence[str], Matrix]] = (),
) -> pd.DataFrame:
    """Build the frame of vector checks: ``place, chunk_id, dense_norm, lexical_norm, is_own, is_of_text``.

    A vector that is not finite has a null norm; no vectors give no rows. ``text_ids`` are the ids of the searched
    texts. ``is_own``: no chunk with another text has the same dense vector, bit for bit. A few may share one: to an
    uncased model, two texts that differ only in case are the same. ``is_of_text``: the dense vector matches the cached
    (``kept``) vector of the text; null if none is cached.
    """
    return pd.DataFrame(
        {
            "place": pd.Series(list(places), dtype="string"),
            "chunk_id": pd.Series([chunk_id or None for chunk_id in chunk_ids], dtype="string"),
            "dense_norm": _norms(dense),
            "lexical_norm": _norms(lexical),
            "is_own": _are_own(text_ids, dense),
            "is_of_text": _are_of_texts(text_ids, dense, kept),
        }
    )


def _share(was: int | None, is_: int | None, judged_from: int) -> float:
    return is_ / was if was and is_ is not None and was >= judged_from else np.nan


def _are_own(text_ids: Sequence[str], vectors: Matrix) -> pd.Series[bool]:
    text_of: dict[bytes, str] = {}
    shared: set[bytes] = set()
    digests = [sha256(vector.tobytes()).digest() for vector in vectors]
    for digest, text in zip(digests, text_ids, strict=True):
        if text_of.setdefault(digest, text) != text:
            shared.add(digest)
    return pd.Series([digest not in shared for digest in digests], dtype="bool")


def _are_of_texts(
    text_ids: Sequence[str], vectors: Matrix, kept: Iterable[tuple[Sequence[str], Matrix]]
) -> pd.Series[bool]:
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(text_ids):
        rows.setdefault(text, []).append(row)
    found: list[bool | None] = [None] * len(text_ids)
    with np.errstate(invalid="ignore"):  # values that are not finite are reported by their norm
        for ids, of_ids in kept:
            for text, vector in zip(ids, of_ids, strict=True):
                for row in rows.get(text, ()):
                    found[row] = not float(vectors[row] @ vector) < LEAST_COSINE
    return pd.Series(found, dtype="boolean")


def _norms(vectors: Matrix) -> pd.Series[float]:
    # Squares are summed in double precision without a copy of the matrix in it.
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return pd.Series(np.where(np.isfinite(norms), norms, np.nan), dtype="float64")
