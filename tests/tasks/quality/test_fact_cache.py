"""What was found of a document is taken again for the same bytes, and for no others."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tasks.conversion.document.serialization import to_json
from tasks.index.rows import CHUNK_SCHEMA, to_table
from tasks.quality.fact_cache import KEY, KeptFacts, facts_key
from tasks.quality.frames import ChunkFacts, PageFacts, chunk_facts, frame_of, page_facts
from tests.made.chunks import chunk_of, document_of

DOCUMENT = document_of(["One page of words here.", "Two pages of words here."])
CHUNKS = [
    replace(
        chunk_of(DOCUMENT.text[start:end], ordinal=number, start=start, page_number=1 + number),
        document_id=DOCUMENT.document_id,
    )
    for number, (start, end) in enumerate([(0, 23), (24, 48)])
]
ROWS = to_table(CHUNKS)
JSON = to_json(DOCUMENT)
NOTHING = KeptFacts(pd.DataFrame(), pd.DataFrame())


def key(document: bytes = JSON, matrices: bytes = b"m", rows: pa.Table = ROWS, granularities: Any = ("",)) -> str:
    return facts_key(document, matrices, rows, granularities)


def with_found(kept: KeptFacts, name: str) -> KeptFacts:
    pages, chunks = page_facts(DOCUMENT), chunk_facts(CHUNKS, DOCUMENT, {}, [""])
    return kept.with_found([(name, one) for one in pages], [(name, one) for one in chunks])


def written_and_read(kept: KeptFacts) -> KeptFacts:
    """As Parquet keeps it."""
    read = []
    for frame in kept:
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), buffer)
        read.append(pq.read_table(buffer).to_pandas())
    return KeptFacts(*read)


def another(value: Any) -> Any:
    if value is None:
        return 7
    return [*value, 1] if isinstance(value, list) else value + 1 if isinstance(value, int) else f"{value}x"


@pytest.mark.parametrize("column", CHUNK_SCHEMA.names)
def test_a_chunk_that_differs_in_any_column_has_another_key(column: str) -> None:
    values = ROWS[column].to_pylist()
    type_ = CHUNK_SCHEMA.field(column).type
    changed = another(values[1]) if not (values[1] is None and pa.types.is_string(type_)) else "a sheet"
    spoilt = ROWS.set_column(
        ROWS.column_names.index(column), CHUNK_SCHEMA.field(column), [pa.array([values[0], changed], type_)]
    )
    assert key(rows=spoilt) != key()


def test_the_key_is_that_of_the_bytes_wherever_they_lie() -> None:
    others = to_table([chunk_of("Something else."), *CHUNKS, replace(CHUNKS[0], sheet_name="a sheet")])
    assert key(rows=others.slice(1, 2)) == key(rows=pa.concat_tables([ROWS[:1], ROWS[1:]])) == key()
    assert key(document=JSON.replace(b"Two", b"Ten")) != key() != key(matrices=b"")
    assert len({key(), key(rows=ROWS[:1]), key(rows=ROWS[:0]), key(granularities=("", "children"))}) == 4


def test_what_is_kept_is_what_was_found() -> None:
    kept = written_and_read(with_found(with_found(NOTHING, "one"), "two"))
    assert kept.keys == {"one", "two"}
    taken = [frame.drop(columns=KEY).reset_index(drop=True) for frame in kept.of({"two"})]
    pd.testing.assert_frame_equal(taken[0], frame_of(PageFacts, page_facts(DOCUMENT)))
    pd.testing.assert_frame_equal(taken[1], frame_of(ChunkFacts, chunk_facts(CHUNKS, DOCUMENT, {}, [""])))


def test_what_a_killed_run_wrote_half_of_is_looked_at_anew() -> None:
    before, after = with_found(NOTHING, "one"), with_found(NOTHING, "two")
    assert KeptFacts(after.pages, before.chunks).keys == frozenset()


def test_what_another_version_kept_is_no_hindrance() -> None:
    old = KeptFacts(*(frame.drop(columns="place") for frame in with_found(NOTHING, "old")))
    now = with_found(old.of([]), "new")
    assert now.keys == {"new"} and not now.chunks["place"].isna().any()
