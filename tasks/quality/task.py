"""Quality gate before publishing: check a staged version against the suites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, groupby

import pandas as pd
import pyarrow as pa

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.document.serialization import from_json
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.models.shards import text_id
from tasks.errors import GateRefused, UsageError
from tasks.index.rows import chunks_of, matrix_of
from tasks.index.store import IndexStore
from tasks.pages.finders.accuracy import is_borne_out
from tasks.pages.finders.finder import BestPage
from tasks.pages.finders.page_cache import PageCache
from tasks.pages.finders.storage import matrices_of, pages_of
from tasks.quality.fact_cache import KEY, FactCache, KeptFacts, facts_key
from tasks.quality.findings import Finding, finding_table, publish_command
from tasks.quality.frames import (
    NOTHING,
    ChunkFacts,
    Counts,
    Matrix,
    PageFacts,
    chunk_facts,
    counts_frame,
    deleted_files,
    page_facts,
    vector_frame,
)
from tasks.records import Chunk, Document, content_id, searched_text
from tasks.references import Checked, Staged
from tasks.runtime.flow_run import add_table
from tasks.runtime.runs import Run
from tasks.runtime.stage import stage
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake

SHARDS_LOOKED_AT = 64
"""Number of shards of cached vectors (8,192 texts) that the version's vectors are compared with."""
CHUNKS_AT_ONCE = 1000
"""Number of a file's chunks whose pages are searched at once: the scores are a matrix of chunks by pages."""


@stage("check {staged.index_version}")
def check_index(staged: Staged, plan: Plan, run: Run, settings: Settings) -> Checked:
    """Check the staged version against the suites; returns it as checked, with its warnings.

    The findings go to the table ``quality``, to an artifact and to Data Docs. Raises GateRefused, which names what
    failed; the live version stays live.
    """
    findings = check_version(staged, plan, settings, *_counts_before(staged, settings))
    identity = {**run.identity, "corpus": staged.corpus}
    Lake(settings.home).write("quality", [identity | asdict(finding) for finding in findings], run_id=run.run_id)
    add_table("quality", finding_table(findings), f"Checks of {staged.index_version}")
    require_passed(findings, staged, settings, run.plan)
    return Checked(staged, tuple(finding.message for finding in findings if finding.failed))


def require_passed(findings: Sequence[Finding], staged: Staged, settings: Settings, plan: str) -> None:
    """Raise GateRefused, with the critical expectations that failed and the remedy, if there are any.

    ``plan`` is the plan's name as the user gives it.
    """
    failed = [finding for finding in findings if finding.failed and finding.severity == "critical"]
    if not failed:
        return
    named = ". ".join(finding.message for finding in failed)
    remedy = (
        "Is the folder mounted, the address right, a pattern too narrow? Mend it and refresh again. Where the "
        f"documents are meant to be gone, publish this version by hand: {publish_command(staged, plan)}"
    )
    if any(finding.suite != "counts" for finding in failed):
        remedy = (
            f"Where a kept file is spoilt, delete {settings.home}/cache and {settings.home}/index/converted and "
            "refresh again: both are made anew"
        )
    raise GateRefused(
        f"version {staged.index_version} of {staged.corpus!r} did not pass and is not made live: {named}. "
        f"Details: {settings.home}/data_docs/index.html. {remedy}"
    )


def check_version(
    staged: Staged, plan: Plan, settings: Settings, before: Counts | None, deleted: Counts = NOTHING
) -> Sequence[Finding]:
    """Check the version against every expectation; without ``before``, its counts are not compared. Of these somebody
    ``deleted`` some.

    Raises UsageError if its documents are gone.
    """
    # Great Expectations takes seconds to import, and an unchanged corpus needs no gate.
    from tasks.quality.suites import chunk_suite, counts_suite, page_suite, validate_with_docs, vector_suite

    gate = settings.gate
    store = IndexStore(settings.home)
    lake = Lake(settings.home)
    cache, known = PageCache(lake), FactCache(lake)
    listed = _listed(staged, DocumentRows(lake), cache, store)
    rows = store.rows(staged.corpus, staged.index_key, staged.index_version)
    kept = known.checked(staged.corpus, staged.index_key)
    facts = _facts(rows, listed, sorted(plan.chunking), cache, kept)
    known.put_checked(staged.corpus, staged.index_key, facts)
    ids: list[str] = rows["chunk_id"].to_pylist()
    now = Counts(staged.documents, len(facts.pages), rows.num_rows)
    places = rows["file_name"].to_pylist()
    texts = map(searched_text, rows["context"].to_pylist(), rows["text"].to_pylist())
    text_ids = list(map(text_id, texts))
    fingerprint = store.manifest(staged.corpus, staged.index_key, staged.index_version).model_fingerprint
    vectors = vector_frame(
        [f"{name}, chunk {chunk_id or '?'}" for name, chunk_id in zip(places, ids, strict=True)],
        ids,
        text_ids,
        matrix_of(rows, "dense"),
        matrix_of(rows, "lexical"),
        _some_kept(CorpusCache(lake), fingerprint, frozenset(text_ids), staged.index_version),
    )
    sizes = {name: chunking.max_tokens for name, chunking in plan.chunking.items()}
    frames = {
        "counts": (
            counts_frame(before, now, gate.judged_from, deleted),
            counts_suite(gate.refused_loss, gate.noticed_loss),
        ),
        "pages": (facts.pages.drop(columns=KEY), page_suite()),
        "chunks": (facts.chunks.drop(columns=KEY), chunk_suite(staged.chunks, sizes, gate.pages_found)),
        "vectors": (vectors, vector_suite(staged.chunks)),
    }
    with lake.folder("data_docs") as folder:
        return validate_with_docs(frames, str(folder))


def _counts_before(staged: Staged, settings: Settings) -> tuple[Counts, Counts]:
    """Count the documents and pages of the corpus in the lake, and the chunks of this index's live version; then those
    of the files that were deleted since.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    rows = lake.read("documents", corpus=staged.corpus).to_pylist()
    indexed = {row["file_name"]: row["page_count"] or 0 for row in rows if row["status"] == "indexed"}
    live = store.live(staged.corpus, staged.index_key)
    before = Counts(len(indexed) or None, sum(indexed.values()) or None, live.chunks if live else None)
    manifest = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    listed = DocumentRows(lake).document_rows(staged.corpus, manifest.documents_key) or []
    gone = deleted_files(indexed, (row["file_name"] for row in listed))
    if not gone or not live:
        return before, NOTHING
    chunks = store.columns(live.corpus, live.index_key, live.index_version, ["file_name"])["file_name"].to_pylist()
    return before, Counts(len(gone), sum(indexed[name] for name in gone), sum(name in gone for name in chunks))


def _listed(staged: Staged, documents: DocumentRows, cache: PageCache, store: IndexStore) -> list[str]:
    """The ids of the documents that the version was made of. Raises UsageError if any of them is gone."""
    manifest = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    rows = documents.document_rows(staged.corpus, manifest.documents_key) or []
    names = {row["document_id"]: row["file_name"] for row in rows if row["status"] == "indexed"}
    gone = sorted(name for document_id, name in names.items() if not cache.has_document(document_id))
    if gone or not names:
        raise UsageError(
            f"version {staged.index_version} cannot be checked: its documents ({', '.join(gone[:3])} …) were converted "
            "by another version of bidfolio, or are gone: refresh again"
        )
    return list(names)


def _facts(
    rows: pa.Table, listed: Sequence[str], granularities: Sequence[str], cache: PageCache, kept: KeptFacts | None
) -> KeptFacts:
    """The facts about the version's pages and chunks, with one document in memory at a time; those kept are reused."""
    slices: dict[str, list[pa.Table]] = {}
    for document_id, start, length in _runs(rows["document_id"].to_pylist()):
        slices.setdefault(document_id, []).append(rows.slice(start, length))
    known = kept.keys if kept else frozenset()
    taken: list[str] = []
    pages: list[tuple[str, PageFacts]] = []
    chunks: list[tuple[str, ChunkFacts]] = []
    for document_id in listed:
        raw = cache.document_json(document_id) or b""
        of_document = pa.concat_tables(slices.pop(document_id, [rows.slice(0, 0)]))
        key = facts_key(raw, cache.page_matrices(document_id) or b"", of_document, granularities)
        if key in known:
            taken.append(key)
            continue
        own, read = chunks_of(of_document), from_json(raw) if raw else None
        document = read if isinstance(read, Document) else None
        borne_out = _borne_out(own, document, cache) if document else {}
        pages += [(key, facts) for facts in (page_facts(document) if document else ())]
        chunks += [(key, facts) for facts in chunk_facts(own, document, borne_out, granularities)]
    for part in chain.from_iterable(slices.values()):
        chunks += [("", facts) for facts in chunk_facts(chunks_of(part), None, {}, granularities)]
    before = kept.of(taken) if kept and taken else KeptFacts(pd.DataFrame(), pd.DataFrame())
    return before.with_found(pages, chunks)


def _some_kept(
    cache: CorpusCache, fingerprint: str, wanted: frozenset[str], index_version: str
) -> Iterator[tuple[list[str], Matrix]]:
    """Cached dense vectors of the ``wanted`` texts, with text ids, from all shards or a sample by version."""
    there = {name: ids for name, ids in cache.contents(fingerprint).items() if not wanted.isdisjoint(ids)}
    some = sorted(there, key=lambda name: content_id(index_version, name))[:SHARDS_LOOKED_AT]
    return cache.dense_shards(fingerprint, wanted, {name: there[name] for name in some})


def _runs(values: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Runs of equal values: the value, its first index, its length."""
    start = 0
    for value, same in groupby(values):
        length = sum(1 for _ in same)
        yield value, start, length
        start += length


def _borne_out(chunks: Sequence[Chunk], document: Document, cache: PageCache) -> Mapping[str, bool]:
    pages = pages_of(document)
    if not pages.numbers:
        return {}
    finder = BestPage({document.file_name: matrices_of(cache, document)})
    said: dict[str, bool] = {}
    for start in range(0, len(chunks), CHUNKS_AT_ONCE):
        asked = chunks[start : start + CHUNKS_AT_ONCE]
        found = finder.find(document.file_name, [chunk.text for chunk in asked])
        said |= {one.chunk_id: is_borne_out(one, page, pages) for one, page in zip(asked, found, strict=True)}
    return said
