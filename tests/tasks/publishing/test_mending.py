"""A check of the home names every damaged file, whatever else is damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from configs.settings import Settings
from tasks.errors import Damaged, IndexLocked
from tasks.publishing.commit import commit_corpus, is_recorded
from tasks.publishing.mending_task import _HomeCheck, check_home
from tasks.schemas import TABLES
from tasks.storage.commits import Commits, of_run
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tests.made.damage import DAMAGES, damage
from tests.made.hearing import lines_heard


@pytest.fixture
def heard() -> Iterator[list[str]]:
    with lines_heard() as lines:
        yield lines


def write_run(lake: Lake, run_id: str, status: str = "done") -> None:
    row: dict[str, Any] = {
        "run_id": run_id,
        "run_date": date(2026, 1, 1),
        "kind": "answer",
        "plan": "bidfolio",
        "status": status,
    }
    row |= {"started_at": datetime(2026, 1, 1, tzinfo=UTC), "duration_ms": 1}
    lake.write("runs", [row], run_id=run_id)


def test_a_damaged_row_of_a_run_is_named_beside_other_damage(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    for run_id in ("1", "2"):
        write_run(lake, run_id)
    assert check_home.fn(Settings(home=str(tmp_path))) == []

    paths = [tmp_path / "lake" / "runs" / f"run_id={run_id}" / "runs.parquet" for run_id in ("1", "2")]
    for path in paths:
        path.write_bytes(b"x")

    told = check_home.fn(Settings(home=str(tmp_path)))
    assert len(told) == 2
    for path, run_id in zip(paths, "12", strict=True):
        assert any(str(path) in line and f"bidfolio purge --run {run_id}" in line for line in told)


def test_what_a_check_or_a_reader_finds_damaged_a_refresh_reads_too(tmp_path: Path) -> None:
    """Bytes that change while size and time stay, as on a bad disk: sizes and times alone do not tell."""
    lake, commits = Lake(str(tmp_path)), Commits(Lake(str(tmp_path)))
    key = {"corpus": "default", "index_key": "k"}
    lake.write("chunks", TABLES["chunks"].empty_table(), **key)
    table, state = ("lake", "chunks", "corpus=default", "index_key=k"), ("index", "states")
    lake.put(b'{"a": "some words"}', *state, "k.json")
    name = "corpus=default,index_key=k"

    def damage_quietly(path: Path) -> None:
        before, raw = path.stat(), bytearray(path.read_bytes())
        raw[len(raw) // 2] ^= 0x55
        path.write_bytes(bytes(raw))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert commits.faults(name, wholly=False) == []

    def found() -> list[str]:
        return ["/".join(fault.parts) for fault in commits.faults(name, wholly=False) or ()]

    commits.put(name, [table, state])
    damage_quietly(tmp_path.joinpath(*table, "chunks.parquet"))
    assert any("chunks.parquet" in line for line in check_home.fn(Settings(home=str(tmp_path))))
    assert found() == ["lake/chunks/corpus=default/index_key=k/chunks.parquet"]

    lake.write("chunks", TABLES["chunks"].empty_table(), **key)
    commits.put(name, [table, state], rewritten=("lake/",))
    damage_quietly(tmp_path.joinpath(*state, "k.json"))
    with pytest.raises(Damaged, match=r"k\.json is damaged"):
        lake.get(*state, "k.json")
    assert found() == ["index/states/k.json"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_manifest_is_named_and_written_anew(tmp_path: Path, heard: list[str], how: str) -> None:
    home, settings = tmp_path / "home", Settings(home=str(tmp_path / "home"))
    lake = Lake(str(home))
    for run_id in ("1", "2"):
        write_run(lake, run_id)
        FilledCopies(lake).record(tmp_path / f"{run_id}.xlsx", {"run_id": run_id}, b"")
    write_run(lake, "3", status="running")
    assert check_home.fn(settings) == []
    heard.clear()
    assert check_home.fn(settings) == [] and heard == []
    manifests = [path for path in sorted((home / "index" / "commits").iterdir()) if "run_id=3" not in path.name]
    assert len(manifests) == 4 and {path.name.partition("=")[0] for path in manifests} == {"run_id", "filled"}

    for path in (manifests[0], manifests[-1]):
        kind = path.name.partition("=")[0]
        others = [other for other in manifests if other.name.startswith(kind) and other != path]
        content = others[0].read_bytes()
        if how == "swap":
            path.write_bytes(content)
        else:
            assert damage(path, how, [home], "")
    assert check_home.fn(settings) == []
    assert [str(manifests[0]) in heard[0], str(manifests[-1]) in heard[1]] == [True, True]
    heard.clear()
    assert check_home.fn(settings) == [] and heard == []


def test_tables_that_no_manifest_records_are_no_whole_corpus(tmp_path: Path) -> None:
    lake, settings = Lake(str(tmp_path)), Settings(home=str(tmp_path))
    for name, table in TABLES.items():
        if name in ("documents", "pages", "elements", "lines"):
            lake.write(name, table.empty_table(), corpus="a")
        if name in ("chunks", "vectors"):
            lake.write(name, table.empty_table(), corpus="a", index_key="b")
    told = check_home.fn(settings)
    assert len(told) == 2 and not is_recorded(lake, "a", "b")
    for line, name in zip(told, ("corpus=a,index_key=b", "corpus=a"), strict=True):
        assert str(tmp_path / "index" / "commits" / f"{name}.json") in line and "bidfolio refresh" in line
    commit_corpus(lake, "a", "")
    assert len(check_home.fn(settings)) == 1
    Commits(lake).put("corpus=a,index_key=b", [("lake", "chunks"), ("lake", "vectors")])
    assert check_home.fn(settings) == [] and is_recorded(lake, "a", "b")


@contextmanager
def at_work(home: Path, *lines: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has done these lines of Python in the home, and is still at work."""
    program = f"""
import sys
from pathlib import Path
from configs.settings import Settings
from tasks.publishing.current_task import writing_index
from tasks.runtime.artifacts import open_run
from tasks.storage.commits import Commits, of_corpus
from tasks.storage.lake import Lake
from tasks.tidying.purge import find_runs, purge_runs
from tasks.tidying.purge_selection import Wanted

settings = Settings(home={str(home)!r})
lake = Lake(settings.home)
{chr(10).join(lines)}
print("at work", flush=True)
sys.stdin.readline()
"""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "at work\n"
        yield process
        process.kill()


def test_what_a_refresh_is_publishing_is_not_damaged(tmp_path: Path) -> None:
    lake, settings = Lake(str(tmp_path)), Settings(home=str(tmp_path))
    lake.write("documents", [], corpus="default")
    commit_corpus(lake, "default", "")
    assert check_home.fn(settings) == []
    publish = (
        "held = writing_index('default', settings)",
        "held.__enter__()",
        "Commits(lake).begin(of_corpus('default'))",
    )
    being_written = pytest.raises(IndexLocked, match="another refresh is writing the corpus 'default'")
    with at_work(tmp_path, *publish), being_written:
        check_home.fn(settings)
    (line,) = check_home.fn(settings)
    assert "corpus=default.json does not record 0 files of what was published" in line, "it was killed"


def test_the_files_of_a_run_in_progress_are_not_missed(tmp_path: Path, heard: list[str]) -> None:
    settings = Settings(home=str(tmp_path))
    run = "run = open_run.fn('answer', 'bidfolio', 'form.xlsx', 'default', settings)"
    row = "row = lake.read('runs', run_id=run.run_id).to_pylist()[0] | {'status': 'done'}"
    with at_work(tmp_path, run, row, "lake.write('runs', [row], run_id=run.run_id)"):
        assert check_home.fn(settings) == [] and heard == []
        assert Commits(Lake(str(tmp_path))).names() == [], "the run itself records them at its end"
    assert check_home.fn(settings) == [] and "does not record 1 files, which it should" in "".join(heard)


def test_what_was_saved_for_a_run_since_the_check_began_is_not_missed(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    write_run(lake, "1")
    Commits(lake).put(of_run("1"), [("lake", "runs", "run_id=1")])
    lake.write("edits", [], run_id="1", save_id="a")
    check, found = _HomeCheck(lake), lake.below("lake", "edits")
    assert check._unrecorded(of_run("1"), found) == found
    Commits(lake).put(of_run("1", "a"), [("lake", "edits", "run_id=1", "save_id=a")])
    assert check._unrecorded(of_run("1"), found) is None
