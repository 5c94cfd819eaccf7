"""Prefect's own database below a home: damage to it is named, and a damaged one makes room for another."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from flows.prefect_server.own_database import damage_of_database, set_aside_damaged


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PREFECT_HOME", raising=False)
    path = tmp_path / "prefect" / "prefect.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("CREATE TABLE flow_run (id TEXT)")
        opened.executemany("INSERT INTO flow_run VALUES (?)", [(f"run {number}" * 100,) for number in range(100)])
        opened.commit()
    (path.parent / "memo_store.toml").touch()
    return path


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(("harm", "is_set_aside"), [(cut_short, True), (emptied, True), (Path.unlink, False)])
def test_damage_is_named(database: Path, harm: Callable[[Path], object], is_set_aside: bool) -> None:
    home = str(database.parent.parent)
    assert damage_of_database(home, wholly=True) == ""
    harm(database)
    assert damage_of_database(home, wholly=True)
    assert bool(set_aside_damaged(home)) == is_set_aside and not database.exists()


def test_a_database_elsewhere_is_not_missed(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database.unlink()
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "memo_store.toml").touch()
    assert damage_of_database(str(tmp_path), wholly=True) == ""
    shutil.rmtree(database.parent)
    monkeypatch.delenv("PREFECT_HOME")
    assert damage_of_database(str(tmp_path), wholly=True) == "", "no flow has run here yet"


MAKE = """
import sys
from flows.prefect_server.own_database import made_once, set_aside_damaged

print("asked", flush=True)
print(set_aside_damaged(sys.argv[1]), flush=True)
with made_once():
    print("alone", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def making(database: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that would make the database, up to a line of input, when it may."""
    command = [sys.executable, "-c", MAKE, str(database.parent.parent)]
    environment = os.environ | {"PREFECT_HOME": str(database.parent)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, env=environment, stdin=pipe, stdout=pipe) as process:
        assert said_by(process) == "asked"
        yield process
        process.kill()


def said_by(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_commands_that_begin_together_one_makes_the_database(database: Path) -> None:
    home = str(database.parent.parent)
    emptied(database)
    assert damage_of_database(home, wholly=True) == "it is empty"
    with making(database) as first:
        assert (Path(said_by(first)).name[:19], said_by(first)) == ("prefect.db.damaged-", "alone")
        assert damage_of_database(home, wholly=True) == "", "it is not there yet"
        emptied(database)
        assert damage_of_database(home, wholly=True) == "", "nothing is in it yet"
        with making(database) as second, making(database) as third:
            assert said_by(second) == said_by(third) == "", "what is being made is not set aside"
            with pytest.raises(subprocess.TimeoutExpired):
                second.communicate(timeout=0.5)
            with closing(sqlite3.connect(database)) as opened:
                opened.execute("CREATE TABLE flow_run (id TEXT)")
            first.communicate("\n", timeout=60)
            assert said_by(second) == said_by(third) == "alone", "both may start where it is made"
    assert damage_of_database(home, wholly=True) == ""


def test_a_database_that_is_gone_and_one_of_a_killed_command_are_made_alone(database: Path) -> None:
    for _ in range(2):
        with making(database) as first:
            assert (said_by(first), said_by(first)) == ("", "alone")
            first.kill()
    with making(database) as first:
        first.communicate("\n", timeout=60)
    database.unlink()
    with making(database) as first, making(database) as second:
        assert (said_by(first), said_by(first), said_by(second)) == ("", "alone", "")
        with pytest.raises(subprocess.TimeoutExpired):
            second.communicate(timeout=0.5)
