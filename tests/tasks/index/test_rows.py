from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.index.rows import CHUNK_SCHEMA, chunks_of, in_parts, join_rows, matrix_of, split_rows, to_table, with_vectors
from tasks.records import Chunk
from tests.made.chunks import chunk_of
from tests.made.random_chunks import chunks


@given(st.lists(chunks, max_size=5))
def test_chunks_come_back_from_a_table_as_they_were(made: list[Chunk]) -> None:
    table = to_table(made)
    assert table.schema == CHUNK_SCHEMA
    assert chunks_of(table) == made


@given(st.lists(chunks, max_size=5), st.integers(1, 4), st.integers(1, 4))
def test_vectors_come_back_from_rows_as_they_were(made: list[Chunk], dense: int, lexical: int) -> None:
    draw = np.random.default_rng(0)
    one, other = (draw.random((len(made), width), dtype=np.float32) for width in (dense, lexical))
    rows = with_vectors(to_table(made), one, other)
    assert rows["position"].to_pylist() == list(range(len(made)))
    assert chunks_of(rows) == made
    np.testing.assert_array_equal(matrix_of(rows, "dense"), one)
    np.testing.assert_array_equal(matrix_of(rows, "lexical"), other)


@given(st.lists(chunks, max_size=5), st.randoms(use_true_random=False))
def test_the_two_parts_of_rows_are_put_together_as_they_were(made: list[Chunk], chance: Random) -> None:
    draw = np.random.default_rng(0)
    rows = with_vectors(to_table([*made, *made[:1]]), *(draw.random((len(made + made[:1]), 3), dtype=np.float32),) * 2)
    shared, own = split_rows(rows)
    assert shared.num_rows <= rows.num_rows == own.num_rows
    order = chance.sample(range(shared.num_rows), shared.num_rows)
    assert join_rows(shared.take(pa.array(order, pa.int64())), own).equals(rows)


def test_rows_that_are_equal_are_stored_once_and_any_change_makes_another() -> None:
    one = chunk_of("Backups are encrypted.")
    others = [
        replace(one, context="Policy"),
        replace(one, page_spans=()),
        replace(one, ordinal=1),
        replace(one, parent=0),
    ]
    made = to_table([one, *others, one])
    same = np.ones((6, 2), np.float32)
    assert split_rows(with_vectors(made, same, same))[0].num_rows == 5
    assert split_rows(with_vectors(made, np.eye(6, 2, dtype=np.float32), same))[0].num_rows == 6


def test_a_row_that_is_not_there_is_told() -> None:
    shared, own = split_rows(
        with_vectors(to_table([chunk_of("Here."), chunk_of("Gone.")]), *(np.eye(2, dtype="f4"),) * 2)
    )
    with pytest.raises(ValueError, match="lacks 1 of 2 rows"):
        join_rows(shared[:1], own)


def test_no_chunks_keep_the_widths() -> None:
    rows = with_vectors(to_table([]), np.zeros((0, 384), np.float32), np.zeros((0, 7), np.float32))
    assert matrix_of(rows, "dense").shape == (0, 384) and matrix_of(rows, "lexical").shape == (0, 7)


@pytest.mark.parametrize(
    ("rows", "part_bytes", "expected"),
    [([], 80, []), ([0, 0], 80, []), ([10], 80, [10]), ([4, 0, 4, 4], 80, [12]), ([5, 6, 7, 1], 80, [11, 8])],
)
def test_tables_are_put_together_to_parts_of_some_size(
    monkeypatch: pytest.MonkeyPatch, rows: list[int], part_bytes: int, expected: list[int]
) -> None:
    monkeypatch.setattr("tasks.index.rows.PART_BYTES", part_bytes)
    found = list(in_parts(pa.table({"one": np.arange(count)}) for count in rows))
    assert [part.num_rows for part in found] == expected
    assert [one for part in found for one in part["one"].to_pylist()] == [one for count in rows for one in range(count)]
