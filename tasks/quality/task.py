"""The gate before publishing: the suites over a staged version."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from configs.plans import Plan
from configs.settings import Settings
from tasks.cache import StageCache
from tasks.errors import GateRefused, UsageError
from tasks.index.rows import chunks_of, matrix_of
from tasks.index.store import IndexStore
from tasks.lake import Lake
from tasks.pages.finder import PageFinder
from tasks.pages.measure import is_borne_out
from tasks.pages.stored import load_finder, pages_of
from tasks.quality.frames import chunk_frame, vector_frame
from tasks.records import Chunk, Document
from tasks.references import Staged
from tasks.runs import Run
from tasks.stage import stage

if TYPE_CHECKING:
    from tasks.quality.suites import Finding


@stage("check {staged.index_version}")
def check_index(staged: Staged, plan: Plan, run: Run, settings: Settings) -> Staged:
    """The same version, now checked; what was found is in the table ``quality`` and in Data Docs.

    Raises GateRefused that names what failed; what is live stays live.
    """
    findings = check_version(staged, plan, settings)
    identity = {**run.identity, "corpus": staged.corpus}
    Lake(settings.home).write("quality", [identity | asdict(finding) for finding in findings], run_id=run.run_id)
    require_passed(findings, staged, settings)
    return staged


def require_passed(findings: Sequence[Finding], staged: Staged, settings: Settings) -> None:
    """Raises GateRefused that names the expectations that did not hold; none of them, and nothing happens."""
    failed = [finding for finding in findings if not finding.passed]
    if failed:
        named = "; ".join(f"{f.suite}.{f.column_name or 'table'} {f.expectation}: {f.observed}" for f in failed)
        raise GateRefused(
            f"version {staged.index_version} of {staged.corpus!r} did not pass and is not made live: {named}. "
            f"Details: {settings.home}/data_docs/index.html. Where a cached file is spoilt, delete "
            f"{settings.home}/cache and refresh again"
        )


def check_version(staged: Staged, plan: Plan, settings: Settings) -> Sequence[Finding]:
    """Every expectation held against the version. Raises UsageError where its documents are gone."""
    # Great Expectations takes seconds to import, and an unchanged corpus needs no gate.
    from tasks.quality.suites import chunk_suite, validate, vector_suite

    cache = StageCache(Lake(settings.home))
    rows = IndexStore(settings.home).rows(staged.corpus, staged.index_key, staged.index_version)
    chunks = chunks_of(rows)
    wanted = {chunk.document_id: chunk.file_name for chunk in chunks}
    documents = [found for key in wanted if isinstance(found := cache.document(key), Document)]
    texts = {document.document_id: document.text for document in documents}
    if wanted.keys() - texts.keys():
        names = ", ".join(sorted(wanted[key] for key in wanted.keys() - texts.keys())[:3])
        raise UsageError(
            f"version {staged.index_version} cannot be checked: its documents ({names} …) were converted by another "
            "version of bidfolio, or are gone: refresh again"
        )
    vectors = vector_frame([chunk.chunk_id for chunk in chunks], matrix_of(rows, "dense"), matrix_of(rows, "lexical"))
    frames = {
        "chunks": (
            chunk_frame(chunks, texts, _borne_out(chunks, documents, load_finder(cache, wanted))),
            chunk_suite(plan.chunking.max_tokens),
        ),
        "vectors": (vectors, vector_suite(staged.chunks)),
    }
    return validate(frames, f"{settings.home}/data_docs")


def _borne_out(chunks: Sequence[Chunk], documents: Iterable[Document], finder: PageFinder) -> dict[str, bool]:
    pages = {document.file_name: pages_of(document) for document in documents}
    said: dict[str, bool] = {}
    for name, of_file in groupby(sorted(chunks, key=attrgetter("file_name")), key=attrgetter("file_name")):
        asked = list(of_file)
        found = finder.find(name, [chunk.text for chunk in asked])
        said |= {one.chunk_id: is_borne_out(one, page, pages[name]) for one, page in zip(asked, found, strict=True)}
    return said
