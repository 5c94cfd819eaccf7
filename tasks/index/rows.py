"""Conversion between chunks with vectors and rows of the index; the row order is ``position``.

The index keeps rows in two parts, shared and own. Versions share chunks and dense vectors. Each version has its own
order and lexical vectors: a refitted SVD changes every lexical vector, and a new file moves the rows after it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tasks.records import Chunk, PageSpan

Matrix = NDArray[np.float32]
ROW_ID = "row_id"
"""The column with the id of a row's shared part: a content hash, so that equal rows are stored once."""
TOKENS = "tokens"
"""The column with a chunk's token vectors, ``(t, d)`` int8 as bytes: in the shared part, where the plan keeps them."""
TokenSource = Callable[[Sequence[int]], Iterable[tuple[Sequence[int], pa.Array]]]
"""Function that gives the token vectors of the rows at those positions, each once,
in batches of positions and vectors.
"""
PART_BYTES = 256 * 2**20
"""The bytes of a version that go to LanceDB at once: with token vectors, 100,000 chunks have ten times as much."""

ROWS_AT_ONCE = 8192
"""The number of rows of which there are Python objects, or copies, at once."""

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
        pa.field("parent", pa.int32()),
    ]
)
"""The columns of a chunk; page spans stay with it, so that a version needs no other table to cite."""
GRANULARITY = "granularity"
"""The column with a chunk's granularity, where the plan has several.

Otherwise the column is missing, as it is in versions made before there were granularities.
"""
_OF_SEVERAL = CHUNK_SCHEMA.append(pa.field(GRANULARITY, pa.string()))


def to_table(chunks: Sequence[Chunk]) -> pa.Table:
    """The chunks as a table of CHUNK_SCHEMA, in their order; no chunks give an empty table.

    The column GRANULARITY is added where some chunk has a named granularity.
    """
    schema = _OF_SEVERAL if any(chunk.granularity for chunk in chunks) else CHUNK_SCHEMA
    columns = {
        name: [getattr(chunk, name) for chunk in chunks] for name in schema.names if name in Chunk.__dataclass_fields__
    }
    columns["page_numbers"] = [[span.page_number for span in chunk.page_spans] for chunk in chunks]
    columns["page_starts"] = [[span.start for span in chunk.page_spans] for chunk in chunks]
    columns["page_ends"] = [[span.end for span in chunk.page_spans] for chunk in chunks]
    return pa.table(columns, schema=schema)


def chunk_columns(schema: pa.Schema) -> list[str]:
    """The names of a chunk's columns in ``schema``, which has all of CHUNK_SCHEMA."""
    return [name for name in _OF_SEVERAL.names if name in schema.names]


def with_vectors(chunks: pa.Table, dense: Matrix, lexical: Matrix) -> pa.Table:
    """The chunks as rows of the index: ``position``, the chunk's columns, ``dense`` (m, n), ``lexical`` (m, p)."""
    positions = pa.array(np.arange(chunks.num_rows, dtype=np.int32))
    return (
        chunks.add_column(0, "position", positions)
        .append_column("dense", _vector_column(dense))
        .append_column("lexical", _vector_column(lexical))
    )


def split_rows(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Split rows into the shared part (chunk and dense vector, each once) and the own part (order and lexical vector).

    No rows give two empty tables.
    """
    names = chunk_columns(rows.schema)
    first: dict[str, int] = {}
    ids: list[str] = []
    for begin in range(0, rows.num_rows, ROWS_AT_ONCE):  # a row of Python's weighs ten times one of Arrow's
        some = rows.slice(begin, ROWS_AT_ONCE)
        of_rows = zip(*(some[name].to_pylist() for name in names), strict=True)
        for row, vector in zip(of_rows, matrix_of(some, "dense"), strict=True):
            row_id = hashlib.sha256(json.dumps(row).encode() + vector.tobytes()).hexdigest()[:16]
            first.setdefault(row_id, len(ids))
            ids.append(row_id)
    column = pa.array(ids, pa.string())
    shared = rows.select([*names, "dense"]).add_column(0, ROW_ID, column)
    if len(first) < rows.num_rows:
        shared = shared.take(pa.array(first.values(), pa.int64()))
    own = ["position", "lexical", *names[len(CHUNK_SCHEMA.names) :]]
    return shared, rows.select(own).add_column(0, ROW_ID, column)


def new_parts(shared: pa.Table, own: pa.Table, known: pa.Array, tokens: TokenSource | None) -> Iterator[pa.Table]:
    """The rows of ``shared`` whose ids are not ``known``, in parts that fit into memory.

    Token vectors are added where ``tokens`` gives them. ``own`` is what :func:`split_rows` gave with ``shared``. No new
    rows give no part.
    """
    is_new = pc.invert(pc.is_in(shared[ROW_ID], known)).combine_chunks()
    if tokens is None:
        begins = range(0, shared.num_rows, ROWS_AT_ONCE)
        return in_parts(shared.slice(at, ROWS_AT_ONCE).filter(is_new.slice(at, ROWS_AT_ONCE)) for at in begins)
    # Of a large version, the new rows are never there a second time.
    place = np.flatnonzero(is_new.to_numpy(zero_copy_only=False))
    first = pc.index_in(shared[ROW_ID].take(pa.array(place)), own[ROW_ID]).to_pylist()
    place_of = dict(zip(first, place.tolist(), strict=True))
    # Of a column in many chunks, as documents leave it, Arrow would copy all texts each time that it takes some.
    whole = shared.combine_chunks()
    found = ((whole.take(pa.array([place_of[row] for row in rows])), values) for rows, values in tokens(first))
    return in_parts(some.append_column(TOKENS, values) for some, values in found)


def in_parts(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Merge the rows of all ``tables`` into larger tables of PART_BYTES and little more,
    which LanceDB searches faster.
    """
    held: list[pa.Table] = []
    for table in tables:
        if table.num_rows:
            held.append(table)
        if sum(each.nbytes for each in held) >= PART_BYTES:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)


def join_rows(shared: pa.Table, own: pa.Table) -> pa.Table:
    """Join the two parts of :func:`split_rows` to rows again; the order in the parts does not matter.

    Raises ValueError where ``shared`` lacks a row.
    """
    order = np.argsort(own["position"].to_numpy())
    at = pc.index_in(own[ROW_ID], shared[ROW_ID])
    if at.null_count:
        raise ValueError(f"the index lacks {at.null_count} of {len(own)} rows")
    at = at.to_numpy()[order]
    # Arrow's take on lists builds an index for each float, which needs three times the memory of the vectors.
    dense, lexical = _vector_column(matrix_of(shared, "dense")[at]), _vector_column(matrix_of(own, "lexical")[order])
    chunks = shared.drop_columns(["dense"]).take(pa.array(at))
    rows = chunks.add_column(0, own.schema.field("position"), own["position"].take(pa.array(order)))
    return rows.append_column("dense", dense).append_column("lexical", lexical).drop_columns([ROW_ID])


def chunks_of(rows: pa.Table) -> list[Chunk]:
    """The chunks of ``rows``, in their order; no rows give none."""
    # By column: a dictionary for each row would cost more than all other steps.
    values = {name: rows[name].to_pylist() for name in chunk_columns(rows.schema)}
    spans = [
        tuple(map(PageSpan, *of_one))
        for of_one in zip(*(values.pop(f"page_{what}") for what in ("numbers", "starts", "ends")), strict=True)
    ]
    granularities = [name or "" for name in values.pop(GRANULARITY, [None] * len(spans))]
    of_chunks = zip(*values.values(), strict=True)
    return [
        Chunk(**dict(zip(values, of_one, strict=True)), page_spans=pages, granularity=granularity)
        for of_one, pages, granularity in zip(of_chunks, spans, granularities, strict=True)
    ]


def main_pages(rows: pa.Table) -> pa.Array:
    """The page of each row that has most of the chunk's characters, as in ``Chunk.page_number``; null without pages."""
    numbers, starts, ends = (rows[f"page_{what}"].to_pylist() for what in ("numbers", "starts", "ends"))
    found = []
    for of_one, begins, stops in zip(numbers, starts, ends, strict=True):
        lengths = [stop - begin for begin, stop in zip(begins, stops, strict=True)]
        found.append(of_one[lengths.index(max(lengths))] if lengths else None)
    return pa.array(found, pa.int32())


def matrix_of(rows: pa.Table, column: str) -> Matrix:
    """A vector column as ``(len(rows), dimensions)`` float32; no rows give ``(0, dimensions)``."""
    width = rows.schema.field(column).type.list_size
    flat = rows[column].combine_chunks().flatten() if rows.num_rows else pa.array([], pa.float32())
    return np.asarray(flat, dtype=np.float32).reshape(rows.num_rows, width)


def _vector_column(vectors: Matrix) -> pa.Array:
    numbers = np.ascontiguousarray(vectors, dtype=np.float32)
    if np.isnan(numbers).any():
        # LanceDB takes no NaN; infinity reaches the quality gate, which refuses both.
        numbers = np.where(np.isnan(numbers), np.float32(np.inf), numbers)
    flat = pa.array(numbers.ravel())
    return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
