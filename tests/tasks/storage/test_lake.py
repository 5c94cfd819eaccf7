from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from tasks.errors import Damaged, UsageError
from tasks.schemas import TABLES, to_table
from tasks.storage.lake import Lake
from tests.made.object_store import ObjectStore
from tests.made.tables import SAMPLES, least_row


def document(name: str, corpus: str = "default", **more: Any) -> dict[str, Any]:
    identity = {"corpus": corpus, "document_id": name, "file_name": name, "content_sha256": "0" * 64}
    return {**identity, "status": "indexed", **more}


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("table", TABLES)
def test_every_column_says_what_it_is_and_none_is_nested(table: str) -> None:
    for field in TABLES[table]:
        assert field.metadata[b"doc"], field.name
        assert not pa.types.is_nested(field.type) and not pa.types.is_null(field.type), field.name
        assert not pa.types.is_timestamp(field.type) or field.type == pa.timestamp("us", tz="UTC")
        assert not pa.types.is_duration(field.type) and field.name == field.name.lower()


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_nulls_is_read_beside_a_full_one(tmp_path: Path, table: str) -> None:
    """Null columns keep their type: Polars, DuckDB and pyarrow refuse a glob in which it changes."""
    lake = Lake(str(tmp_path))
    lake.write(table, [least_row(table)], part="one")
    full = {field.name: SAMPLES.get(field.type) for field in TABLES[table]}
    lake.write(table, [full], part="two")
    lake.write(table, [], part="three")
    pattern = f"{tmp_path}/lake/{table}/**/*.parquet"
    assert pl.scan_parquet(pattern).collect().height == 2
    assert len(duckdb.sql(f"SELECT * FROM read_parquet('{pattern}')").fetchall()) == 2
    assert ds.dataset(f"{tmp_path}/lake/{table}", partitioning="hive").to_table().num_rows == 2
    assert lake.read(table, part="two").schema == TABLES[table]


def test_what_is_written_is_read_and_written_again_replaced(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("documents", [document("a"), document("b")], corpus="default")
    lake.write("documents", [document("c", "other")], corpus="other")
    assert lake.read("documents", corpus="default")["file_name"].to_pylist() == ["a", "b"]
    lake.write("documents", [document("b")], corpus="default")
    assert lake.read("documents", corpus="default")["file_name"].to_pylist() == ["b"]
    assert lake.read("documents", corpus="other").num_rows == 1
    assert lake.read("documents", corpus="absent").schema == TABLES["documents"]
    assert lake.read("documents", corpus="absent").num_rows == 0


def test_a_crash_before_the_rename_leaves_nothing_to_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = Lake(str(tmp_path))
    lake.write("documents", [document("before")], corpus="default")
    seen = files(tmp_path / "lake")

    def crash(*_: object) -> None:
        raise OSError("the machine went away")

    monkeypatch.setattr(os, "replace", crash)
    with pytest.raises(OSError, match="went away"):
        lake.write("documents", [document("after")], corpus="default")
    with pytest.raises(OSError, match="went away"):
        lake.write("documents", [document("new")], corpus="new")
    assert files(tmp_path / "lake") == seen
    assert lake.read("documents", corpus="default")["file_name"].to_pylist() == ["before"]
    assert pl.read_parquet(f"{tmp_path}/lake/documents/**/*.parquet")["file_name"].to_list() == ["before"]


def test_a_crash_while_writing_leaves_nothing_to_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        Lake(str(tmp_path)).write("documents", [document("a")], corpus="default")
    assert files(tmp_path / "lake") == []


def test_what_is_renamed_in_was_flushed_to_disk_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    fsync, replace = os.fsync, os.replace

    def flushed(file: int) -> None:
        order.append("fsync")
        fsync(file)

    def renamed(staged: str, final: str) -> None:
        order.append("replace")
        replace(staged, final)

    monkeypatch.setattr(os, "fsync", flushed)
    monkeypatch.setattr(os, "replace", renamed)
    Lake(str(tmp_path)).write("documents", [document("a")], corpus="default")
    assert order == ["fsync", "replace"]


def test_a_column_that_the_schema_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match="table documents has no column colour, size"):
        to_table("documents", [document("a", size=1, colour="red")])


def test_a_value_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(pa.ArrowException):
        to_table("documents", [document("a", page_count="three")])


def test_a_table_is_made_of_some_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"file {number}" for number in range(5)]
    whole = to_table("documents", [document(name, page_count=1) for name in names])
    monkeypatch.setattr("tasks.schemas.ROWS_AT_ONCE", 2)
    blocks = to_table("documents", (document(name, page_count=1) for name in names))
    assert blocks.equals(whole) and blocks["file_name"].num_chunks >= 3
    with pytest.raises(KeyError, match="no column colour"):
        to_table("documents", [*map(document, names), document("last", colour="red")])


@pytest.mark.parametrize("required", ["corpus", "document_id", "status"])
def test_a_required_column_left_empty_is_refused_and_nothing_written(tmp_path: Path, required: str) -> None:
    with pytest.raises(ValueError, match=required):
        Lake(str(tmp_path)).write("documents", [document("a") | {required: None}], corpus="default")
    assert files(tmp_path / "lake") == []


def test_an_arrow_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises((ValueError, KeyError)):
        Lake(str(tmp_path)).write("documents", pa.table({"other": [1]}), corpus="default")


def test_a_folder_that_may_not_be_written_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    lake = Lake(str(tmp_path))
    with pytest.raises(UsageError, match="choose another --home"):
        lake.put(b"x", "index", "a")
    lake.put(b"x", "cache", "a")
    assert not lake.has("cache", "a"), "a cache that cannot be written keeps nothing, which is no error"


def test_a_damaged_file_is_named_and_one_of_the_cache_is_given_up(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    for top in ("index", "cache"):
        lake.put(b'{"a": 1}', top, "a.json")
        lake.put(b'{"b": 1}', top, "b.json")
        lake.put_table(pa.table({"n": [1, 2]}), top, "a.parquet")
        lake.put_table(pa.table({"n": [3, 4]}), top, "b.parquet")
        for name in ("a.json", "a.parquet"):
            shutil.copy(tmp_path / top / name.replace("a", "b", 1), tmp_path / top / name)
    with pytest.raises(Damaged, match=r"index/a\.json is damaged \(its content is not what was written\): run"):
        lake.get("index", "a.json")
    lake.put(b"[]", "index", "filled", "a.json")
    (tmp_path / "index" / "filled" / "a.json").write_bytes(b"")
    with pytest.raises(Damaged, match=r"`bidfolio answer FILE --overwrite`"):
        lake.get("index", "filled", "a.json")
    with pytest.raises(Damaged, match=r"index/a\.parquet is damaged \(its content is that of another file\)"):
        lake.get_table("index", "a.parquet")
    assert lake.get("cache", "a.json") is None and lake.get_table("cache", "a.parquet") is None
    assert files(tmp_path / "cache") == ["b.json", "b.parquet"]


@pytest.mark.parametrize("left", [0, 100, -20])
def test_a_table_that_is_cut_short_or_has_other_bytes_is_damaged(tmp_path: Path, left: int) -> None:
    lake, path = Lake(str(tmp_path)), tmp_path / "lake" / "documents" / "corpus=default" / "documents.parquet"
    lake.write("documents", [document(f"a{number}") for number in range(100)], corpus="default")
    whole = path.read_bytes()
    path.write_bytes(whole[:left])
    with pytest.raises(Damaged, match=f"{path} is damaged"):
        lake.read("documents", corpus="default")
    path.write_bytes(whole[:200] + bytes([whole[200] ^ 255]) + whole[201:])
    with pytest.raises(Damaged, match=f"{path} is damaged"):
        lake.read("documents", corpus="default")


def test_bytes_and_names(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert lake.get("cache", "a") is None and not lake.has("cache", "a") and lake.names("cache", suffix=".json") == []
    lake.put(b"1", "cache", "b.json")
    lake.put(b"2", "cache", "a.json")
    lake.put(b"3", "cache", "c.txt")
    assert lake.get("cache", "a.json") == b"2" and lake.has("cache", "b.json")
    assert lake.names("cache", suffix=".json") == ["a.json", "b.json"]
    assert files(tmp_path / "staging") == []


def test_what_a_table_is_parted_by(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert lake.values("audit", "run_id") == []
    for run_id, plan in (("b", "rails"), ("a", "bidfolio"), ("a", "advanced")):
        lake.write("audit", [], run_id=run_id, plan=plan)
    tmp_path.joinpath("lake", "audit", ".a-note-of-the-file-manager").touch()
    assert lake.values("audit", "run_id") == ["a", "b"]
    assert lake.values("audit", "plan", run_id="a") == ["advanced", "bidfolio"]
    assert lake.values("audit", "plan", run_id="c") == []


def test_a_home_that_is_a_url() -> None:
    """fsspec's memory stands in for an object store, which no test here can reach."""
    lake = Lake("memory://bucket/home")
    lake.write("documents", [document("a")], corpus="default")
    assert lake.read("documents", corpus="default").num_rows == 1
    found = [path for path in fsspec.filesystem("memory").find("/bucket/home") if "staging" in path]
    assert found == []


def test_what_is_damaged_in_an_object_store_is_named_by_its_url(object_store: ObjectStore) -> None:
    home = f"s3://{object_store.make_bucket()}/home"
    lake = Lake(home)
    lake.put(b"[]", "index", "a.json")
    lake.put(b"{}", "index", "b.json")
    fsspec.filesystem("s3").copy(f"{home}/index/a.json", f"{home}/index/b.json")
    with pytest.raises(Damaged, match=rf"^{home}/index/b\.json is damaged"):
        lake.get("index", "b.json")


def test_a_file_in_the_place_of_a_folder_has_nothing_below_it(tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    assert Lake(str(tmp_path)).below("cache") == []


def test_what_killed_processes_leave_half_written_is_known_from_what_is_being_written(tmp_path: Path) -> None:
    lake, writing = Lake(str(tmp_path)), "import fcntl, sys, time; f = open(sys.argv[1], 'wb'); "
    writing += "fcntl.flock(f, fcntl.LOCK_EX); f.write(b'half'); f.flush(); print(flush=True); time.sleep(600)"
    assert lake.abandoned() == []
    lake.put(b"whole", "cache", "whole")
    assert lake.abandoned() == []
    path = str(tmp_path / "staging" / "half")
    with subprocess.Popen([sys.executable, "-c", writing, path], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        assert lake.abandoned() == [], "its process lives"
        process.kill()
    assert [file.parts for file in lake.abandoned()] == [("staging", "half")]
    (tmp_path / "staging" / "begun").touch()
    assert len(lake.abandoned()) == 1, "its process may not have locked it yet"
