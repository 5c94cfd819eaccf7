"""Prefect's own database below a home: damage to it is named, and a damaged one makes room for another."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
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


def emptied_long_ago(path: Path) -> None:
    path.write_bytes(b"")
    os.utime(path, (0, 0))


@pytest.mark.parametrize(("harm", "is_set_aside"), [(cut_short, True), (emptied_long_ago, True), (Path.unlink, False)])
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
