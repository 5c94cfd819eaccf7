"""Chunks and vectors to an index version: staged, and, once it is checked, published with the lake's tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from configs.plans import Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.conversion.documents import element_rows, page_rows
from tasks.embedding.lexical import LexicalState
from tasks.embedding.model_files import model_fingerprint
from tasks.embedding.shards import text_id
from tasks.errors import UsageError
from tasks.index.content import content_key
from tasks.index.rows import chunks_of, matrix_of, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.lake import Lake
from tasks.progress import track
from tasks.records import Document
from tasks.references import Converted, Embedded, Scan, Staged
from tasks.runs import Run, now
from tasks.stage import stage


def writing_index(corpus: str, settings: Settings) -> AbstractContextManager[None]:
    """Holds the right to write the corpus' indexes. Raises IndexLocked where another run has it."""
    return IndexStore(settings.home).writing(corpus)


@stage("find the corpus")
def find_corpus(corpus: str | None, settings: Settings) -> str:
    """``corpus``, or the only one that is published. Raises UsageError that names those there are."""
    live = sorted({version.manifest.corpus for version in IndexStore(settings.home).versions() if version.is_live})
    if corpus in live or (corpus is None and len(live) == 1):
        return corpus or live[0]
    if not live:
        raise UsageError("no corpus is published yet: run `bidfolio refresh SOURCE` first")
    raise UsageError(f"say which corpus with --corpus: there are {', '.join(live)}")


@stage("is {scan.corpus} current")
def find_current(scan: Scan, plan: Plan, settings: Settings) -> Staged | None:
    """The live version, where it was made of just these files by just this plan; else None."""
    live = IndexStore(settings.home).live(scan.corpus, plan.index_key)
    return _reference(live) if live and live.content_key == scan.content_key else None


@stage("version of {converted.corpus} for {plan.name}")
def find_version(converted: Converted, plan: Plan, settings: Settings) -> Staged | None:
    """A version, published or not, that was made of the lake's documents by just this plan; else None."""
    rows = StageCache(Lake(settings.home)).document_rows(converted.key) or []
    fingerprint = model_fingerprint(plan.embedding.model, plan.embedding.max_length)
    wanted = content_key((row["document_id"] for row in rows), plan, fingerprint)
    versions = IndexStore(settings.home).versions()
    return next((_reference(v.manifest) for v in versions if v.manifest.content_key == wanted), None)


@stage("stage {converted.corpus} for {plan.name}")
def stage_index(converted: Converted, embedded: Embedded, plan: Plan, settings: Settings) -> Staged:
    """A version that is there and not live."""
    cache = StageCache(Lake(settings.home))
    rows = cache.document_rows(converted.key) or []
    chunks = cache.chunk_table(embedded.chunked.key)
    texts = [chunk.searched_text for chunk in chunks_of(chunks)]
    manifest = Manifest(
        corpus=converted.corpus,
        index_key=plan.index_key,
        plan=plan.name,
        model=plan.embedding.model,
        max_length=plan.embedding.max_length,
        model_fingerprint=embedded.model_fingerprint,
        state_key=embedded.state_key,
        content_key=content_key((row["document_id"] for row in rows), plan, embedded.model_fingerprint),
        documents=sum(row["status"] == "indexed" for row in rows),
        chunks=chunks.num_rows,
    )
    if texts:
        with track("Staging the index", 1) as advance:
            known = cache.dense(embedded.model_fingerprint, frozenset(map(text_id, texts)))
            dense = np.stack([known[text_id(text)] for text in texts])
            lexical = LexicalState.from_bytes(cache.state(embedded.state_key, "lexical") or b"").project(texts)
            IndexStore(settings.home).stage(manifest, with_vectors(chunks, dense, lexical))
            advance(1)
    return _reference(manifest)


@stage("publish {staged.index_version}")
def publish_index(converted: Converted, staged: Staged, plan: Plan, run: Run, settings: Settings) -> Staged:
    """The version, now live. The lake's tables are replaced first, each whole; the tag moves last, in one step."""
    lake = Lake(settings.home)
    store = IndexStore(settings.home)
    for name, rows in _lake_tables(StageCache(lake), converted):
        lake.write(name, rows, corpus=staged.corpus)
    index_rows = store.rows(staged.corpus, staged.index_key, staged.index_version)
    manifest = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    partition = {"corpus": staged.corpus, "index_key": staged.index_key}
    lake.write("chunks", list(_chunk_rows(index_rows, partition)), **partition)
    lake.write("vectors", _vector_rows(index_rows, partition, manifest.model_fingerprint), **partition)
    store.publish(staged.corpus, staged.index_key, staged.index_version)
    version = {
        **run.identity,
        "index_version": staged.index_version,
        "plan": plan.name,
        "documents": staged.documents,
        "chunks": staged.chunks,
        "model_fingerprint": manifest.model_fingerprint,
        "published_at": now(),
    }
    lake.write("index_versions", [version | partition], run_id=run.run_id)
    return staged


def index_versions(settings: Settings) -> list[dict[str, Any]]:
    """Every version of every index, oldest first; no index gives none."""
    return [
        {
            "index_version": version.manifest.index_version,
            "corpus": version.manifest.corpus,
            "plan": version.manifest.plan,
            "documents": version.manifest.documents,
            "chunks": version.manifest.chunks,
            "live": version.is_live,
        }
        for version in IndexStore(settings.home).versions()
    ]


def find_staged(index_version: str, plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """A version that is there, live or not. Raises UsageError where it is not."""
    where = find_corpus.fn(corpus, settings)
    return _reference(IndexStore(settings.home).manifest(where, plan.index_key, index_version))


def publish_again(staged: Staged, settings: Settings) -> Staged:
    """A version that is there, now live."""
    store = IndexStore(settings.home)
    with store.writing(staged.corpus):
        store.publish(staged.corpus, staged.index_key, staged.index_version)
    return staged


def roll_back_index(plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """The version before the live one, now live. Raises UsageError where there is none."""
    store = IndexStore(settings.home)
    where = find_corpus.fn(corpus, settings)
    with store.writing(where):
        return _reference(store.rollback(where, plan.index_key))


def _reference(manifest: Manifest) -> Staged:
    return Staged(manifest.corpus, manifest.index_key, manifest.index_version, manifest.documents, manifest.chunks)


def _lake_tables(cache: StageCache, converted: Converted) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    rows = cache.document_rows(converted.key) or []
    yield "documents", rows
    found = [cache.document(row["document_id"]) for row in rows]
    documents = [document for document in found if isinstance(document, Document)]
    yield "pages", [row for document in documents for row in page_rows(converted.corpus, document)]
    yield "elements", [row for document in documents for row in element_rows(converted.corpus, document)]


def _chunk_rows(rows: pa.Table, partition: dict[str, str]) -> Iterator[dict[str, Any]]:
    for chunk in chunks_of(rows):
        yield partition | {
            "chunk_id": chunk.chunk_id,
            "document_id": chunk.document_id,
            "file_name": chunk.file_name,
            "kind": chunk.kind,
            "chunk_index": chunk.ordinal,
            "page_number": chunk.page_number,
            "last_page_number": chunk.page_spans[-1].page_number if chunk.page_spans else None,
            "sheet_name": chunk.sheet_name,
            "row_number": chunk.row_number,
            "section_path": chunk.section_path,
            "start_offset": chunk.start,
            "end_offset": chunk.end,
            "token_count": chunk.token_count,
            "context": chunk.context,
            "text": chunk.text,
        }


def _vector_rows(rows: pa.Table, partition: dict[str, str], fingerprint: str) -> list[dict[str, Any]]:
    ids: list[str] = rows["chunk_id"].to_pylist()
    dense, lexical = (_as_bytes(matrix_of(rows, column)) for column in ("dense", "lexical"))
    return [
        partition | {"chunk_id": chunk_id, "model_fingerprint": fingerprint, "dense": d, "lexical": x}
        for chunk_id, d, x in zip(ids, dense, lexical, strict=True)
    ]


def _as_bytes(vectors: NDArray[np.float32]) -> list[bytes]:
    return [vector.astype("<f4").tobytes() for vector in vectors]
