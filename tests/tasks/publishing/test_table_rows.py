from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tasks.index.rows import to_table, with_vectors
from tasks.publishing.table_rows import chunk_table, vector_table
from tasks.records import Chunk
from tasks.schemas import ROWS_AT_ONCE, TABLES
from tests.made.chunks import chunk_of
from tests.made.random_chunks import chunks

PARTITION = {"corpus": "default", "index_key": "0123456789ab"}


def row_of(chunk: Chunk) -> dict[str, object]:
    return {
        **PARTITION,
        "chunk_id": chunk.chunk_id,
        "document_id": chunk.document_id,
        "file_name": chunk.file_name,
        "kind": chunk.kind,
        "chunk_index": chunk.ordinal,
        "parent_index": chunk.parent,
        "granularity": chunk.granularity or None,
        "page_number": chunk.page_number,
        "last_page_number": chunk.page_spans[-1].page_number if chunk.page_spans else None,
        "sheet_name": chunk.sheet_name,
        "row_number": chunk.row_number,
        "section_path": chunk.section_path,
        "start_offset": chunk.start,
        "end_offset": chunk.end,
        "token_count": chunk.token_count,
        "context": chunk.context,
        "text": chunk.text,
    }


@given(st.lists(chunks, max_size=6), st.booleans())
def test_the_lake_has_of_each_chunk_what_the_chunk_says(made: list[Chunk], is_of_several: bool) -> None:
    if is_of_several:
        made = [replace(chunk, granularity=name) for chunk, name in zip(made, cycle(["children", ""]), strict=False)]
    table = chunk_table(to_table(made), PARTITION)
    assert table.schema.equals(TABLES["chunks"])
    assert table.to_pylist() == [row_of(chunk) for chunk in made]


def test_vectors_are_their_bytes_however_many_there_are() -> None:
    chunk = chunk_of("Backups are encrypted.")
    count = ROWS_AT_ONCE + 3
    dense, lexical = (np.random.default_rng(width).random((count, width), dtype=np.float32) for width in (3, 2))
    table = vector_table(with_vectors(to_table([chunk] * count), dense, lexical), PARTITION, "model")
    assert table.schema.equals(TABLES["vectors"]) and table.num_rows == count
    for at in (0, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, count - 1):
        row = table.slice(at, 1).to_pylist()[0]
        assert (row["chunk_id"], row["model_fingerprint"], row["corpus"]) == (chunk.chunk_id, "model", "default")
        np.testing.assert_array_equal(np.frombuffer(row["dense"], "<f4"), dense[at])
        np.testing.assert_array_equal(np.frombuffer(row["lexical"], "<f4"), lexical[at])
    none = np.zeros((0, 2), np.float32)
    assert vector_table(with_vectors(to_table([]), none, none), PARTITION, "model").num_rows == 0
