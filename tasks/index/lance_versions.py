"""Versions inside a Lance table: their tags, their metadata in the schema, and the ids of their rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tasks.errors import Damaged
from tasks.index.locks import another_writes
from tasks.index.rows import ROW_ID
from tasks.index.versions import Manifest
from tasks.storage.store_errors import explained_words

if TYPE_CHECKING:
    from lancedb import DBConnection
    from lancedb.table import Table

MANIFEST = "bidfolio.manifest"
"""The metadata key of a version's manifest in the table's schema; all our metadata keys have the same prefix."""
WHOLE = "whole"
"""The tag that marks a table of rows as complete; readers ignore a table without it."""
_DAMAGE = ("lance error: Not found", "failed to fill whole buffer")
"""Lance's messages for a file that is gone, and for a truncated file."""
_IN_SOURCE = re.compile(r", /\S+:\d+:\d+$", re.M)
"""The end of Lance's messages: the place in its own source."""
_ROWS_A_READ = 4096
_IDS_A_DELETE = 10_000


@contextmanager
def damage_told(uri: str, name: str) -> Iterator[None]:
    """Turn Lance's errors about a missing or truncated file of the index ``name`` into Damaged, with the remedy, and
    those about its store as :func:`explained_words`.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        if told := explained_words(error, uri):
            raise told from error
        if isinstance(error, RuntimeError) and any(words in str(error) for words in _DAMAGE):
            raise Damaged(f"the index {uri}/{name}.*", _IN_SOURCE.sub("", str(error))) from error
        raise


def whole_table(database: DBConnection, name: str) -> Table | None:
    """Open a table of rows; None where there is none of that name, or it is incomplete."""
    try:
        table = database.open_table(name)
        return table if WHOLE in table.tags.list() else None
    except ValueError as error:  # LanceDB finds no such table
        if explained_words(error, name):
            raise
        return None


def told_by(table: Table, number: int | None = None) -> tuple[Manifest, dict[str, str]]:
    """The manifest of a version, or of the latest, and the other metadata of the table at that version."""
    if number is not None:
        table.checkout(number)
    metadata = table.schema.field(ROW_ID).metadata
    if number is not None:
        table.checkout_latest()
    told = {key.decode(): value.decode() for key, value in metadata.items() if key.startswith(b"bidfolio.")}
    return Manifest.of(json.loads(told.pop(MANIFEST))), told


def tags_of(table: Table) -> dict[str, int]:
    """The Lance version under each tag of a complete table.

    Raises OSError where it was renewed meanwhile: LanceDB reports no tags, and no error, for a table that goes away.
    """
    tags = {tag: int(at["version"]) for tag, at in table.tags.list().items()}
    if WHOLE not in tags:
        raise OSError(f"{table.name} was renewed while it was read: read again")
    return tags


def tagged_versions(table: Table) -> dict[str, int]:
    """The Lance version of each index version."""
    return {tag.removeprefix("v-"): number for tag, number in tags_of(table).items() if tag.startswith("v-")}


def set_tag(table: Table, tag: str, number: int) -> None:
    """Move the ``tag`` to that Lance version, or create it there."""
    (table.tags.update if tag in table.tags.list() else table.tags.create)(tag, number)


def row_ids(table: Table) -> pa.ChunkedArray:
    """The ids of all rows of the open version; no other column is read."""
    return table.search().select([ROW_ID]).to_arrow()[ROW_ID]


def keep_rows(table: Table, kept: pa.ChunkedArray) -> int:
    """Delete the rows whose ids are not among ``kept``; returns the number of commits.

    They are deleted by id: a merge that deletes unmatched rows reads every column of the table.
    """
    there = row_ids(table).combine_chunks()
    gone = there.filter(pc.invert(pc.is_in(there, kept.combine_chunks()))).to_pylist()
    parts = [gone[begin : begin + _IDS_A_DELETE] for begin in range(0, len(gone), _IDS_A_DELETE)]
    for part in parts:
        table.delete(f"{ROW_ID} IN ({', '.join(repr(str(row_id)) for row_id in part)})")
    return len(parts)


def union_of(table: Table, numbers: Sequence[int]) -> Iterator[pa.Table]:
    """The rows of all those versions of ``table``, each id once, in batches; the table is left at the last version.

    A version may have a row twice where two processes wrote without a lock.
    """
    seen: set[str] = set()
    for number in numbers:
        table.checkout(number)
        if seen.issuperset(row_ids(table).to_pylist()):
            continue
        for batch in table.search().to_batches(_ROWS_A_READ):
            is_new = []
            for row_id in batch.column(ROW_ID).to_pylist():
                is_new.append(row_id not in seen)
                seen.add(row_id)
            yield pa.Table.from_batches([batch]).filter(pa.array(is_new, pa.bool_()))


def seal(table: Table, manifest: Manifest, told: Mapping[str, str], at: int) -> None:
    """Write the metadata of the version ``at``, the newest, and tag it.

    Raises IndexLocked where it is not the newest: another process has written without a lock, and its rows are in it.
    """
    metadata = {**told, MANIFEST: json.dumps(asdict(manifest))}
    if table.update_field_metadata({"path": ROW_ID, "metadata": metadata}).version != at + 1:
        raise another_writes(manifest.corpus)
    set_tag(table, f"v-{manifest.index_version}", at + 1)
