"""Loading of index versions: find the live version of a corpus and open it, in memory or with its vectors on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Protocol

import numpy as np
import pyarrow as pa

from configs.plans import Plan
from configs.retrieval import Search
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.embedding.lexical.abbreviations import NO_ABBREVIATIONS, Abbreviations
from tasks.embedding.lexical.bm25 import BM25State
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.errors import SeveralCorpora, UsageError
from tasks.index.rows import chunks_of, matrix_of
from tasks.index.versions import Manifest, Version
from tasks.references import DEFAULT_CORPUS, Staged
from tasks.retrieval.first_stage.exact_search import Index, SearchableIndex, no_tokens
from tasks.retrieval.first_stage.indexed_search import IndexedVersion, Reader
from tasks.retrieval.first_stage.mapped_token_vectors import MappedTokens
from tasks.retrieval.first_stage.quantized_vectors import RoundedVectors, sum_of_scores
from tasks.retrieval.queries.query_adapter import Adapter, Matrix, judge_of, require_fitting
from tasks.retrieval.queries.scope import COLUMNS, Scope, resolved
from tasks.retrieval.ranking.reranking import Tokens
from tasks.storage.document_rows import documents_key

_loaded: dict[tuple[str, Staged, Search, str], Index] = {}
_KEPT = 4
TOKENS_IN_MEMORY = 4096
"""A version of up to this many chunks has all its token vectors read, some 15 kB a chunk, when any are needed.

Otherwise a question would wait for a quarter of its time until its hundred have come from the disk.
"""
ROUNDED_FROM_CHUNKS = 20_000
"""Versions of at least this many chunks get rounded vectors; the vectors of fewer are read within two milliseconds."""


class Versions(Protocol):
    """The store of index versions in a home."""

    uri: str

    def versions(self) -> Sequence[Version]:
        """All versions of the store."""
        ...

    def rows(self, corpus: str, index_key: str, index_version: str) -> pa.Table:
        """The rows of a version."""
        ...

    def reader(self, corpus: str, index_key: str, index_version: str) -> Reader:
        """A reader of a version whose rows stay on disk."""
        ...

    def manifest(self, corpus: str, index_key: str, index_version: str) -> Manifest:
        """The manifest of a version."""
        ...


def live_versions(store: Versions, plan: Plan) -> list[Staged]:
    """The published versions that the plan can answer from, sorted by corpus; none where nothing of it is published."""
    live = [version.manifest for version in store.versions() if version.is_live]
    return [one.reference for one in sorted(live, key=lambda one: one.corpus) if one.index_key == plan.index_key]


def live_version(store: Versions, plan: Plan, corpus: str | None) -> Staged:
    """The live version to answer from: of ``corpus``, else of the only corpus.

    Raises UsageError that names the command to run where none is published, SeveralCorpora where there are several.
    """
    fitting = {version.corpus: version for version in live_versions(store, plan)}
    if corpus is None and len(fitting) > 1:
        raise SeveralCorpora(sorted(fitting))
    found = fitting.get(corpus) if corpus is not None else next(iter(fitting.values()), None)
    if found is not None:
        return found
    live = [version.manifest for version in store.versions() if version.is_live]
    named = f" of the corpus {corpus!r}" if corpus else ""
    outdated = [one.corpus for one in live if one.plan == plan.name and corpus in (None, one.corpus)]
    if outdated:
        raise UsageError(
            f"the corpus {outdated[0]!r} is published for the plan {plan.name!r} as it was: the plan, or how bidfolio "
            f"makes its index, has changed since. Run `{_refresh(plan, outdated[0])}` again; what has not changed is "
            "taken from the cache"
        )
    others = ", ".join(sorted({f"{manifest.corpus} ({manifest.plan})" for manifest in live}))
    raise UsageError(
        f"nothing{named} is published for the plan {plan.name!r}: run `{_refresh(plan, corpus)}` first"
        f"{f'; published are {others}' if others else ''}"
    )


def _refresh(plan: Plan, corpus: str | None) -> str:
    """The command line that publishes the corpus for the plan."""
    of = "" if corpus in (None, DEFAULT_CORPUS) else f" --corpus {quote(str(corpus))}"
    return f"bidfolio refresh SOURCE --plan {plan.option}{of}"


def recorded_version(versions: Iterable[Version], corpus: str, index_key: str, index_version: str) -> Manifest:
    """The manifest of the version that a run searched, live or not. Raises UsageError, with a remedy, if it is gone."""
    for version in versions:
        found = version.manifest
        if (found.corpus, found.index_key, found.index_version) == (corpus, index_key, index_version):
            return found
    raise UsageError(
        f"the index version {index_version} of the corpus {corpus!r}, which that run searched, is gone: of each index "
        "the last versions that were live are kept (index.keep_versions, BIDFOLIO_INDEX_KEEP_VERSIONS). A refresh of "
        "the same documents with the same plan makes it again; `bidfolio trace ANSWER_ID` shows what was recorded "
        "without it"
    )


def require_current(live: Manifest, document_ids: Iterable[str], plan: Plan) -> None:
    """Check that the index has the documents of the corpus; else UsageError: a deleted document would go on answering.

    Plans that share no index are refreshed one by one, so one of them can be left behind.
    """
    if live.documents_key != documents_key(document_ids):
        raise UsageError(
            f"the index of {live.corpus!r} for the plan {plan.name!r} is of other documents than the corpus has now: "
            f"run `{_refresh(plan, live.corpus)}` first"
        )


def require_same_model(live: Manifest, model_fingerprint: str, plan: Plan) -> None:
    """Check that the version was embedded with the same model files as questions are. Raises UsageError otherwise.

    The files under a name may have been changed, and cosines between two models mean nothing.
    """
    if live.model_fingerprint != model_fingerprint:
        raise UsageError(
            f"the index of {live.corpus!r} for the plan {plan.name!r} was made with other files of the model "
            f"{live.model!r} than are there now: run `{_refresh(plan, live.corpus)}` first"
        )


def load_index(store: Versions, cache: CorpusCache, version: Staged, plan: Plan) -> Index:
    """Open a version with its fitted states, and with its adapter if that was judged with the plan's retrieval.

    Chunks and vectors are held in memory, unless the version has vector indexes, which are then searched on disk. The
    last few versions stay in the memory of the process. Raises UsageError where the version, or a state that belongs to
    it, is gone, or its adapter is of another model.
    """
    key = (store.uri, version, plan.search, plan.retrieval.fingerprint())
    if key not in _loaded:
        while len(_loaded) >= _KEPT:
            _loaded.pop(next(iter(_loaded)))
        _loaded[key] = _load(store, cache, version, plan)
    return _loaded[key]


def idle_adapter(store: Versions, cache: CorpusCache, version: Staged, plan: Plan) -> str | None:
    """A warning about an adapter that the plan would use but that was judged with another retrieval; None without one.

    :func:`load_index` leaves such an adapter out.
    """
    manifest = store.manifest(version.corpus, version.index_key, version.index_version)
    uses_adapter = bool(manifest.adapter_key) and plan.retrieval.adapter == "auto"
    raw = cache.state(manifest.adapter_key, "adapter") if uses_adapter else None
    if raw is None or Adapter.from_bytes(raw).judged_by == judge_of(plan.retrieval):
        return None
    return (
        f"the adapter of index version {version.index_version} was judged with another retrieval than that of the plan "
        f"{plan.name!r}, or by an older bidfolio, and is not used: `bidfolio tune GOLD.jsonl --adapter --plan "
        f"{plan.option}` puts another in its place, the only one of the version, where that wins"
    )


def expect_many(index: Index) -> None:
    """Prepare the index for many questions, so that the first does not wait.

    A large version's token vectors are written to the file in which they are looked up, and the other vectors are
    rounded.
    """
    if isinstance(index.tokens, MappedTokens):
        index.tokens.map_now()
    if isinstance(index, SearchableIndex) and index.rounded is not None:
        index.rounded.round_now()


def limited(index: Index, scope: Scope, documents: pa.Table, tags: Mapping[str, Sequence[str]]) -> Index:
    """The index, or the part of it within the scope, resolved by the rows of the table ``documents``.

    Raises UsageError where that is nothing.
    """
    if not scope:
        return index
    found = resolved(scope, documents.select(COLUMNS).to_pylist(), tags)
    return index.within(found.file_names, found.others)


def _load(store: Versions, cache: CorpusCache, version: Staged, plan: Plan) -> Index:
    name = (version.corpus, version.index_key, version.index_version)
    manifest = store.manifest(*name)
    raw_lexical, raw_bm25 = cache.state(manifest.space_key, "lexical"), cache.state(manifest.state_key, "bm25")
    uses_adapter = bool(manifest.adapter_key) and plan.retrieval.adapter == "auto"
    raw_adapter = cache.state(manifest.adapter_key, "adapter") if uses_adapter else None
    if uses_adapter and raw_adapter is None:
        raise UsageError(
            f"the adapter of index version {version.index_version} is gone: learn another with `bidfolio tune "
            f"GOLD.jsonl --adapter --plan {plan.option}`, go back with `bidfolio index rollback`, or set "
            "retrieval.adapter: off in the plan"
        )
    if raw_lexical is None or raw_bm25 is None:
        raise UsageError(
            f"the fitted state of index version {version.index_version} is gone: "
            f"run `{_refresh(plan, version.corpus)}` again"
        )
    lexical, bm25 = LexicalState.from_bytes(raw_lexical), BM25State.from_bytes(raw_bm25)
    raw_abbreviations = cache.state(manifest.state_key, "abbreviations")
    abbreviations = Abbreviations.from_bytes(raw_abbreviations) if raw_abbreviations else NO_ABBREVIATIONS
    adapter = None if raw_adapter is None else Adapter.from_bytes(raw_adapter)
    if adapter is not None and adapter.judged_by != judge_of(plan.retrieval):
        adapter = None
    if not manifest.is_exact:
        reader = store.reader(*name)
        _require_fitting(adapter, manifest, reader.means()[0] if adapter else None)
        states = lexical, bm25, plan.embedding.bm25, plan.search, adapter
        return IndexedVersion(reader, *states, abbreviations=abbreviations)
    rows = store.rows(*name)
    dense, projected = matrix_of(rows, "dense"), matrix_of(rows, "lexical")
    _require_fitting(adapter, manifest, dense)
    is_rounded = len(dense) >= ROUNDED_FROM_CHUNKS and sum_of_scores(plan.retrieval)
    return SearchableIndex(
        chunks=chunks_of(rows),
        dense=dense,
        lexical=projected,
        lexical_state=lexical,
        bm25_state=bm25,
        bm25=plan.embedding.bm25,
        tokens=no_tokens if plan.embedding.token_dimensions is None else _tokens(store.reader(*name), store.uri),
        adapter=adapter,
        rounded=RoundedVectors((dense, projected)) if is_rounded else None,
        abbreviations=abbreviations,
    )


def _tokens(reader: Reader, uri: str) -> Tokens:
    if len(reader) > TOKENS_IN_MEMORY:
        return MappedTokens(reader, None if "://" in uri else Path(uri))
    kept = cache(lambda: reader.tokens(np.arange(len(reader))))
    return lambda positions: kept().take(pa.array(positions))


def _require_fitting(adapter: Adapter | None, manifest: Manifest, vectors: Matrix | None) -> None:
    if adapter is not None and vectors is not None:
        require_fitting(adapter, manifest.model_fingerprint, vectors.shape[1], manifest.index_version)
