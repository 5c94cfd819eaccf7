"""Conversion stage: scan a folder for new and changed files, and turn each into a document: text, pages, elements."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from configs.settings import Settings
from tasks.conversion.document.corpus_names import with_identities
from tasks.conversion.document.identity import NameFacts, name_facts
from tasks.conversion.document.serialization import CHANGED, UNREAD, document_row, documents_from_rows, from_json
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.member_cache import MemberCache
from tasks.conversion.files.members import with_members
from tasks.conversion.files.reconversion import Help, has_unread_pages
from tasks.conversion.files.version import LOGIC_VERSION
from tasks.conversion.ocr.tesseract import find_ocr
from tasks.conversion.office.libreoffice import find_renderer
from tasks.conversion.workers.cluster_conversion import convert_on_cluster
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox, convert_here
from tasks.errors import SourceChanged, UsageError
from tasks.library_names import PREFIX
from tasks.progress import Advance, track
from tasks.records import Document, Quarantined, SourceFile
from tasks.references import DEFAULT_CORPUS, Converted, FileCounts, Scan
from tasks.runtime.stage import stage
from tasks.sources.listing import full_path, list_files, read_file, read_unchanged
from tasks.sources.patterns import Patterns
from tasks.sources.scan_cache import ScanCache
from tasks.storage.document_rows import DocumentRows, documents_key
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake

OWN = "written by bidfolio"
"""The kind of filled copies and evidence workbooks that lie among the documents."""
KEPT = "changed while it was read: its earlier version stays"
"""Reason for a file that is written to during a refresh, and was published before."""


def corpus_of(source: str, settings: Settings) -> str:
    """The corpus of the documents of ``source`` where none is named: the one that was last refreshed from there, else
    :data:`DEFAULT_CORPUS`.
    """
    place, lake = full_path(source), Lake(settings.home)
    known = lake.values("documents", "corpus")
    same = [one for one in known if place in lake.read("documents", corpus=one)["source"].to_pylist()]
    return same[0] if same and DEFAULT_CORPUS not in same else DEFAULT_CORPUS


@stage("scan {source}")
def scan_corpus(source: str, corpus: str, settings: Settings) -> Scan:
    """Scan the folder, and the archives and mails in it, for the files that the patterns let in, add those of the
    library, and compare them with the corpus as it was last published.

    An archive or a mail that is written to meanwhile counts with the documents that it had. Raises UsageError where the
    folder is missing, unreadable or holds no such document, ServiceAway where its store does not answer, and
    SourceChanged where an object in it is overwritten again and again.
    """
    lake = Lake(settings.home)
    scans, cache = ScanCache(lake), ConvertedCache(lake)
    place = full_path(source)
    patterns = Patterns(tuple(settings.source.include), tuple(settings.source.exclude))
    published = {row["file_name"]: row for row in lake.read("documents", corpus=corpus).to_pylist()}
    try:
        listing = list_files(source, patterns, scans.seen(corpus, place))
        if listing.seen:
            scans.put_seen(corpus, place, listing.seen)
        with Sandbox(1, _limits(settings), Helpers()) as sandbox:
            before = partial(_documents_in, cache, published, place)
            members = MemberCache(lake)
            found, kept = with_members(listing.files, listing.containers, sandbox.opened, read_file, members, before)
    except SourceChanged:
        # Forget the fingerprints of the store's objects, so that all are hashed again.
        scans.put_seen(corpus, place, {})
        raise
    approved = _approved_files(lake, corpus)
    # The imported file itself among the documents would give every answer twice, and so would its approved answers.
    contents = {file.content_sha256 for file in approved}
    contents |= {row["content_sha256"] for row in lake.read("library", corpus=corpus).to_pylist()}
    chosen = [file for file in patterns.chosen(found, place) if file.content_sha256 not in contents]
    own = FilledCopies(lake).written_among(place, (file.file_name for file in chosen))
    files = [*(file for file in chosen if file.file_name not in own), *approved]
    quarantined = {(name, row["content_sha256"]) for name, row in published.items() if row["status"] == "quarantined"}
    failed = [file for file in files if (file.file_name, file.content_sha256) in quarantined]
    counts = count_files(files, published, failed)
    helped = _help(cache, settings)
    waiting = [file for file in files if helped.may_serve(file, published.get(file.file_name))]
    ids = [file.document_id for file in files]
    source_before = next((row["source"] for row in published.values()), None)
    if kept:
        # Forget the fingerprints of the store: they are no longer reliable.
        scans.put_seen(corpus, place, {})
    scan = Scan(
        key=documents_key(ids),
        corpus=corpus,
        source=place,
        counts=counts,
        replaced_source=source_before if source_before != place else None,
        is_readable_now=any(helped.serves(file, cache.document(file.document_id)) for file in waiting),
        idle_patterns=patterns.idle([*(file.file_name for file in found), *listing.left_out]),
        passed_over=(*listing.passed_over.items(), *([(OWN, len(own))] if own else ())),
        kept=kept,
    )
    scans.put_files(scan.key, files)
    scans.put_last_scan(corpus, scan.key)
    return scan


def _approved_files(lake: Lake, corpus: str) -> list[SourceFile]:
    """The files of the library, with a name prefix that sets them apart from the company's own documents."""
    if not lake.names("library", f"corpus={corpus}", suffix=""):
        return []
    days = {row["file_name"]: row["answered_on"] for row in lake.read("library", corpus=corpus).to_pylist()}
    files = list_files(lake.url("library", f"corpus={corpus}")).files
    named = [(f"{PREFIX}{file.file_name}", file) for file in files]
    # The library's own file is as old as its import; its answers are not.
    return [replace(file, file_name=name, written_on=str(days.get(name) or "")) for name, file in named]


@stage("convert {scan.corpus}")
def convert_documents(scan: Scan, settings: Settings) -> Converted:
    """Put every file's document into the cache, where it is not there already; a file that gives no text is
    quarantined.

    Of a file that is written to while it is read, the document that was published last stays, where this version of the
    conversion made it of a file in the same folder: its row has the hash of the bytes that it was made of. Raises
    ServiceAway where the cluster of the settings does not answer or goes away; files converted by then stay in the
    cache.
    """
    lake = Lake(settings.home)
    scans, cache, documents = ScanCache(lake), ConvertedCache(lake), DocumentRows(lake)
    files = scans.files(scan.key) or []
    published = {row["file_name"]: row for row in lake.read("documents", corpus=scan.corpus).to_pylist()}
    with track("Converting documents", len(files)) as advance:
        _convert_missing(cache, files, published, settings, advance)
    rows: list[dict[str, Any]] = []
    named: dict[str, NameFacts] = {}
    read: list[SourceFile] = []
    failed: list[SourceFile] = []
    new_reasons: list[str] = []
    kept = list(scan.kept)
    for file in files:
        document = cache.document(file.document_id)
        if document is None:
            raise SourceChanged(f"the converted {file.file_name} is gone: run the same command again")
        if isinstance(document, Quarantined) and document.depends_on == CHANGED:
            # Forget the fingerprints of the store: they are no longer reliable.
            scans.put_seen(scan.corpus, scan.source, {})
            before = published.get(file.file_name)
            if before is not None and _stays(cache, before, scan.source):
                rows.append(before)
                read.append(replace(file, content_sha256=before["content_sha256"]))
                kept.append(file.file_name)
                continue
        written = date.fromisoformat(file.written_on) if file.written_on else None
        rows.append(document_row(scan.corpus, scan.source, document, file.size_bytes, written))
        read.append(file)
        if isinstance(document, Quarantined):
            failed.append(file)
            if published.get(file.file_name, {}).get("content_sha256") != file.content_sha256:
                new_reasons.append(document.reason)
        else:
            named[document.document_id] = name_facts(document)
    rows = with_identities(rows, named)
    key = documents_key(row["document_id"] for row in rows)
    documents.put_document_rows(scan.corpus, key, rows)
    changed = list(changes(rows, published, kept))
    documents.put_changes(scan.corpus, key, changed)
    return Converted(
        key,
        scan.corpus,
        sum(row.get("page_count") or 0 for row in rows),
        count_files(read, published, failed),
        tuple(new_reasons),
        sum(row["change"] == "renamed" for row in changed),
        tuple(kept),
    )


@stage("documents of {corpus}")
def documents_of_lake(corpus: str, settings: Settings, held_out: Sequence[str] = ()) -> Converted:
    """Put the corpus in the lake back into the cache, so that another plan can be built from it; without the documents
    named in ``held_out``.

    Raises UsageError where the lake has no such corpus.
    """
    lake = Lake(settings.home)
    cache = ConvertedCache(lake)
    rows = lake.read("documents", corpus=corpus).to_pylist()
    if not rows:
        raise UsageError(f"the lake has no corpus {corpus!r}: run `bidfolio refresh FOLDER --corpus {corpus}` first")
    rows = [row for row in rows if row["file_name"] not in held_out]
    absent = [row for row in rows if not cache.has_document(row["document_id"])]
    if absent:
        ids = pa.array([row["document_id"] for row in absent], pa.string())
        tables = (lake.read(name, corpus=corpus) for name in ("pages", "elements", "lines"))
        found = (table.filter(pc.is_in(table["document_id"], ids)).to_pylist() for table in tables)
        for document in documents_from_rows(absent, *found):
            cache.put_document(document)
    if held_out:
        left = (cache.document(row["document_id"]) for row in rows)
        rows = with_identities(rows, {one.document_id: name_facts(one) for one in left if isinstance(one, Document)})
    key = documents_key(row["document_id"] for row in rows)
    DocumentRows(lake).put_document_rows(corpus, key, rows)
    quarantined = sum(row["status"] == "quarantined" for row in rows)
    pages = sum(name not in held_out for name in lake.read("pages", corpus=corpus)["file_name"].to_pylist())
    return Converted(key, corpus, pages, FileCounts(0, 0, 0, len(rows) - quarantined, quarantined), ())


def count_files(
    files: Sequence[SourceFile], published: Mapping[str, Mapping[str, Any]], failed: Sequence[SourceFile]
) -> FileCounts:
    """Count ``files`` as added, changed, deleted, unchanged or quarantined against the published rows, by name; a file
    in ``failed`` only counts as quarantined.

    A file that was quarantined and is read now has changed, whatever its bytes: its text answers now and did not
    before.
    """
    lost = {file.file_name for file in failed}
    alive = {file.file_name: file.content_sha256 for file in files if file.file_name not in lost}
    known = alive.keys() & published.keys()
    rows = {name: published[name] for name in known}
    unchanged = sum(row["status"] == "indexed" and row["content_sha256"] == alive[name] for name, row in rows.items())
    return FileCounts(
        added=len(alive.keys() - published.keys()),
        changed=len(known) - unchanged,
        deleted=len(published.keys() - {file.file_name for file in files}),
        unchanged=unchanged,
        quarantined=len(lost),
    )


def changes(
    rows: Sequence[Mapping[str, Any]], published: Mapping[str, Mapping[str, Any]], kept: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the change of each file against the published rows, by name: ``change`` is added, changed, renamed,
    deleted, quarantined or kept, with pages and words before and now. Unchanged files are left out.

    A file is renamed if it has a new name and the bytes of a file that is gone; of several such, the first by name. A
    file is ``kept`` if it has changed and could not be read; an archive, which has no row, comes last.
    """
    gone = sorted(published.keys() - {row["file_name"] for row in rows}, reverse=True)
    by_content: dict[str, list[str]] = defaultdict(list)
    for name in gone:
        by_content[published[name]["content_sha256"]].append(name)
    renamed: set[str] = set()
    for row in rows:
        before = published.get(row["file_name"], {})
        if row["file_name"] in kept:
            yield _change("kept", before, row) | {"reason": KEPT}
            continue
        if not before and row["status"] == "indexed" and by_content[row["content_sha256"]]:
            name = by_content[row["content_sha256"]].pop()
            renamed.add(name)
            yield _change("renamed", published[name], row) | {"old_name": name}
            continue
        if row["content_sha256"] == before.get("content_sha256") and row["status"] == before.get("status"):
            continue
        change = "quarantined" if row["status"] == "quarantined" else "changed" if before else "added"
        yield _change(change, before, row)
    for name in reversed(gone):
        if name not in renamed:
            yield _change("deleted", published[name], {})
    for name in sorted(set(kept) - {row["file_name"] for row in rows}):
        yield _change("kept", {}, {"file_name": name, "reason": KEPT})


def _change(change: str, before: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "change": change,
        "file_name": (row or before)["file_name"],
        "old_name": None,
        "pages_before": before.get("page_count"),
        "pages": row.get("page_count"),
        "words_before": before.get("word_count"),
        "words": row.get("word_count"),
        "reason": row.get("reason"),
    }


def _convert_missing(
    cache: ConvertedCache,
    files: Sequence[SourceFile],
    published: Mapping[str, Mapping[str, Any]],
    settings: Settings,
    advance: Advance,
) -> None:
    known = {row["content_sha256"]: row["document_id"] for row in published.values() if row["status"] == "indexed"}
    missing: list[SourceFile] = []
    helped = _help(cache, settings)
    for file in files:
        if file.refused:
            # A refused file is tried again on the next refresh.
            cache.put_document(file.refuse(file.refused, UNREAD))
        elif not cache.has_document(file.document_id):
            before = known.get(file.content_sha256)
            renamed = None if helped.has_ocr and before in helped.unread else _under_new_name(cache, file, before)
            if renamed is None:
                missing.append(file)
                continue
            cache.put_document(renamed)
            if before in helped.unread:
                cache.note("unread", file.document_id)
        elif helped.serves(file, cache.document(file.document_id)):
            missing.append(file)
            continue
        advance(1)
    if missing:
        # A new layout of the same file has other pages. Deleted beforehand: a run that is killed leaves none behind.
        cache.drop_pages({file.document_id for file in missing})
    for file, document in _converted(missing, settings):
        cache.put_document_json(file.document_id, document)
        if not file.file_name.lower().endswith(".pdf") and helped.could_render(from_json(document)):
            cache.note("unrendered", file.document_id)
        if not helped.has_ocr and has_unread_pages(document):
            cache.note("unread", file.document_id)
        elif file.document_id in helped.unread:
            cache.note("unread", file.document_id, holds=False)
        advance(1)


def _converted(files: Sequence[SourceFile], settings: Settings) -> Iterator[tuple[SourceFile, bytes]]:
    """Yield each file's document as JSON, converted by the cluster of the settings, or by processes of this machine.

    A cluster of this machine (``dask.workers``) is for embedding: as many processes are started without a scheduler.
    """
    limits = _limits(settings)
    helpers = Helpers(settings.ocr_language, settings.libreoffice)
    if settings.dask.address:
        from tasks.cluster.dask_client import DaskCluster  # its import takes a second, which a single machine saves

        convert = partial(convert_here, limits=limits, helpers=helpers, logic_version=LOGIC_VERSION)
        yield from convert_on_cluster(DaskCluster(settings.dask), convert, _can_read, files)
        return
    with Sandbox(
        settings.conversion.workers or settings.dask.workers or os.cpu_count() or 1, limits, helpers
    ) as sandbox:
        yield from sandbox.convert(files)


def _limits(settings: Settings) -> Limits:
    given = settings.conversion
    return Limits(given.seconds, given.memory_mb, given.output_mb)


def _can_read(file: SourceFile) -> bool:
    try:
        read_unchanged(file)
    except (SourceChanged, OSError):
        return False
    return True


def _under_new_name(cache: ConvertedCache, file: SourceFile, document_id: str | None) -> Document | None:
    """The document of the same bytes under the file's name; None where suffix or title have it converted anew."""
    before = cache.document(document_id) if document_id else None
    if not isinstance(before, Document):
        return None
    old, new = PurePosixPath(before.file_name), PurePosixPath(file.file_name)
    if old.suffix.lower() != new.suffix.lower() or before.title in (old.stem, before.file_name):
        return None
    return replace(before, document_id=file.document_id, file_name=file.file_name)


def _help(cache: ConvertedCache, settings: Settings) -> Help:
    return Help(
        str(_limits(settings)),
        find_ocr(settings.ocr_language) is not None,
        settings.libreoffice and find_renderer() is not None,
        cache.noted("unread"),
        cache.noted("unrendered"),
    )


def _stays(cache: ConvertedCache, row: Mapping[str, Any], source: str) -> bool:
    """Tell if the row's document can go on answering: it is of a file in that folder, converted by this version."""
    return row["status"] == "indexed" and row["source"] == source and cache.has_document(row["document_id"])


def _documents_in(
    cache: ConvertedCache, published: Mapping[str, Mapping[str, Any]], source: str, container: str
) -> list[SourceFile]:
    """The published documents of the archive or mail of that name that can go on answering."""
    names = sorted(name for name in published if name == container or name.startswith(f"{container}/"))
    rows = [published[name] for name in names if _stays(cache, published[name], source)]
    return [
        SourceFile(
            row["file_name"], "", row["size_bytes"], row["content_sha256"], written_on=str(row["file_date"] or "")
        )
        for row in rows
    ]
