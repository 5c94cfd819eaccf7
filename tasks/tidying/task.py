"""Garbage collection stages: remove indexes of plans that are gone, their cached data, and whole corpora."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from configs.plans import Plan, load_plan, plan_names
from configs.settings import Settings
from tasks.chunking.keys import chunk_keys, chunk_list_key
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.member_cache import MemberCache
from tasks.conversion.files.version import LOGIC_VERSION as CONVERSION_VERSION
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.corpus_parts import cut_parts, facts_key
from tasks.embedding.corpus.shard_cache import CONTENTS
from tasks.embedding.models.model_files import model_fingerprint
from tasks.embedding.models.shards import text_id
from tasks.errors import CacheGone, ReadOnly, UsageError
from tasks.index.names import index_name
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.pages.finders.verbatim import LOGIC_VERSION as PAGES_VERSION
from tasks.publishing.commit import commit_index
from tasks.publishing.version_history import VersionHistory
from tasks.records import content_id, searched_text
from tasks.retrieval.plan_fallbacks import with_substitutes
from tasks.runtime.runs import now
from tasks.runtime.stage import stage
from tasks.sources.object_fingerprints import LOGIC_VERSION as SEEN_VERSION
from tasks.sources.scan_cache import ScanCache
from tasks.storage.commits import Commits, of_corpus, of_library
from tasks.storage.commits import of_index as of_manifest
from tasks.storage.document_rows import DocumentRows, documents_key
from tasks.storage.lake import Lake
from tasks.storage.leases import lone_lease
from tasks.tidying.erasing import sweep
from tasks.tidying.retention import (
    FOLDERS,
    Kind,
    Needed,
    Removed,
    deleted_documents,
    garbage,
    index_of,
    kept_indexes,
    kept_versions,
    own_tables,
    stem,
)

Parts = tuple[str, ...]


@stage("tidy the home")
def tidy_home(settings: Settings, days: int, *, dry_run: bool) -> dict[Kind, Removed]:
    """Remove what no plan or version needs; returns what was, or with ``dry_run`` would be, removed by kind.

    A version is not needed if it holds a document that the corpus has lost, unless it is live (:func:`find_held`).
    Nothing to remove gives an empty dictionary. A plan whose file was named by a run of the last ``days`` days counts
    as current. Raises IndexLocked if a run is writing an index.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    with ExitStack() as held:
        try:
            held.enter_context(store.alone())
            held.enter_context(nullcontext() if dry_run else lone_lease(lake))
        except ReadOnly:  # nobody writes there
            if not dry_run:
                raise
        return _Tidying(lake, store, settings, dry_run).run(days)


@stage("purge the corpus {corpus}")
def purge_corpus(corpus: str, settings: Settings, *, dry_run: bool, published_too: bool) -> dict[Kind, Removed]:
    """Remove a corpus, and what :func:`tidy_home` removes; returns what was removed, or would be, by kind.

    Its indexes and versions are removed, its rows in the lake, and what was cached for its documents alone. The records
    of its runs stay. Raises UsageError if there is no such corpus, or one of its versions is live and not
    ``published_too``; and as :func:`tidy_home`.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    with store.alone(), nullcontext() if dry_run else lone_lease(lake):
        versions = store.versions()
        live = [one.manifest.index_version for one in versions if one.is_live and one.manifest.corpus == corpus]
        known = {one.manifest.corpus for one in versions} | set(lake.values("documents", "corpus"))
        known |= ScanCache(lake).scanned()
        if corpus not in known:
            raise UsageError(f"there is no corpus {corpus!r}; there are {', '.join(sorted(known)) or 'none'}")
        if live and not (published_too or dry_run):
            raise UsageError(
                f"the corpus {corpus!r} is published (version {', '.join(live)} is live): give --yes to remove it all "
                "the same, or --dry-run to see what would go"
            )
        return _Tidying(lake, store, settings, dry_run, without=corpus).run(_EVER)


@stage("find what is held")
def find_held(settings: Settings) -> dict[str, list[str]]:
    """The documents that their corpus has lost and a live version still holds, by the version's plan.

    :func:`tidy_home` removes them once the corpus was refreshed with that plan.
    """
    lake, held = Lake(settings.home), dict[str, set[str]]()
    for version in IndexStore(settings.home).versions():
        if version.is_live and (lost := lost_documents(version.manifest, lake)):
            held.setdefault(version.manifest.plan, set()).update(lost)
    return {plan: sorted(names) for plan, names in sorted(held.items())}


class _Tidying:
    def __init__(
        self, lake: Lake, store: IndexStore, settings: Settings, dry_run: bool, without: str | None = None
    ) -> None:
        self._lake, self._store, self._cache = lake, store, CorpusCache(lake)
        self._settings, self._dry_run, self._without = settings, dry_run, without
        self._removed: dict[Kind, Removed] = {}
        self._commits = Commits(lake)

    def run(self, days: int) -> dict[Kind, Removed]:
        plans, unread = plans_of_today(self._lake, self._settings, now() - timedelta(days=days))
        versions = [one for one in self._store.versions() if one.manifest.corpus != self._without]
        live_at = {file.parts[-1].removesuffix(".json"): file.written_at for file in self._lake.below(*_HISTORY)}
        indexes = kept_indexes(versions, plans, unread, live_at)
        of_index = {index_name(one.corpus, one.index_key): one for version in versions if (one := version.manifest)}
        known = VersionHistory(self._lake)
        histories = {name: known.history(one.corpus, one.index_key) for name, one in of_index.items()}
        kept = kept_versions(versions, indexes, histories, self._settings.index.keep_versions)
        live = {one.manifest for one in versions if one.is_live}
        kept = [one for one in kept if one in live or not lost_documents(one, self._lake)]
        needed = Needed(indexes, frozenset(self._needed_files(kept, plans)))
        self._remove_tables(kept, indexes)
        found = (file for folder in FOLDERS for file in self._lake.below(*folder))
        going = list(garbage(found, needed, now()))
        if not self._dry_run:
            self._commits.forget(file.parts for _, file in going)
        for kind, file in going:
            self._count(kind, 1, file.size_bytes)
            if not self._dry_run:
                self._lake.drop(*file.parts)
        self._remove_rows()
        self._forget_manifests(kept)
        left = sweep(self._lake, now(), dry_run=self._dry_run)
        self._count("staging", *left)
        return self._removed

    def _forget_manifests(self, known: Collection[Manifest]) -> None:
        """Delete the commit manifests of indexes and corpora that are gone."""
        corpora = set(self._lake.values("documents", "corpus"))
        left = {of_manifest(one.corpus, one.index_key) for one in known} | set(map(of_corpus, corpora))
        commits = self._commits
        for name in commits.names() if not self._dry_run else ():
            if name.startswith("corpus=") and name not in left:
                commits.drop(name)
        if self._without is not None and not self._dry_run:
            commits.drop(of_library(self._without))

    def _count(self, kind: Kind, files: int, size_bytes: int) -> None:
        before = self._removed.get(kind, Removed(0, 0))
        if files:
            self._removed[kind] = Removed(before.files + files, before.size_bytes + size_bytes)

    def _remove_rows(self) -> None:
        """Remove the rows of the purged corpus, and the training pairs of all corpora.

        The rows that make the corpus known are removed last.
        """
        own = f"corpus={self._without}"
        folders = [("cache", "pairs"), ("library", own), *(("lake", table, own) for table in _BY_CORPUS)]
        for folder in folders if self._without else ():
            files = self._lake.below(*folder)
            self._count("rows", len(files), sum(file.size_bytes for file in files))
            if not self._dry_run:
                self._commits.forget([folder])
                self._lake.drop_folder(*folder)
        if self._without and not self._dry_run:
            ScanCache(self._lake).drop_last_scan(self._without)

    def _remove_tables(self, kept: Collection[Manifest], indexes: Collection[str]) -> None:
        """Remove the tables of indexes that are not kept, and all versions but ``kept`` of those that are.

        The tables of rows go first, so that the versions of an index are gone at once.
        """
        tables = [name.removesuffix(".lance") for name in self._lake.names("index", suffix=".lance")]
        for table in sorted(tables, key=lambda name: (".rows-" not in name, name)):
            if index_of(table, indexes) is None:
                self._count("indexes", *self._weight(table))
                if not self._dry_run:
                    self._commits.forget([("index", f"{table}.lance")])
                    self._lake.drop_folder("index", f"{table}.lance")
        own = own_tables(kept)
        of_kept = [name for name in tables if index_of(name, indexes) and ".rows-" not in name and name not in own]
        for table in of_kept:
            self._count("versions", *self._weight(table))
        if not self._dry_run:
            left, known = {one.index_version for one in kept}, VersionHistory(self._lake)
            for corpus, index_key in sorted({(one.corpus, one.index_key) for one in kept}):
                history = known.history(corpus, index_key)
                if not left.issuperset(history):
                    self._commits.forget([("index", "history", f"{index_name(corpus, index_key)}.json")])
                    known.put_history(corpus, index_key, [one for one in history if one in left])
                self._commits.begin(of_manifest(corpus, index_key))
                self._store.keep(corpus, index_key, left, at_once=True)
                commit_index(self._lake, self._store, corpus, index_key)

    def _weight(self, table: str) -> tuple[int, int]:
        files = self._lake.below("index", f"{table}.lance")
        return len(files), sum(file.size_bytes for file in files)

    def _needed_files(self, kept: Collection[Manifest], plans: Mapping[str, Plan]) -> Iterator[Parts]:
        """The paths of all files that the kept versions, and the corpora as they are now, depend on."""
        contents: set[str] = set()
        conversions = ConvertedCache(self._lake).conversions()
        texts: dict[str, set[str]] = {}
        scans = ScanCache(self._lake)
        for corpus in {*self._lake.values("documents", "corpus"), *scans.scanned()} - {self._without}:
            rows = self._lake.read("documents", corpus=corpus).to_pylist()
            for source in {row["source"] for row in rows}:
                yield "cache", "seen", content_id(corpus, source, SEEN_VERSION)
            scan = scans.last_scan(corpus)
            for key in {documents_key(row["document_id"] for row in rows), *([scan] if scan else [])}:
                rows = _rows_of_scan(self._lake, corpus, key)
                contents |= {row["content_sha256"] for row in rows}
                yield from _of_documents(corpus, key, rows, conversions)
                done = {one.index_key for one in kept if (one.corpus, one.documents_key) == (corpus, key)}
                for plan in (plan for index_key, plan in plans.items() if index_key not in done):
                    yield from self._of_begun(rows, plan, texts)
        for one in kept:
            rows = DocumentRows(self._lake).document_rows(one.corpus, one.documents_key) or []
            contents |= {row["content_sha256"] for row in rows}
            yield from _of_documents(one.corpus, one.documents_key, rows, conversions)
            yield from (("index", "states", key) for key in one.state_keys)
            found = self._store.columns(one.corpus, one.index_key, one.index_version, ["context", "text"]).to_pylist()
            texts.setdefault(one.model_fingerprint, set()).update(text_id(searched_text(**row)) for row in found)
            if one.index_key in plans:
                with suppress(UsageError, CacheGone):  # its model, or the chunks of its documents, are missing now
                    yield from self._of_plan(rows, one, plans[one.index_key])
        yield from self._of_texts(texts)
        yield from self._of_containers(contents)

    def _of_begun(self, rows: list[dict[str, Any]], plan: Plan, texts: dict[str, set[str]]) -> Iterator[Parts]:
        """The paths of what a run that was killed has made of those documents by the plan; ``texts`` are added to."""
        with suppress(UsageError):  # its model is missing now
            keys = [key for key in chunk_keys(rows, plan) if self._cache.count_chunks(key)]
            yield from (("cache", "chunks", key) for key in keys)
            if keys:
                of_model = texts.setdefault(model_fingerprint(plan.embedding), set())
                of_model.update(map(text_id, self._cache.searched_texts(keys)))

    def _of_plan(self, rows: list[dict[str, Any]], one: Manifest, plan: Plan) -> Iterator[Parts]:
        keys = chunk_keys(rows, plan)
        yield from (("cache", "chunks", key) for key in keys)
        list_key = chunk_list_key(keys)
        yield "cache", "chunk_lists", f"{list_key}-counted"
        for part in cut_parts(self._cache.chunk_counts(list_key)):
            key = facts_key(part, plan.embedding)
            yield from (("cache", "counts", f"{key}{name}") for name in ("", "-lexical", "-bm25", "-abbreviations"))
            yield "cache", "lexical", one.space_key, part.part_id

    def _of_texts(self, texts: Mapping[str, set[str]]) -> Iterator[Parts]:
        for fingerprint, ids in texts.items():
            yield stem(("cache", "dense", fingerprint, CONTENTS))
            for name, there in self._cache.contents(fingerprint).items():
                if not ids.isdisjoint(there):
                    yield stem(("cache", "dense", fingerprint, name))

    def _of_containers(self, contents: Collection[str]) -> Iterator[Parts]:
        for name in self._lake.names("cache", "containers", suffix=".json"):
            members = MemberCache(self._lake).listed_members(name.removesuffix(".json"))
            if any(member.content_sha256 in contents for member in members):
                yield stem(("cache", "containers", name))
                yield from (("cache", "members", member.content_sha256) for member in members)


def lost_documents(manifest: Manifest, lake: Lake) -> frozenset[str]:
    """The names of the version's documents that its corpus has lost, by its last scan and by what is published.

    They are empty where an earlier bidfolio made the last scan: it did not record which it was.
    """
    scan = ScanCache(lake).last_scan(manifest.corpus)
    if scan is None:
        return frozenset()
    present = lake.read("documents", corpus=manifest.corpus).to_pylist()
    present += map(asdict, ScanCache(lake).files(scan) or ())
    return deleted_documents(DocumentRows(lake).document_rows(manifest.corpus, manifest.documents_key) or (), present)


def _rows_of_scan(lake: Lake, corpus: str, key: str) -> list[dict[str, Any]]:
    """The rows of ``documents`` of that scan; of one that was not converted to its end, with the files' ids alone."""
    rows = DocumentRows(lake).document_rows(corpus, key)
    if rows is not None:
        return rows
    files = ScanCache(lake).files(key) or ()
    return [asdict(one) | {"document_id": one.document_id, "status": "scanned"} for one in files]


_HISTORY = ("index", "history")
_BY_CORPUS = ("library", "lines", "elements", "pages", "documents")
_EVER = 36_500
"""Days: long enough that the plan files of all runs count."""


def keys_in_use(settings: Settings) -> tuple[frozenset[str], frozenset[str]]:
    """The keys of the indexes of plans in use, and the names of plans whose files cannot be read (plans_of_today)."""
    plans, unread = plans_of_today(Lake(settings.home), settings, datetime.min.replace(tzinfo=UTC))
    return frozenset(plans), unread


def plans_of_today(lake: Lake, settings: Settings, since: datetime) -> tuple[dict[str, Plan], frozenset[str]]:
    """The plans in use, by their index keys, and the names of plans whose files cannot be read but were named recently.

    In use are the plans that ship, also as they are measured with substitutes, and those in files that any run names
    and that still exist. Recently means by a run after ``since``. A question that is asked leaves no run, so an index
    counts as used as long as its plan's file exists.
    """
    named, lately = set(plan_names()), set[str]()
    for run_id in lake.values("runs", "run_id"):
        for row in lake.read("runs", run_id=run_id).to_pylist():
            files = {name for name in (row["plan"] or "").split(", ") if name.endswith((".yaml", ".yml"))}
            named |= files
            # A run's id begins with the second of its start; with 0 days no run counts, however recent.
            if run_id.partition("-")[0] > f"{since:%Y%m%dT%H%M%S}":
                lately |= files
    plans: dict[str, Plan] = {}
    unread: set[str] = set()
    for name in sorted(named):
        try:
            plan = load_plan(name)
        except UsageError:
            if name in lately:
                unread.add(name.rsplit("/", 1)[-1].rsplit(".", 1)[0])
            continue
        plans[plan.index_key] = plan
        with suppress(UsageError):
            measured, _ = with_substitutes(plan, settings.rerank)
            plans[measured.index_key] = measured
    return plans, frozenset(unread)


def _of_documents(
    corpus: str, key: str, rows: Collection[Mapping[str, str]], conversions: Mapping[str, str]
) -> Iterator[Parts]:
    """The paths of what was made of those documents, by the newest of the ``conversions`` of each."""
    yield "index", "documents", corpus, key
    yield "cache", "scans", key
    yield stem(("cache", "changes", f"{corpus}-{key}"))
    for row in rows:
        name = f"{row['document_id']}-{CONVERSION_VERSION}"
        yield "index", "converted", f"{row['document_id']}-{conversions.get(row['document_id'], CONVERSION_VERSION)}"
        yield "cache", "unrendered", name
        yield "cache", "unread", name
        yield "cache", "pages", f"{name}-{PAGES_VERSION}"
