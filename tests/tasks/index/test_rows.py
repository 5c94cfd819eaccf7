from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.index.rows import (
    CHUNK_SCHEMA,
    ROW_ID,
    TOKENS,
    chunks_of,
    in_parts,
    join_rows,
    matrix_of,
    new_parts,
    split_rows,
    to_table,
    with_vectors,
)
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


def rows_in_chunks(count: int) -> pa.Table:
    """Rows of some chunks, of which the third is there twice, in a table of as many chunks as a file has rows."""
    made = [replace(chunk_of(f"Rule {number}."), ordinal=number) for number in range(count)]
    table = pa.concat_tables([to_table([one]) for one in [*made, made[2]]])
    vectors = np.arange(3 * table.num_rows, dtype=np.float32).reshape(-1, 3)
    vectors[-1] = vectors[2]
    return with_vectors(table, vectors, vectors)


def test_rows_that_are_split_a_few_at_a_time_are_as_if_split_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_in_chunks(7)
    at_once = split_rows(rows)
    monkeypatch.setattr("tasks.index.rows.ROWS_AT_ONCE", 2)
    assert [some.equals(whole) for some, whole in zip(split_rows(rows), at_once, strict=True)] == [True, True]
    assert at_once[0].num_rows == 7


@pytest.mark.parametrize("has_tokens", [False, True])
def test_only_new_rows_are_written_each_with_its_own_tokens(has_tokens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_in_chunks(7)
    shared, own = split_rows(rows)
    monkeypatch.setattr("tasks.index.rows.ROWS_AT_ONCE", 3)

    def tokens(positions: Sequence[int]) -> Iterator[tuple[Sequence[int], pa.Array]]:
        for some in filter(None, (positions[1::2], positions[::2])):
            yield some, pa.array([f"tokens {at}".encode() for at in some], pa.large_binary())

    known = shared[ROW_ID].combine_chunks().take(pa.array([1, 4]))
    written = pa.concat_tables(new_parts(shared, own, known, tokens if has_tokens else None))
    wanted = [0, 2, 3, 5, 6]
    assert written.drop_columns([TOKENS] if has_tokens else []).sort_by("ordinal").equals(shared.take(pa.array(wanted)))
    if has_tokens:
        assert written[TOKENS].to_pylist() == [f"tokens {at}".encode() for at in written["ordinal"].to_pylist()]
    assert list(new_parts(shared, own, shared[ROW_ID].combine_chunks(), tokens if has_tokens else None)) == []


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
