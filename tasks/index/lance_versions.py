"""What a Lance table says of the versions in it: by its tags, by the metadata of its schema, and by its rows' ids."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tasks.errors import Damaged
from tasks.index.rows import ROW_ID
from tasks.index.versions import Manifest

if TYPE_CHECKING:
    from lancedb.table import Table

MANIFEST = "bidfolio.manifest"
"""Under what the schema of a version tells its manifest; what else it tells has names that begin alike."""
WHOLE = "whole"
"""The tag that a table of rows gets last: before, readers pass it by."""
_DAMAGE = ("lance error: Not found", "failed to fill whole buffer")
"""What Lance says of a file that is gone, and of one that is shorter than it was."""
_ROWS_A_READ = 4096
_IDS_A_DELETE = 10_000


@contextmanager
def damage_told(uri: str, name: str) -> Iterator[None]:
    """Raises Damaged, with the remedy, where a file of the tables of the index ``name`` is gone or cut short."""
    try:
        yield
    except RuntimeError as error:
        if any(words in str(error) for words in _DAMAGE):
            raise Damaged(f"the index {uri}/{name}.*", error, "these folders") from error
        raise


def told_by(table: Table, number: int | None = None) -> tuple[Manifest, dict[str, str]]:
    """The manifest of a version, or of the latest, and what else the table tells of itself until then."""
    if number is not None:
        table.checkout(number)
    metadata = table.schema.field(ROW_ID).metadata
    if number is not None:
        table.checkout_latest()
    told = {key.decode(): value.decode() for key, value in metadata.items() if key.startswith(b"bidfolio.")}
    return Manifest.of(json.loads(told.pop(MANIFEST))), told


def tags_of(table: Table) -> dict[str, int]:
    """The Lance version under each tag of a table that is whole. Raises OSError where it was renewed meanwhile: of a
    table that goes away LanceDB tells no tags, and no error.
    """
    tags = {tag: int(at["version"]) for tag, at in table.tags.list().items()}
    if WHOLE not in tags:
        raise OSError(f"{table.name} was renewed while it was read: read again")
    return tags


def tagged_versions(table: Table) -> dict[str, int]:
    """The Lance version of each index version."""
    return {tag.removeprefix("v-"): number for tag, number in tags_of(table).items() if tag.startswith("v-")}


def set_tag(table: Table, tag: str, number: int) -> None:
    """Moves the ``tag`` to that Lance version, or makes it there."""
    (table.tags.update if tag in table.tags.list() else table.tags.create)(tag, number)


def row_ids(table: Table) -> pa.ChunkedArray:
    """The ids of all rows of the version that is open, and nothing else of them."""
    return table.search().select([ROW_ID]).to_arrow()[ROW_ID]


def keep_rows(table: Table, kept: pa.ChunkedArray) -> int:
    """Deletes the rows whose ids are not among ``kept``, and gives how many commits that took.

    By their ids: a merge that deletes what it does not match reads every column of the table for it.
    """
    there = row_ids(table).combine_chunks()
    gone = there.filter(pc.invert(pc.is_in(there, kept.combine_chunks()))).to_pylist()
    parts = [gone[begin : begin + _IDS_A_DELETE] for begin in range(0, len(gone), _IDS_A_DELETE)]
    for part in parts:
        table.delete(f"{ROW_ID} IN ({', '.join(repr(str(row_id)) for row_id in part)})")
    return len(parts)


def union_of(table: Table, numbers: Sequence[int]) -> Iterator[pa.Table]:
    """The rows of all those versions of ``table``, each id once, some at a time; it is left at the last.

    A version may have a row twice where two wrote without a lock.
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
