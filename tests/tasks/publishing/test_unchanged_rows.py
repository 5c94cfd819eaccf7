from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.publishing.unchanged_rows import MADE_OF, kept_documents, with_kept_rows
from tasks.schemas import TABLES, to_table
from tasks.storage.lake import Lake

Made = dict[str, tuple[str, int]]
"""By a document's id its key, and how many lines it has."""
made = st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.sampled_from("xy"), st.integers(0, 3)), max_size=6)


def rows_of(document_id: str, key: str, count: int) -> list[dict[str, Any]]:
    same = {"corpus": "default", "document_id": document_id, "file_name": key}
    return [same | {"page_number": at, "start_offset": at, "end_offset": at} for at in range(count)]


def lines(documents: Made, before: pa.Table | None = None) -> tuple[pa.Table, list[str]]:
    """The table of those documents, and of which its rows were made."""
    asked: list[str] = []

    def noted(document_id: str) -> Sequence[Mapping[str, Any]]:
        asked.append(document_id)
        return rows_of(document_id, *documents[document_id])

    keys = {one: f"{key}{count}" for one, (key, count) in documents.items()}
    there = TABLES["lines"].empty_table() if before is None else before
    return with_kept_rows("lines", there, keys, noted), asked


def expected(documents: Made) -> list[dict[str, Any]]:
    rows = [row for one, of_one in documents.items() for row in rows_of(one, *of_one)]
    found: list[dict[str, Any]] = to_table("lines", rows).to_pylist()
    return found


@given(made, made, st.randoms())
def test_the_table_is_that_which_is_made_from_nothing(before: Made, now: Made, random: Any) -> None:
    order = list(now)
    random.shuffle(order)
    now = {one: now[one] for one in order}
    table, asked = lines(now, lines(before)[0])
    assert table.to_pylist() == expected(now)
    assert asked == [one for one in now if now[one] != before.get(one)]
    assert kept_documents(table) == {one: f"{key}{count}" for one, (key, count) in now.items()}


@pytest.mark.parametrize("spoil", ["told by none", "a document in two places"])
def test_rows_that_are_not_as_they_were_written_are_made_anew(spoil: str) -> None:
    documents: Made = {"a": ("x", 2), "b": ("x", 2)}
    table, _ = lines(documents)
    told = {MADE_OF: table.schema.metadata[MADE_OF]}
    apart = pa.concat_tables([table[:1], table[2:], table[1:2]]).replace_schema_metadata(told)
    before = table.replace_schema_metadata(None) if spoil == "told by none" else apart
    again, asked = lines(documents, before)
    assert again.to_pylist() == expected(documents) and asked == ["a", "b"]


def test_the_lake_keeps_what_a_table_tells(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    documents: Made = {"a": ("x", 2), "b": ("x", 0)}
    lake.write("lines", lines(documents)[0], corpus="default")
    again, asked = lines(documents, lake.read("lines", corpus="default"))
    assert again.to_pylist() == expected(documents) and asked == []
