"""Chunks with their vectors as rows of the index, and back. Row order is ``position``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tasks.records import Chunk, PageSpan

Matrix = NDArray[np.float32]


CHUNK_SCHEMA = pa.schema(
    [
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("document_id", pa.string(), nullable=False),
        pa.field("file_name", pa.string(), nullable=False),
        pa.field("content_sha256", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("ordinal", pa.int32(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("text", pa.string(), nullable=False),
        pa.field("context", pa.string(), nullable=False),
        pa.field("token_count", pa.int32(), nullable=False),
        pa.field("page_numbers", pa.list_(pa.int32())),
        pa.field("page_starts", pa.list_(pa.int64())),
        pa.field("page_ends", pa.list_(pa.int64())),
        pa.field("section_path", pa.string(), nullable=False),
        pa.field("sheet_name", pa.string()),
        pa.field("row_number", pa.int32()),
    ]
)
"""The columns of a chunk; page spans stay with it, so that a version needs no other table to cite."""


def to_table(chunks: Sequence[Chunk]) -> pa.Table:
    """The chunks as a table of CHUNK_SCHEMA, in their order; none give an empty one."""
    columns = {
        name: [getattr(chunk, name) for chunk in chunks]
        for name in CHUNK_SCHEMA.names
        if name in Chunk.__dataclass_fields__
    }
    columns["page_numbers"] = [[span.page_number for span in chunk.page_spans] for chunk in chunks]
    columns["page_starts"] = [[span.start for span in chunk.page_spans] for chunk in chunks]
    columns["page_ends"] = [[span.end for span in chunk.page_spans] for chunk in chunks]
    return pa.table(columns, schema=CHUNK_SCHEMA)


def with_vectors(chunks: pa.Table, dense: Matrix, lexical: Matrix) -> pa.Table:
    """``chunks`` as rows of the index: ``position``, the chunk's columns, ``dense`` (m, n), ``lexical`` (m, p)."""
    positions = pa.array(np.arange(chunks.num_rows, dtype=np.int32))
    return (
        chunks.add_column(0, "position", positions)
        .append_column("dense", _vector_column(dense))
        .append_column("lexical", _vector_column(lexical))
    )


def chunks_of(rows: pa.Table) -> list[Chunk]:
    """The chunks of ``rows``, in their order; no rows give none."""
    found = []
    for row in rows.select(CHUNK_SCHEMA.names).to_pylist():
        spans = zip(row["page_numbers"], row["page_starts"], row["page_ends"], strict=True)
        found.append(
            Chunk(
                **{name: row[name] for name in Chunk.__dataclass_fields__ if name != "page_spans"},
                page_spans=tuple(PageSpan(*span) for span in spans),
            )
        )
    return found


def matrix_of(rows: pa.Table, column: str) -> Matrix:
    """A vector column as ``(len(rows), dimensions)`` float32; no rows give ``(0, dimensions)``."""
    width = rows.schema.field(column).type.list_size
    flat = rows[column].combine_chunks().flatten() if rows.num_rows else pa.array([], pa.float32())
    return np.asarray(flat, dtype=np.float32).reshape(rows.num_rows, width)


def _vector_column(vectors: Matrix) -> pa.Array:
    numbers = np.ascontiguousarray(vectors, dtype=np.float32)
    if np.isnan(numbers).any():
        # LanceDB takes no NaN; as infinity it comes as far as the gate, which refuses both.
        numbers = np.where(np.isnan(numbers), np.float32(np.inf), numbers)
    flat = pa.array(numbers.ravel())
    return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
