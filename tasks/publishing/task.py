"""Indexing stages: stage chunks and vectors as a version; once it is checked, publish it with the lake's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from configs.plans import Plan
from configs.settings import Settings
from tasks.conversion.document.serialization import ROWS_VERSION, element_rows, line_rows, page_rows
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.corpus.corpus_parts import cut_parts
from tasks.embedding.models.model_files import model_fingerprint, window_tokens
from tasks.errors import Damaged, GateRefused, UsageError
from tasks.index.rows import with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest, recipe_of, until_live, wanted_versions
from tasks.progress import track
from tasks.publishing.commit import commit_corpus, commit_index, is_recorded
from tasks.publishing.staging import token_source, vectors_of
from tasks.publishing.table_rows import chunk_table, vector_table
from tasks.publishing.unchanged_rows import Rows, with_kept_rows
from tasks.publishing.version_history import VersionHistory
from tasks.publishing.version_key import content_key
from tasks.records import Document, content_id
from tasks.references import Converted, Embedded, Staged
from tasks.runtime.runs import Run, now
from tasks.runtime.stage import stage
from tasks.schemas import TABLES
from tasks.storage.commits import Commits, of_corpus, of_index
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake
from tasks.storage.leases import require_lease


@stage("find the corpus")
def find_corpus(corpus: str | None, settings: Settings) -> str:
    """The name of the corpus: ``corpus``, else the only one.

    Raises UsageError that lists the corpora.
    """
    live = sorted({version.manifest.corpus for version in IndexStore(settings.home).versions() if version.is_live})
    if corpus is None:
        corpus = live[0] if len(live) == 1 else None
    if corpus in live:
        return str(corpus)
    if not live:
        raise UsageError("no corpus is published yet: run `bidfolio refresh SOURCE` first")
    if corpus:
        raise UsageError(f"nothing of the corpus {corpus!r} is published: there are {', '.join(live)}")
    raise UsageError(f"say which corpus with --corpus: there are {', '.join(live)}")


@stage("is {converted.corpus} as it was")
def find_same(converted: Converted, plan: Plan, settings: Settings) -> Staged | None:
    """The live version, if the files gave exactly the documents and failure reasons that it and the lake have;
    else None.
    """
    lake = Lake(settings.home)
    rows = DocumentRows(lake).document_rows(converted.corpus, converted.key) or []
    in_lake = {row["document_id"]: row for row in lake.read("documents", corpus=converted.corpus).to_pylist()}
    live = IndexStore(settings.home).live(converted.corpus, plan.index_key)
    is_same = (
        live is not None
        and live.content_key == content_key(converted.key, plan, live.model_fingerprint)
        and live.model_fingerprint == model_fingerprint(plan.embedding)
        and is_recorded(lake, live.corpus, live.index_key)
        and len(in_lake) == len(rows)
        and all(row.items() <= in_lake.get(row["document_id"], {}).items() for row in rows)
    )
    return live.reference if live and is_same else None


@stage("version of {converted.corpus} for {plan.name}")
def find_version(converted: Converted, plan: Plan, settings: Settings) -> Staged | None:
    """A version, published or not, made from the lake's documents by exactly this plan; else None.

    The live version is preferred: others may have another adapter, or none.
    """
    wanted = content_key(converted.key, plan, model_fingerprint(plan.embedding))
    fitting = [v for v in IndexStore(settings.home).versions() if v.manifest.content_key == wanted]
    fitting.sort(key=lambda version: not version.is_live)
    return fitting[0].manifest.reference if fitting else None


@stage("stage {converted.corpus} for {plan.name}")
def stage_index(converted: Converted, embedded: Embedded, plan: Plan, settings: Settings) -> Staged:
    """Stage a version of the corpus. Raises GateRefused, with the reasons, where no file gave any text."""
    lake = Lake(settings.home)
    cache = CorpusCache(lake)
    rows = DocumentRows(lake).document_rows(converted.corpus, converted.key) or []
    chunks = cache.chunk_table(embedded.chunked.key)
    if not chunks.num_rows:
        if not any(v.is_live and v.manifest.corpus == converted.corpus for v in IndexStore(settings.home).versions()):
            # No reader depends on this table yet, and users look for the reasons here.
            lake.write("documents", rows, corpus=converted.corpus)
        reasons = "; ".join(str(row["reason"]) for row in rows[:5] if row["reason"])
        raise GateRefused(
            f"no file of the corpus {converted.corpus!r} gave any text, so nothing is published: {reasons}. "
            "Mend the files and refresh again"
        )
    manifest = Manifest(
        corpus=converted.corpus,
        index_key=plan.index_key,
        plan=plan.name,
        model=plan.embedding.model,
        max_length=window_tokens(plan.embedding),
        model_fingerprint=embedded.model_fingerprint,
        state_key=embedded.state_key,
        lexical_key=embedded.lexical_key,
        adapter_key=embedded.adapter_key,
        content_key=content_key(converted.key, plan, embedded.model_fingerprint),
        documents_key=converted.key,
        documents=sum(row["status"] == "indexed" for row in rows),
        chunks=chunks.num_rows,
        recipe=recipe_of(plan),
    )
    with track("Staging the index", 1) as advance:
        rows = with_vectors(chunks, *vectors_of(cache, embedded, plan.embedding))
        tokens = token_source(cache, embedded, plan.embedding)
        Commits(lake).begin(of_index(manifest.corpus, manifest.index_key))
        IndexStore(settings.home).stage(manifest, rows, tokens)
        _forget_versions(manifest.corpus, manifest.index_key, settings)
        cache.keep_lexical(
            embedded.lexical_key, {one.part_id for one in cut_parts(cache.chunk_counts(embedded.chunked.key))}
        )
        advance(1)
    return manifest.reference


@stage("publish {staged.index_version}")
def publish_index(staged: Staged, run: Run, settings: Settings) -> Staged:
    """Publish the staged version and update the lake's tables to it."""
    make_live(staged, run, settings)
    return staged


def make_live(staged: Staged, run: Run, settings: Settings) -> bool:
    """Publish a version: write its rows to the lake and move the tag ``live`` to it.

    Returns False where another version of bidfolio converted its documents: ``pages``, ``elements`` and ``lines`` then
    stay as they are. The tag moves in one step, after pages, chunks and vectors are written; ``documents`` comes last,
    since a refresh counts against it. A run that is killed anywhere in here leaves the corpus without a manifest: the
    next refresh does all of this again, from the cache and with the same counts.
    """
    lake, store = Lake(settings.home), IndexStore(settings.home)
    versions = VersionHistory(lake)
    manifest = store.manifest(staged.corpus, staged.index_key, staged.index_version)
    documents = DocumentRows(lake).document_rows(staged.corpus, manifest.documents_key) or []
    require_lease(lake, staged.corpus)
    for name in (of_corpus(staged.corpus), of_index(staged.corpus, staged.index_key)):
        Commits(lake).begin(name)
    is_whole = _write_pages(lake, staged.corpus, [row["document_id"] for row in documents])
    rows = store.rows(staged.corpus, staged.index_key, staged.index_version)
    partition = {"corpus": staged.corpus, "index_key": staged.index_key}
    lake.write("chunks", chunk_table(rows, partition), **partition)
    lake.write("vectors", vector_table(rows, partition, manifest.model_fingerprint), **partition)
    del rows  # two kB a chunk that nothing below needs
    require_lease(lake, staged.corpus)
    store.publish(staged.corpus, staged.index_key, staged.index_version)
    version = {
        **run.identity,
        "index_version": staged.index_version,
        "plan": manifest.plan,
        "documents": staged.documents,
        "chunks": staged.chunks,
        "model_fingerprint": manifest.model_fingerprint,
        "published_at": now(),
    }
    lake.write("index_versions", [version | partition], run_id=run.run_id)
    lake.write("documents", documents, corpus=staged.corpus)
    history = until_live(versions.history(staged.corpus, staged.index_key), staged.index_version)
    versions.put_history(staged.corpus, staged.index_key, history)
    _forget_versions(staged.corpus, staged.index_key, settings, is_published=True)
    commit_corpus(lake, staged.corpus, manifest.documents_key)
    return is_whole


def _write_pages(lake: Lake, corpus: str, document_ids: Sequence[str]) -> bool:
    """Write the documents' ``pages``, ``elements`` and ``lines``; rows made from exactly the same bytes are kept.

    Returns False, and writes nothing, where a document is missing in the cache.
    """
    cache = ConvertedCache(lake)
    makers = {"pages": page_rows, "elements": element_rows, "lines": line_rows}
    logic = (ROWS_VERSION, *(column for name in makers for column in TABLES[name].names))
    made_of: dict[str, str] = {}
    for one in document_ids:
        raw = cache.document_json(one)
        if raw is None:
            return False
        made_of[one] = content_id("rows", *logic, raw)
    read = lru_cache(maxsize=None)(cache.document)  # a new document is read once for the three tables

    def rows_with(make: Callable[[str, Document], Rows], document_id: str) -> Rows:
        document = read(document_id)
        return make(corpus, document) if isinstance(document, Document) else ()

    for name, make in makers.items():
        try:
            before = lake.read(name, corpus=corpus)
        except (Damaged, OSError):  # it is written anew
            before = TABLES[name].empty_table()
        lake.write(name, with_kept_rows(name, before, made_of, partial(rows_with, make)), corpus=corpus)
    return True


def _forget_versions(corpus: str, index_key: str, settings: Settings, *, is_published: bool = False) -> None:
    """Delete old versions and their fitted states, except the last ones that were live and the last that were made.

    The index is recorded as it is then; ``is_published`` where the lake's rows are those of its live version now.
    """
    store, lake = IndexStore(settings.home), Lake(settings.home)
    before = [version.manifest for version in store.versions()]
    made = [
        manifest.index_version for manifest in before if (manifest.corpus, manifest.index_key) == (corpus, index_key)
    ]
    wanted = wanted_versions(made, VersionHistory(lake).history(corpus, index_key), settings.index.keep_versions)
    store.keep(corpus, index_key, wanted)
    kept = {key for version in store.versions() for key in version.manifest.state_keys}
    for key in {key for manifest in before for key in manifest.state_keys} - kept:
        CorpusCache(lake).drop_states(key)
    commit_index(lake, store, corpus, index_key, is_published=is_published)


def index_versions(settings: Settings) -> list[dict[str, Any]]:
    """Every version of every index as a dict, oldest first; no index gives none."""
    return [
        {
            "index_version": version.manifest.index_version,
            "corpus": version.manifest.corpus,
            "plan": version.manifest.plan,
            "index_key": version.manifest.index_key,
            "documents": version.manifest.documents,
            "chunks": version.manifest.chunks,
            "adapter": bool(version.manifest.adapter_key),
            "live": version.is_live,
        }
        for version in IndexStore(settings.home).versions()
    ]


def find_staged(index_version: str, plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """A version by its id, live or not. Raises UsageError where it is missing."""
    where = find_corpus.fn(corpus, settings)
    return IndexStore(settings.home).manifest(where, plan.index_key, index_version).reference


def find_previous(plan: Plan, corpus: str | None, settings: Settings) -> Staged:
    """The version that was live before the live one. Raises UsageError where there is none."""
    where = find_corpus.fn(corpus, settings)
    store = IndexStore(settings.home)
    live = store.live(where, plan.index_key)
    history = VersionHistory(Lake(settings.home)).history(where, plan.index_key)
    before = until_live(history, live.index_version)[:-1] if live else []
    if not before:
        raise UsageError(f"the index of {where!r} has no earlier version to go back to")
    return store.manifest(where, plan.index_key, before[-1]).reference
