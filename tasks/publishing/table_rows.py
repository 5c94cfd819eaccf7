"""The lake's tables ``chunks`` and ``vectors`` from an index version's rows, without a Python object for each row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.index.rows import GRANULARITY, main_pages, matrix_of
from tasks.schemas import ROWS_AT_ONCE, TABLES

_NAMED_OTHERWISE = {
    "chunk_index": "ordinal",
    "parent_index": "parent",
    "start_offset": "start",
    "end_offset": "end",
}


def chunk_table(rows: pa.Table, partition: Mapping[str, str]) -> pa.Table:
    """The table ``chunks``, in the order of ``rows``; ``partition`` names corpus and index key."""
    made = {
        **_repeated(partition, rows.num_rows),
        "page_number": main_pages(rows),
        "last_page_number": _last(rows["page_numbers"]),
        "granularity": _granularities(rows),
    }
    schema = TABLES["chunks"]
    columns = [made[name] if name in made else rows[_NAMED_OTHERWISE.get(name, name)] for name in schema.names]
    return pa.table(columns, names=schema.names).cast(schema)


def vector_table(rows: pa.Table, partition: Mapping[str, str], fingerprint: str) -> pa.Table:
    """The table ``vectors``, in the order of ``rows``; ``fingerprint`` is the dense model's."""
    made = {
        **_repeated({**partition, "model_fingerprint": fingerprint}, rows.num_rows),
        "chunk_id": rows["chunk_id"],
        "dense": _as_bytes(matrix_of(rows, "dense")),
        "lexical": _as_bytes(matrix_of(rows, "lexical")),
    }
    schema = TABLES["vectors"]
    return pa.table([made[name] for name in schema.names], names=schema.names).cast(schema)


def _repeated(values: Mapping[str, str], count: int) -> dict[str, pa.Array]:
    return {name: pa.repeat(pa.scalar(value), count) for name, value in values.items()}


def _granularities(rows: pa.Table) -> pa.Array | pa.ChunkedArray:
    if GRANULARITY not in rows.schema.names:
        return pa.nulls(rows.num_rows, pa.string())
    return pc.if_else(pc.equal(rows[GRANULARITY], ""), None, rows[GRANULARITY])


def _last(lists: pa.ChunkedArray) -> pa.Array:
    """The last entry of each list; null for an empty list."""
    whole = lists.combine_chunks()
    lengths = pc.list_value_length(whole)
    ends = pc.if_else(pc.greater(lengths, 0), pc.subtract(pc.cumulative_sum(lengths), 1), None)
    return whole.flatten().take(ends)


def _as_bytes(vectors: NDArray[np.float32]) -> pa.ChunkedArray:
    flat = np.ascontiguousarray(vectors, dtype="<f4")
    # A binary array of Arrow holds 2 GiB at most.
    parts = [flat[begin : begin + ROWS_AT_ONCE] for begin in range(0, len(flat), ROWS_AT_ONCE)]
    return pa.chunked_array([_binary(part) for part in parts], pa.binary())


def _binary(vectors: NDArray[np.float32]) -> pa.BinaryArray:
    offsets = np.arange(len(vectors) + 1, dtype=np.int32) * np.int32(vectors.shape[1] * vectors.itemsize)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(vectors)]
    return pa.BinaryArray.from_buffers(pa.binary(), len(vectors), buffers)
