from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tasks.index.staging import gathered

SHARDS = [(["a", "b"], [b"first", b""]), (["c", "a", "other"], [b"\x00\x01", b"first", b"of no chunk"]), ([], [])]


def shards() -> list[tuple[list[str], pa.ChunkedArray]]:
    return [(ids, pa.chunked_array([pa.array(values, pa.large_binary())])) for ids, values in SHARDS]


@given(st.lists(st.sampled_from("abc")))
def test_each_text_gets_its_own_bytes_however_often_it_stands_there(ids: list[str]) -> None:
    kept = {"a": b"first", "b": b"", "c": b"\x00\x01"}
    found = gathered(shards, ids)
    found.validate(full=True)
    assert found.to_pylist() == [kept[one] for one in ids]
