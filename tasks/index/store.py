"""LanceDB store of index versions: versions are staged, then the tag ``live`` is moved to publish one.

An index, of a corpus and an index key, is a Lance table of rows, in which each version is a Lance version under its own
tag ``v-<id>``. Rows that versions share are stored once: a new version deletes the rows that are gone and adds the new
ones. Each version's own columns, the order of its rows and their lexical vectors, are a table beside it. The manifest
is in the version's schema. Readers open the version under ``live`` and never see another.

A table of rows only grows. When too much of it is of no kept version, or in no index (LanceDB scans such rows one
by one), it is *renewed*: kept versions are written to a new table, and the tag ``whole`` makes readers switch to it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from typing import Any

import lancedb
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, IvfPq, IvfSq
from lancedb.table import Table

from tasks.errors import UsageError
from tasks.index.lance_versions import (
    WHOLE,
    damage_told,
    keep_rows,
    row_ids,
    seal,
    set_tag,
    tagged_versions,
    tags_of,
    told_by,
    union_of,
    whole_table,
)
from tasks.index.locks import another_writes, lone_lock
from tasks.index.names import (
    index_name,
    indexes_among,
    newest_rows_first,
    number_of,
    own_name,
    rows_name,
)
from tasks.index.reader import MEANS, READS, VersionReader, means_of, steadily
from tasks.index.rows import GRANULARITY, ROW_ID, TOKENS, TokenSource, in_parts, join_rows, new_parts, split_rows
from tasks.index.versions import LIVE, Manifest, Recipe, Version, is_worn

_WRITTEN = "bidfolio.written_rows"
_BUILT, _BEGUN = "bidfolio.built_indexes", "bidfolio.begun_version"
_TRAINING = {"sample_rate": 64, "max_iterations": 10}
"""The sample of vectors for each partition and the rounds of k-means; LanceDB's own defaults are 256 and 50."""
_PQ_WIDTH = 8
"""The number of dimensions that a code of IVF_PQ stands for."""
INDEX_CACHE_BYTES = 64 * 2**20
"""The size up to which LanceDB keeps parts of a vector index, by its own count, which is half of what they take.

The others are read anew from the pages that the system keeps of files, which takes a question little longer. LanceDB's
own limit is 6 GB.
"""


class IndexStore:
    """Store of the indexes below ``home``, a local folder or an object store's URL."""

    def __init__(self, home: str) -> None:
        self.uri = f"{home.rstrip('/')}/index"
        self._local = "://" not in home
        self._opened: lancedb.DBConnection | None = None

    def alone(self) -> AbstractContextManager[None]:
        """Hold off all writers of a local home. Raises IndexLocked where another process writes."""
        return lone_lock(self.uri) if self._local else nullcontext()

    def stage(self, manifest: Manifest, rows: pa.Table, tokens: TokenSource | None = None) -> None:
        """Write ``rows`` as a new version, tagged ``v-<id>``; the live version stays live.

        A live version with the same id is not written again where it is complete: the same id means the same content.
        ``tokens`` gives the token vectors of rows that no version has yet, where they are kept. Raises IndexLocked, and
        tags nothing, where another process has written between two steps of this.
        """
        name = index_name(manifest.corpus, manifest.index_key)
        with damage_told(self.uri, name):
            if self._is_live_and_whole(name, manifest):
                return
        of_version, (shared, own) = own_name(name, manifest.index_version), split_rows(rows)
        if not self._holds(of_version, own):
            self._create(of_version, own)
        if not manifest.is_exact:
            part = self._database().open_table(of_version)
            width = own.schema.field("lexical").type.list_size
            _build(part, {"lexical": vector_index(manifest.recipe, own.num_rows, width), GRANULARITY: Bitmap()})
            part.update_field_metadata({"path": ROW_ID, "metadata": {MEANS: means_of(shared, own)}})
        table = self._find(name)
        try:
            with damage_told(self.uri, name):
                if table is None:
                    self._write_first(rows_name(name, 0), manifest, shared, own, tokens)
                else:
                    self._write_next(table, manifest, shared, own, tokens)
        except RuntimeError as error:
            if "concurrent transaction" not in str(error):
                raise
            raise another_writes(manifest.corpus) from error

    def publish(self, corpus: str, index_key: str, index_version: str) -> None:
        """Move the tag ``live`` to that version, in one step. Raises UsageError where there is no such version."""
        table, number = self._version(corpus, index_key, index_version)
        set_tag(table, LIVE, number)

    def keep(self, corpus: str, index_key: str, wanted: Collection[str], *, at_once: bool = False) -> None:
        """Delete every version that is neither live nor among ``wanted``, or is without its own table, and free its
        space in time; with ``at_once``, no file keeps a row of it. A missing index, or missing versions, are no error.
        """
        name = index_name(corpus, index_key)
        table = self._find(name)
        if table is None:
            return
        live, names = tags_of(table).get(LIVE), self._names()
        for index_version, number in tagged_versions(table).items():
            is_kept = index_version in wanted and own_name(name, index_version) in names
            if number != live and not is_kept:
                table.tags.delete(f"v-{index_version}")
        own = [self._database().open_table(own_name(name, index_version)) for index_version in tagged_versions(table)]
        needed = {row_id for each in own for row_id in row_ids(each).to_pylist()}
        told = told_by(table)[1]
        commits = table.version - int(told.get(_BEGUN, 1))
        # The live version decides how the table is indexed: a version staged for a trial must not slow it.
        manifest = told_by(table, live)[0]
        unknown = _unindexed(table) if told.get(_BUILT) == _built(manifest) else table.count_rows()
        written = int(told[_WRITTEN])
        if is_worn(written, len(needed), commits, unknown) or (at_once and written > len(needed)):
            table = self._renewed(name, table, manifest)
        used = {table.name, *(own_name(name, index_version) for index_version in tagged_versions(table))}
        for other in self._names():
            if other.startswith(f"{name}.") and other not in used:
                self._database().drop_table(other)

    def live(self, corpus: str, index_key: str) -> Manifest | None:
        """The manifest of the live version, or None where nothing is published."""

        def read() -> Manifest | None:
            table = self._find(index_name(corpus, index_key))
            live = None if table is None else tags_of(table).get(LIVE)
            return None if table is None or live is None else told_by(table, live)[0]

        return steadily(read)

    def rows(self, corpus: str, index_key: str, index_version: str) -> pa.Table:
        """All rows of that version, in the order in which they were staged, without token vectors.

        Raises UsageError where it is gone, and Damaged where its files are.
        """

        def read() -> pa.Table:
            shared, own = self._parts(corpus, index_key, index_version)
            columns = [column for column in shared.schema.names if column != TOKENS]
            return join_rows(shared.search().select(columns).to_arrow(), own.to_arrow())

        with damage_told(self.uri, index_name(corpus, index_key)):
            return steadily(read)

    def columns(self, corpus: str, index_key: str, index_version: str, names: Sequence[str]) -> pa.Table:
        """The columns of that version's rows that are ``names`` and no vectors. Raises UsageError where it is gone."""

        def read() -> pa.Table:
            table, number = self._version(corpus, index_key, index_version)
            table.checkout(number)
            return table.search().select(list(names)).to_arrow()

        with damage_told(self.uri, index_name(corpus, index_key)):
            return steadily(read)

    def reader(self, corpus: str, index_key: str, index_version: str) -> VersionReader:
        """A reader of that version, whose rows stay on disk. Raises UsageError where it is gone, and Damaged, now or
        when it is read, where its files are.
        """
        told = partial(damage_told, self.uri, index_name(corpus, index_key))
        return VersionReader(lambda: self._parts(corpus, index_key, index_version), told)

    def manifest(self, corpus: str, index_key: str, index_version: str) -> Manifest:
        """The manifest of that version. Raises UsageError where it is gone."""
        return steadily(lambda: told_by(*self._version(corpus, index_key, index_version))[0])

    def versions(self) -> list[Version]:
        """Every staged or published version of every index, oldest first; none where there is no index."""
        return steadily(self._versions)

    def _versions(self) -> list[Version]:
        found: list[Version] = []
        for name in indexes_among(self._names()):
            if (table := self._find(name)) is None:
                continue
            tags = tags_of(table)
            for number in sorted({*tagged_versions(table).values(), *(at for tag, at in tags.items() if tag == LIVE)}):
                names = tuple(sorted(tag for tag, at in tags.items() if at == number))
                found.append(Version(told_by(table, number)[0], number, names))
        return found

    def _write_first(
        self, name: str, manifest: Manifest, shared: pa.Table, own: pa.Table, tokens: TokenSource | None
    ) -> None:
        parts = new_parts(shared, own, pa.array([], pa.string()), tokens)
        table, told = self._begin(name, parts, shared.schema, manifest)
        seal(table, manifest, told, table.version)
        set_tag(table, WHOLE, table.version)

    def _write_next(
        self, table: Table, manifest: Manifest, shared: pa.Table, own: pa.Table, tokens: TokenSource | None
    ) -> None:
        """Make ``shared`` the newest version of ``table``: missing rows are deleted, new rows added."""
        told, at = told_by(table)[1], table.version
        there = row_ids(table).combine_chunks()
        at += keep_rows(table, shared[ROW_ID])
        written = int(told[_WRITTEN])
        for part in new_parts(shared, own, there, tokens):
            table.add(part)
            at, written = at + 1, written + part.num_rows
        seal(table, manifest, told | {_WRITTEN: str(written)}, at)

    def _begin(
        self, name: str, parts: Iterator[pa.Table], schema: pa.Schema, manifest: Manifest
    ) -> tuple[Table, dict[str, str]]:
        """Create a table with the rows of all ``parts`` and its indexes; returns it with its metadata.

        No parts give a table of that ``schema`` without rows.
        """
        first = next(parts, schema.empty_table())
        batches = chain.from_iterable(part.to_batches() for part in chain([first], parts))
        # As one fragment: with seven, to find a row in each takes half as long again.
        table = self._create(name, pa.RecordBatchReader.from_batches(first.schema, batches))
        rows = table.count_rows()
        wanted = _indexes_of(manifest.recipe)
        if not manifest.is_exact:
            wanted["dense"] = vector_index(manifest.recipe, rows, table.schema.field("dense").type.list_size)
        _build(table, wanted)
        return table, {_WRITTEN: str(rows), _BUILT: _built(manifest), _BEGUN: str(table.version)}

    def _renewed(self, name: str, table: Table, manifest: Manifest) -> Table:
        """Renew a table of rows: a new table with the versions of ``table``, oldest first, and the same version live,
        indexed as the version of ``manifest`` is to be.
        """
        new_name = rows_name(name, number_of(table.name) + 1)
        if new_name in self._names():  # left by a killed run
            self._database().drop_table(new_name)
        live = tags_of(table).get(LIVE)
        # A live version that is damaged may have been staged again: then it is there twice.
        numbers = sorted({*tagged_versions(table).values(), *([live] if live else [])})
        new, told = self._begin(new_name, in_parts(union_of(table, numbers[::-1])), table.schema, manifest)
        table.checkout_latest()
        begun = new.version
        told[_BEGUN] = str(begun + 3 * len(numbers))
        for number in numbers:
            # Each version is the full table minus the rows it lacks, so that all versions share rows and indexes.
            own = told_by(table, number)[0]
            table.checkout(number)
            new.checkout(begun)
            new.restore()
            keep_rows(new, row_ids(table))
            table.checkout_latest()
            seal(new, own, told, new.version)
            if number == live:
                set_tag(new, LIVE, new.version)
        set_tag(new, WHOLE, new.version)
        return new

    def _parts(self, corpus: str, index_key: str, index_version: str) -> tuple[Table, Table]:
        """The shared and the own part of that version's rows. Raises UsageError where it is gone."""
        table, number = self._version(corpus, index_key, index_version)
        table.checkout(number)
        return table, self._database().open_table(own_name(index_name(corpus, index_key), index_version))

    def _is_live_and_whole(self, name: str, manifest: Manifest) -> bool:
        table = self._find(name)
        of_version = own_name(name, manifest.index_version)
        if table is None or LIVE not in (tags := tags_of(table)) or of_version not in self._names():
            return False
        if told_by(table, tags[LIVE])[0].index_version != manifest.index_version:
            return False
        own = row_ids(self._database().open_table(of_version))
        table.checkout(tags[LIVE])
        return len(own) == manifest.chunks and bool(pc.all(pc.is_in(own, row_ids(table).combine_chunks())).as_py())

    def _create(self, name: str, rows: pa.Table | pa.RecordBatchReader) -> Table:
        """Create a table of ``rows``; replaces what a killed run left under its name."""
        return self._database().create_table(name, rows, mode="overwrite" if name in self._names() else "create")

    def _holds(self, name: str, rows: pa.Table) -> bool:
        return name in self._names() and bool(self._database().open_table(name).to_arrow().equals(rows))

    def _version(self, corpus: str, index_key: str, index_version: str) -> tuple[Table, int]:
        table = self._find(index_name(corpus, index_key))
        if table is None:
            raise UsageError(f"there is no index of {corpus!r} for this plan: run `bidfolio refresh` with it first")
        numbers = tagged_versions(table)
        if index_version not in numbers:
            raise UsageError(
                f"there is no index version {index_version!r}; there are {', '.join(sorted(numbers)) or 'none'}"
            )
        return table, numbers[index_version]

    def _find(self, name: str) -> Table | None:
        """The newest complete table of rows of that index; None where there is none.

        Of two tables, one is complete. If neither seems so, the older has just been renewed and goes away, so both are
        looked at again; likewise where the list of tables has changed meanwhile. A table whose rows are still being
        written has its folder, and cannot be opened yet.
        """
        for _ in range(READS):
            there = newest_rows_first(self._names(), name)
            for table_name in there:
                if table := whole_table(self._database(), table_name):
                    return table
            if len(there) < 2 and there == newest_rows_first(self._names(), name):
                break
        return None

    def _database(self) -> lancedb.DBConnection:
        if self._local or self._opened is None:  # to connect to an object store takes requests
            options = None if self._local else {"allow_http": "true"}
            cache = lancedb.Session(index_cache_size_bytes=INDEX_CACHE_BYTES)
            self._opened = lancedb.connect(self.uri, storage_options=options, session=cache)
        return self._opened

    def _names(self) -> list[str]:
        return list(self._database().list_tables().tables)


def _indexes_of(recipe: Recipe) -> dict[str, Any]:
    """The scalar and full-text indexes of a table, by column; not every table has all columns.

    Text and context have a full-text index each.
    """
    words = recipe.language != "none"
    language = recipe.language.title() if words else "English"
    full_text = FTS(language=language, stem=words, remove_stop_words=words)
    return {"file_name": BTree(), "kind": Bitmap(), GRANULARITY: Bitmap(), "text": full_text, "context": full_text}


def vector_index(recipe: Recipe, rows: int, width: int) -> Any:
    """The configuration of the index over ``rows`` vectors of that ``width``."""
    given: dict[str, Any] = {"distance_type": "dot", "num_partitions": recipe.partitions_of(rows), **_TRAINING}
    if recipe.index == "ivf_hnsw_sq":
        return HnswSq(**given, m=recipe.m, ef_construction=recipe.ef_construction)
    if recipe.index == "ivf_pq":
        # Lance's own default, half as many sub-vectors, finds less than half of the best.
        return IvfPq(**given, num_sub_vectors=width // _PQ_WIDTH if width % _PQ_WIDTH == 0 else None)
    return {"ivf_sq": IvfSq, "ivf_flat": IvfFlat}[recipe.index](**given)


def _build(table: Table, wanted: Mapping[str, Any]) -> None:
    """Create the ``wanted`` indexes that are missing, say after a killed run.

    None are made for a table without rows, or for a column that the table lacks.
    """
    there = {column for index in table.list_indices() for column in index.columns}
    for column, config in wanted.items() if table.count_rows() else ():
        if column in table.schema.names and column not in there:
            _index(table, column, config)


def _index(table: Table, column: str, config: Any) -> None:
    """Create an index; with fewer partitions where the vectors are too similar for so many."""
    try:
        table.create_index(column, config=config)
    except RuntimeError as error:
        partitions = getattr(config, "num_partitions", 1)
        if partitions == 1 or "IVF partitions" not in str(error):
            raise
        _index(table, column, replace(config, num_partitions=max(1, partitions // 8)))


def _unindexed(table: Table) -> int:
    """The largest number of rows that some index of the table does not cover."""
    stats = [table.index_stats(index.name) for index in table.list_indices()]
    return max((int(each.num_unindexed_rows) for each in stats if each), default=0)


def _built(manifest: Manifest) -> str:
    """The metadata value for a table that is indexed as that version is to be."""
    return json.dumps([asdict(manifest.recipe), manifest.is_exact])
