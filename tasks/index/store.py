"""The LanceDB index: versions are staged, then one tag, ``live``, is moved to publish.

An index, of a corpus and an index key, is a Lance table of rows, in which each version is a Lance version under its own
tag ``v-<id>``. What two versions share is stored once: a new one deletes the rows that are gone and adds those that are
new. What every version has for itself, the order of its rows and their lexical vectors, is a table beside it. The
manifest travels in the version's schema. Readers open the version under ``live`` and never see another.

A table of rows only grows. Where too much of it is of no kept version any more, or unknown to its indexes, it is
*renewed*: the kept versions are written to a new table, and the tag ``whole``, set last, makes readers go over to it.
Indexes are made when a table is: LanceDB looks through later rows one by one, until it is renewed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pyarrow.compute as pc
from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, IvfPq, IvfSq
from lancedb.table import Table

from tasks.errors import IndexLocked, UsageError
from tasks.index.reader import MEANS, READS, VersionReader, means_of, steadily
from tasks.index.rows import ROW_ID, TOKENS, join_rows, split_rows
from tasks.index.versions import LIVE, Manifest, Recipe, Version, is_worn

_MANIFEST, _WRITTEN = "bidfolio.manifest", "bidfolio.written_rows"
_BUILT, _BEGUN = "bidfolio.built_indexes", "bidfolio.begun_version"
_CORPUS_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""What LanceDB and a Hive partition both take for a name."""
_ROWS_NAME = re.compile(r"(?P<index>.+-[0-9a-f]{12})\.rows-(?P<number>\d+)")
_WHOLE = "whole"
_TRAINING = {"sample_rate": 64, "max_iterations": 10}
"""From how many vectors a partition's centre is found, and in how many rounds; LanceDB's own are 256 and 50."""
_PQ_WIDTH = 8
"""How many dimensions a code of IVF_PQ stands for."""


class IndexStore:
    """The indexes below ``home``, a local folder or an object store's URL."""

    def __init__(self, home: str) -> None:
        self.uri = f"{home.rstrip('/')}/index"
        self._local = "://" not in home

    @contextmanager
    def writing(self, corpus: str) -> Iterator[None]:
        """Holds the right to write a corpus' indexes; the lock goes with the process, even by ``kill -9``.

        Raises IndexLocked where another process has it, UsageError where ``corpus`` cannot be a name. An object store
        has no such lock: one writer is the scheduler's duty there, and :meth:`stage` tells where there were two.
        """
        if not _CORPUS_NAME.fullmatch(corpus):
            raise UsageError(f"{corpus!r} cannot name a corpus: take letters, digits, '-', '_' and '.'")
        if not self._local:
            yield
            return
        try:
            Path(self.uri).mkdir(parents=True, exist_ok=True)
            lock = os.open(f"{self.uri}/{corpus}.lock", os.O_CREAT | os.O_RDWR)
        except PermissionError as error:
            raise UsageError(
                f"no permission to write {self.uri}: choose another --home, or give this user the right to write there"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            raise _locked(corpus) from error
        finally:
            os.close(lock)

    def stage(self, manifest: Manifest, rows: pa.Table) -> None:
        """Writes ``rows`` as a version of its own, tagged ``v-<id>``; what is live stays as it is, and is not written
        again where it is whole: the same id is the same content.

        Raises IndexLocked where another process has written between two steps of this, and tags nothing then.
        """
        name = _index_name(manifest.corpus, manifest.index_key)
        if self._is_live_and_whole(name, manifest):
            return
        own_name, (shared, own) = f"{name}.v-{manifest.index_version}", split_rows(rows)
        if not self._holds(own_name, own):
            self._create(own_name, own)
        if not manifest.is_exact:
            part = self._database().open_table(own_name)
            width = own.schema.field("lexical").type.list_size
            _build(part, {"lexical": vector_index(manifest.recipe, own.num_rows, width)})
            part.update_field_metadata({"path": ROW_ID, "metadata": {MEANS: means_of(shared, own)}})
        table = self._find(name)
        try:
            written = self._write(f"{name}.rows-0", table, manifest, shared)
        except RuntimeError as error:
            if "concurrent transaction" not in str(error):
                raise
            raise _locked(manifest.corpus) from error
        if table is None:
            _tag(written, _WHOLE, written.version)

    def publish(self, corpus: str, index_key: str, index_version: str) -> None:
        """Moves ``live`` to that version, in one step. Raises UsageError where there is no such version."""
        table, number = self._version(corpus, index_key, index_version)
        _tag(table, LIVE, number)

    def keep(self, corpus: str, index_key: str, wanted: Collection[str]) -> None:
        """Forgets every version that is neither live nor among ``wanted``, and gives its space back in time.

        No index, or versions that are not there, are no error.
        """
        name = _index_name(corpus, index_key)
        table = self._find(name)
        if table is None:
            return
        live = _tags(table).get(LIVE)
        for index_version, number in _numbers(table).items():
            if number != live and index_version not in wanted:
                table.tags.delete(f"v-{index_version}")
        own = [self._database().open_table(f"{name}.v-{index_version}") for index_version in _numbers(table)]
        needed = {row_id for each in own for row_id in _row_ids(each).to_pylist()}
        told = self._told(table)[1]
        commits = table.version - int(told.get(_BEGUN, 1))
        # What is live says how the table is indexed: one that was only staged, for a trial, must not slow it.
        manifest = self._told(table, live)[0]
        unknown = _unindexed(table) if told.get(_BUILT) == _built(manifest) else table.count_rows()
        if is_worn(int(told[_WRITTEN]), len(needed), commits, unknown):
            table = self._renewed(name, table, manifest)
        used = {table.name, *(f"{name}.v-{index_version}" for index_version in _numbers(table))}
        for other in self._names():
            if other.startswith(f"{name}.") and other not in used:
                self._database().drop_table(other)

    def live(self, corpus: str, index_key: str) -> Manifest | None:
        """The manifest of the live version, or None where nothing is published."""

        def read() -> Manifest | None:
            table = self._find(_index_name(corpus, index_key))
            live = None if table is None else _tags(table).get(LIVE)
            return None if table is None or live is None else self._told(table, live)[0]

        return steadily(read)

    def rows(self, corpus: str, index_key: str, index_version: str) -> pa.Table:
        """All rows of that version, in the order in which they were staged, without the vectors of their tokens.

        Raises UsageError where it is gone.
        """

        def read() -> pa.Table:
            shared, own = self._parts(corpus, index_key, index_version)
            columns = [column for column in shared.schema.names if column != TOKENS]
            return join_rows(shared.search().select(columns).to_arrow(), own.to_arrow())

        return steadily(read)

    def reader(self, corpus: str, index_key: str, index_version: str) -> VersionReader:
        """That version, whose rows stay where they are. Raises UsageError where it is gone."""
        return VersionReader(lambda: self._parts(corpus, index_key, index_version))

    def manifest(self, corpus: str, index_key: str, index_version: str) -> Manifest:
        """That version's manifest. Raises UsageError where it is gone."""
        return steadily(lambda: self._told(*self._version(corpus, index_key, index_version))[0])

    def versions(self) -> list[Version]:
        """Every staged or published version of every index, oldest first; none where there is no index."""
        return steadily(self._versions)

    def _versions(self) -> list[Version]:
        found: list[Version] = []
        for name in sorted({match["index"] for each in self._names() if (match := _ROWS_NAME.fullmatch(each))}):
            if (table := self._find(name)) is None:
                continue
            tags = _tags(table)
            for number in sorted({*_numbers(table).values(), *(at for tag, at in tags.items() if tag == LIVE)}):
                names = tuple(sorted(tag for tag, at in tags.items() if at == number))
                found.append(Version(self._told(table, number)[0], number, names))
        return found

    def _write(self, name: str, table: Table | None, manifest: Manifest, shared: pa.Table) -> Table:
        """Makes ``shared`` the newest version of ``table``, or of a new one of that ``name``, and tags it."""
        if table is None:
            table, told = self._begin(name, [shared], manifest)
            at = table.version
        else:
            same = table.merge_insert(ROW_ID).when_not_matched_insert_all().when_not_matched_by_source_delete()
            told = self._told(table)[1]
            merged = same.execute(shared)
            at, told = merged.version, told | {_WRITTEN: str(int(told[_WRITTEN]) + merged.num_inserted_rows)}
        _seal(table, manifest, told, at)
        return table

    def _begin(self, name: str, parts: Sequence[pa.Table], manifest: Manifest) -> tuple[Table, dict[str, str]]:
        """A new table of the rows of all ``parts``, with its indexes, and what is to be told of it."""
        table = self._create(name, parts[0])
        for part in parts[1:]:
            table.add(part)
        rows = sum(part.num_rows for part in parts)
        wanted = _indexes_of(manifest.recipe)
        if not manifest.is_exact:
            wanted["dense"] = vector_index(manifest.recipe, rows, parts[0].schema.field("dense").type.list_size)
        _build(table, wanted)
        return table, {_WRITTEN: str(rows), _BUILT: _built(manifest), _BEGUN: str(table.version)}

    def _renewed(self, name: str, table: Table, manifest: Manifest) -> Table:
        """A new table of rows with the versions that ``table`` has, oldest first, and the same one live, indexed as the
        version of ``manifest`` is to be.
        """
        match = _ROWS_NAME.fullmatch(table.name)
        assert match is not None
        new_name = f"{name}.rows-{int(match['number']) + 1}"
        if new_name in self._names():  # what a killed run left of it
            self._database().drop_table(new_name)
        live = _tags(table).get(LIVE)
        # A version that is live and damaged may have been staged anew: then it is there twice.
        numbers = sorted({*_numbers(table).values(), *([live] if live else [])})
        parts: list[pa.Table] = []
        known = pa.array([], pa.string())
        for number in reversed(numbers):
            table.checkout(number)
            ids = _row_ids(table)
            if pc.all(is_known := pc.is_in(ids, known)).as_py():
                continue
            rows = table.to_arrow()
            parts.append(rows.filter(pc.invert(pc.is_in(rows[ROW_ID], known))))
            known = pa.concat_arrays([known, *ids.filter(pc.invert(is_known)).chunks])
        table.checkout_latest()
        new, told = self._begin(new_name, parts, manifest)
        begun = new.version
        told[_BEGUN] = str(begun + 3 * len(numbers))
        for number in numbers:
            # Each version is the whole less what it lacks, so that all of them share its rows and its indexes.
            own = self._told(table, number)[0]
            table.checkout(number)
            new.checkout(begun)
            new.restore()
            new.merge_insert(ROW_ID).when_not_matched_by_source_delete().execute(pa.table({ROW_ID: _row_ids(table)}))
            table.checkout_latest()
            _seal(new, own, told, new.version)
            if number == live:
                _tag(new, LIVE, new.version)
        _tag(new, _WHOLE, new.version)
        return new

    def _parts(self, corpus: str, index_key: str, index_version: str) -> tuple[Table, Table]:
        """The shared rows of that version and its own. Raises UsageError where it is gone."""
        table, number = self._version(corpus, index_key, index_version)
        table.checkout(number)
        return table, self._database().open_table(f"{_index_name(corpus, index_key)}.v-{index_version}")

    def _is_live_and_whole(self, name: str, manifest: Manifest) -> bool:
        table = self._find(name)
        own_name = f"{name}.v-{manifest.index_version}"
        if table is None or LIVE not in (tags := _tags(table)) or own_name not in self._names():
            return False
        if self._told(table, tags[LIVE])[0].index_version != manifest.index_version:
            return False
        own = _row_ids(self._database().open_table(own_name))
        table.checkout(tags[LIVE])
        return len(own) == manifest.chunks and bool(pc.all(pc.is_in(own, _row_ids(table).combine_chunks())).as_py())

    def _create(self, name: str, rows: pa.Table) -> Table:
        """A table of ``rows``, in the place of what a killed run left under its name."""
        return self._database().create_table(name, rows, mode="overwrite" if name in self._names() else "create")

    def _holds(self, name: str, rows: pa.Table) -> bool:
        return name in self._names() and bool(self._database().open_table(name).to_arrow().equals(rows))

    def _version(self, corpus: str, index_key: str, index_version: str) -> tuple[Table, int]:
        table = self._find(_index_name(corpus, index_key))
        if table is None:
            raise UsageError(f"there is no index of {corpus!r} for this plan: run `bidfolio refresh` with it first")
        numbers = _numbers(table)
        if index_version not in numbers:
            raise UsageError(
                f"there is no index version {index_version!r}; there are {', '.join(sorted(numbers)) or 'none'}"
            )
        return table, numbers[index_version]

    def _find(self, name: str) -> Table | None:
        """The newest whole table of rows of that index.

        Of two, one is whole: where neither was, the older has just been renewed and goes away, so both are looked at
        again. So it is where what stands has changed under the search.
        """
        for _ in range(READS):
            there = self._tables_of_rows(name)
            for table_name in there:
                table = self._database().open_table(table_name)
                if _WHOLE in table.tags.list():
                    return table
            if len(there) < 2 and there == self._tables_of_rows(name):
                break
        return None

    def _tables_of_rows(self, name: str) -> list[str]:
        """The names of that index' tables of rows, newest first."""
        matches = [match for each in self._names() if (match := _ROWS_NAME.fullmatch(each)) and match["index"] == name]
        return [match[0] for match in sorted(matches, key=lambda match: -int(match["number"]))]

    def _database(self) -> lancedb.DBConnection:
        return lancedb.connect(self.uri)

    def _names(self) -> list[str]:
        return list(self._database().list_tables().tables)

    @staticmethod
    def _told(table: Table, number: int | None = None) -> tuple[Manifest, dict[str, str]]:
        """The manifest of a version, or of the latest, and what else the table tells of itself until then."""
        if number is not None:
            table.checkout(number)
        metadata = table.schema.field(ROW_ID).metadata
        if number is not None:
            table.checkout_latest()
        told = {key.decode(): value.decode() for key, value in metadata.items() if key.startswith(b"bidfolio.")}
        return Manifest.of(json.loads(told.pop(_MANIFEST))), told


def _indexes_of(recipe: Recipe) -> dict[str, Any]:
    """The indexes that every table has, by column. Of the text and of its context each has its own."""
    words = recipe.language != "none"
    language = recipe.language.title() if words else "English"
    full_text = FTS(language=language, stem=words, remove_stop_words=words)
    return {"file_name": BTree(), "kind": Bitmap(), "text": full_text, "context": full_text}


def vector_index(recipe: Recipe, rows: int, width: int) -> Any:
    """The index of so many vectors of that ``width``."""
    given: dict[str, Any] = {"distance_type": "dot", "num_partitions": recipe.partitions_of(rows), **_TRAINING}
    if recipe.index == "ivf_hnsw_sq":
        return HnswSq(**given, m=recipe.m, ef_construction=recipe.ef_construction)
    if recipe.index == "ivf_pq":
        # Lance's own default, half as many, finds less than half of the best.
        return IvfPq(**given, num_sub_vectors=width // _PQ_WIDTH if width % _PQ_WIDTH == 0 else None)
    return {"ivf_sq": IvfSq, "ivf_flat": IvfFlat}[recipe.index](**given)


def _build(table: Table, wanted: Mapping[str, Any]) -> None:
    """Makes those of the ``wanted`` indexes that a killed run has not made; of no rows there are none."""
    there = {column for index in table.list_indices() for column in index.columns}
    for column, config in wanted.items() if table.count_rows() else ():
        if column not in there:
            table.create_index(column, config=config)


def _unindexed(table: Table) -> int:
    """How many rows of the table some index of it does not know."""
    stats = [table.index_stats(index.name) for index in table.list_indices()]
    return max((int(each.num_unindexed_rows) for each in stats if each), default=0)


def _built(manifest: Manifest) -> str:
    """What is told of a table that is indexed as that version is to be."""
    return json.dumps([asdict(manifest.recipe), manifest.is_exact])


def _seal(table: Table, manifest: Manifest, told: Mapping[str, str], at: int) -> None:
    """Writes what is told of the version ``at``, the newest, and tags it.

    Raises IndexLocked where it is not the newest: without a lock another's rows have come in, and it would have them.
    """
    metadata = {**told, _MANIFEST: json.dumps(asdict(manifest))}
    if table.update_field_metadata({"path": ROW_ID, "metadata": metadata}).version != at + 1:
        raise _locked(manifest.corpus)
    _tag(table, f"v-{manifest.index_version}", at + 1)


def _row_ids(table: Table) -> pa.ChunkedArray:
    return table.search().select([ROW_ID]).to_arrow()[ROW_ID]


def _locked(corpus: str) -> IndexLocked:
    return IndexLocked(f"another refresh is writing the corpus {corpus!r}: wait for it to end, then run this one again")


def _tags(table: Table) -> dict[str, int]:
    """The Lance version under each tag of a table that is whole. Raises OSError where it was renewed meanwhile: of a
    table that goes away LanceDB tells no tags, and no error.
    """
    tags = {tag: int(at["version"]) for tag, at in table.tags.list().items()}
    if _WHOLE not in tags:
        raise OSError(f"{table.name} was renewed while it was read: read again")
    return tags


def _numbers(table: Table) -> dict[str, int]:
    """The Lance version of each index version."""
    return {tag.removeprefix("v-"): number for tag, number in _tags(table).items() if tag.startswith("v-")}


def _tag(table: Table, tag: str, number: int) -> None:
    (table.tags.update if tag in table.tags.list() else table.tags.create)(tag, number)


def _index_name(corpus: str, index_key: str) -> str:
    return f"{corpus}-{index_key}"
