"""Garbage collection stages: remove indexes of plans that are gone, their cached data, and whole corpora."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext, suppress
from datetime import datetime, timedelta

from configs.plans import Plan, load_plan, plan_names
from configs.settings import Settings
from tasks.chunking.keys import chunk_keys, chunk_list_key
from tasks.conversion.files.convert import LOGIC_VERSION as CONVERSION_VERSION
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.member_cache import MemberCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.corpus_parts import cut_parts, facts_key
from tasks.embedding.corpus.shard_cache import CONTENTS
from tasks.embedding.models.shards import text_id
from tasks.errors import UsageError
from tasks.index.names import index_name
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.pages.finders.verbatim import LOGIC_VERSION as PAGES_VERSION
from tasks.publishing.version_history import VersionHistory
from tasks.records import content_id, searched_text
from tasks.retrieval.plan_fallbacks import with_substitutes
from tasks.runtime.runs import now
from tasks.runtime.stage import stage
from tasks.sources.object_fingerprints import LOGIC_VERSION as SEEN_VERSION
from tasks.storage.document_rows import DocumentRows, documents_key
from tasks.storage.lake import Lake
from tasks.storage.leases import lone_lease
from tasks.storage.stored_file import ASIDE
from tasks.tidying.retention import (
    FOLDERS,
    Kind,
    Needed,
    Removed,
    garbage,
    index_of,
    kept_indexes,
    kept_versions,
    own_tables,
    stem,
)

Parts = tuple[str, ...]
PASSAGES_KEPT = timedelta(days=30)
"""Time for which the vectors of sentences that answers were drawn from are kept. A question that is asked again reuses
them; otherwise they are made anew in milliseconds.
"""


@stage("tidy the home")
def tidy_home(settings: Settings, days: int, *, dry_run: bool) -> dict[Kind, Removed]:
    """Remove what no plan or version needs; returns what was, or with ``dry_run`` would be, removed by kind.

    Nothing to remove gives an empty dictionary. A plan whose file was named by a run of the last ``days`` days counts
    as current. Raises IndexLocked if a run is writing an index.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    with store.alone(), nullcontext() if dry_run else lone_lease(lake):
        return _Tidying(lake, store, settings, dry_run).run(days)


@stage("purge the corpus {corpus}")
def purge_corpus(corpus: str, settings: Settings, *, dry_run: bool, published_too: bool) -> dict[Kind, Removed]:
    """Remove a corpus, and what :func:`tidy_home` removes; returns what was removed, or would be, by kind.

    Its indexes and versions are removed, its rows in the lake, and what was cached for its documents alone, however
    young. The records of its runs stay. Raises UsageError if there is no such corpus, or one of its versions is live
    and not ``published_too``; and as :func:`tidy_home`.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    with store.alone(), nullcontext() if dry_run else lone_lease(lake):
        versions = store.versions()
        live = [one.manifest.index_version for one in versions if one.is_live and one.manifest.corpus == corpus]
        known = {one.manifest.corpus for one in versions} | set(lake.values("documents", "corpus"))
        if corpus not in known:
            raise UsageError(f"there is no corpus {corpus!r}; there are {', '.join(sorted(known)) or 'none'}")
        if live and not (published_too or dry_run):
            raise UsageError(
                f"the corpus {corpus!r} is published (version {', '.join(live)} is live): give --yes to remove it all "
                "the same, or --dry-run to see what would go"
            )
        return _Tidying(lake, store, settings, dry_run, without=corpus).run(_EVER)


class _Tidying:
    def __init__(
        self, lake: Lake, store: IndexStore, settings: Settings, dry_run: bool, without: str | None = None
    ) -> None:
        self._lake, self._store, self._cache = lake, store, CorpusCache(lake)
        self._settings, self._dry_run, self._without = settings, dry_run, without
        self._removed: dict[Kind, Removed] = {}

    def run(self, days: int) -> dict[Kind, Removed]:
        plans, unread = plans_of_today(self._lake, self._settings, now() - timedelta(days=days))
        versions = [one for one in self._store.versions() if one.manifest.corpus != self._without]
        live_at = {file.parts[-1].removesuffix(".json"): file.written_at for file in self._lake.below(*_HISTORY)}
        indexes = kept_indexes(versions, plans, unread, live_at)
        of_index = {index_name(one.corpus, one.index_key): one for version in versions if (one := version.manifest)}
        known = VersionHistory(self._lake)
        histories = {name: known.history(one.corpus, one.index_key) for name, one in of_index.items()}
        kept = kept_versions(versions, indexes, histories, self._settings.index.keep_versions)
        needed = Needed(indexes, frozenset(self._needed_files(kept, plans)))
        self._remove_tables(kept, indexes)
        found = (file for folder in FOLDERS for file in self._lake.below(*folder))
        for kind, file in garbage(found, needed, now(), young_too=self._without is not None):
            self._count(kind, 1, file.size_bytes)
            if not self._dry_run:
                self._lake.drop(*file.parts)
        self._remove_rows()
        for name in self._lake.names("staging", suffix="") if not self._dry_run else ():
            if name.startswith(ASIDE):
                self._lake.drop_folder("staging", name)
        return self._removed

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
                self._lake.drop_folder(*folder)

    def _remove_tables(self, kept: Collection[Manifest], indexes: Collection[str]) -> None:
        """Remove the tables of indexes that are not kept, and all versions but ``kept`` of those that are.

        The tables of rows go first, so that the versions of an index are gone at once.
        """
        tables = [name.removesuffix(".lance") for name in self._lake.names("index", suffix=".lance")]
        for table in sorted(tables, key=lambda name: (".rows-" not in name, name)):
            if index_of(table, indexes) is None:
                self._count("indexes", *self._weight(table))
                if not self._dry_run:
                    self._lake.drop_folder("index", f"{table}.lance")
        own = own_tables(kept)
        of_kept = [name for name in tables if index_of(name, indexes) and ".rows-" not in name and name not in own]
        for table in of_kept:
            self._count("versions", *self._weight(table))
        if not self._dry_run:
            for corpus, index_key in sorted({(one.corpus, one.index_key) for one in kept}):
                self._store.keep(corpus, index_key, {one.index_version for one in kept})

    def _weight(self, table: str) -> tuple[int, int]:
        files = self._lake.below("index", f"{table}.lance")
        return len(files), sum(file.size_bytes for file in files)

    def _needed_files(self, kept: Collection[Manifest], plans: Mapping[str, Plan]) -> Iterator[Parts]:
        """The paths of all files that the kept versions, and the corpora as they are now, depend on."""
        contents: set[str] = set()
        conversions = ConvertedCache(self._lake).conversions()
        for corpus in set(self._lake.values("documents", "corpus")) - {self._without}:
            rows = self._lake.read("documents", corpus=corpus).to_pylist()
            contents |= {row["content_sha256"] for row in rows}
            yield from _of_documents(corpus, documents_key(row["document_id"] for row in rows), rows, conversions)
            for source in {row["source"] for row in rows}:
                yield "cache", "seen", content_id(corpus, source, SEEN_VERSION)
        texts: dict[str, set[str]] = {}
        for one in kept:
            rows = DocumentRows(self._lake).document_rows(one.corpus, one.documents_key) or []
            contents |= {row["content_sha256"] for row in rows}
            yield from _of_documents(one.corpus, one.documents_key, rows, conversions)
            yield from (("index", "states", key) for key in one.state_keys)
            found = self._store.texts(one.corpus, one.index_key, one.index_version).to_pylist()
            texts.setdefault(one.model_fingerprint, set()).update(text_id(searched_text(**row)) for row in found)
            if one.index_key in plans:
                with suppress(UsageError):  # its model, or the chunks of its documents, are missing now
                    yield from self._of_plan(rows, one, plans[one.index_key])
        yield from self._of_texts(texts)
        yield from self._of_containers(contents)

    def _of_plan(self, rows: list[dict[str, str]], one: Manifest, plan: Plan) -> Iterator[Parts]:
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
            # Vectors of passages that answers were drawn from; their texts are not known here, so their age decides.
            for file in self._lake.below("cache", "dense", f"{fingerprint}-passages"):
                if now() - file.written_at < PASSAGES_KEPT:
                    yield stem(file.parts)

    def _of_containers(self, contents: Collection[str]) -> Iterator[Parts]:
        for name in self._lake.names("cache", "containers", suffix=".json"):
            members = MemberCache(self._lake).listed_members(name.removesuffix(".json"))
            if any(member.content_sha256 in contents for member in members):
                yield stem(("cache", "containers", name))
                yield from (("cache", "members", member.content_sha256) for member in members)


_HISTORY = ("index", "history")
_BY_CORPUS = ("library", "lines", "elements", "pages", "documents")
_EVER = 36_500
"""Days: long enough that the plan files of all runs count."""


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
