"""A command with a temporary server of its own, ended as a terminal and as a service manager do it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from configs.settings import Settings
from flows.home.garbage_collection import collect_garbage, removed_lines
from flows.prefect_server.environment import prepare, served_environment
from tests.made.commands import kept_environment
from tests.made.paths import ROOT
from tests.made.prefect_database import put_database
from tests.made.published import write_corpus


def ended_by(number: signal.Signals, folder: Path) -> tuple[Path, int, list[str]]:
    """A home, and how a refresh of it ended when all that it had started was sent a signal: its exit code and what it
    said.
    """
    write_corpus(folder / "documents")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.cli", "--home", str(folder / "home"), "refresh", folder / "documents"],
        cwd=ROOT,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert running.stderr is not None
    told = []
    for line in running.stderr:
        told.append(line)
        if line.startswith("Converting documents"):
            os.killpg(running.pid, number)
    code = running.wait()
    running.stderr.close()
    return folder / "home", code, told


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, list[str]]:
    """As :func:`ended_by`, by Ctrl-C."""
    return ended_by(signal.SIGINT, tmp_path_factory.mktemp("interrupted"))


def test_an_interrupt_of_all_that_a_command_started_ends_it_in_words(interrupted: tuple[Path, int, list[str]]) -> None:
    _, code, told = interrupted
    assert code == 130, told
    assert told[-1] == "bidfolio: interrupted; run the same command again to go on\n"


def test_so_does_the_sigterm_of_a_service_manager(tmp_path: Path) -> None:
    put_database(tmp_path / "home" / "prefect" / "prefect.db")
    _, code, told = ended_by(signal.SIGTERM, tmp_path)
    assert code in (130, 143), told
    assert told[-1].endswith("; run the same command again to go on\n")


def test_what_prefect_shows_of_old_runs_goes_with_gc(interrupted: tuple[Path, int, list[str]]) -> None:
    home, _, _ = interrupted

    def rows(table: str) -> int:
        with closing(sqlite3.connect(home / "prefect" / "prefect.db")) as opened:
            return int(opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    settings = Settings(home=str(home))
    collect_garbage(settings, 30, dry_run=False)
    assert (rows("flow_run"), rows("task_run")) > (0, 0)
    with closing(sqlite3.connect(home / "prefect" / "prefect.db")) as opened, opened:
        # A run that was interrupted soon has little of its own, which may leave no page of the file free.
        opened.execute("UPDATE flow_run SET parameters = json_object('source', hex(zeroblob(100000)))")
        opened.execute("UPDATE flow_run SET end_time = datetime('now', '-91 days')")
        opened.execute("UPDATE events SET occurred = datetime('now', '-91 days')")

    would = collect_garbage(settings, 30, dry_run=True)
    assert rows("flow_run") == 1
    did = collect_garbage(settings, 30, dry_run=False)

    assert did["size_bytes"] == would["size_bytes"] > 0
    assert did["removed"] == {"prefect": {"files": 0, "size_bytes": did["size_bytes"]}}
    assert "0 files  of Prefect's own database: runs that ended long ago" in removed_lines(did)[0]
    assert [rows(table) for table in ("flow_run", "task_run", "artifact", "events")] == [0, 0, 0, 0]


def test_a_server_that_serves_is_told_to_forget_old_runs(tmp_path: Path) -> None:
    with kept_environment():
        prepare(Settings(home=str(tmp_path)))
        told = served_environment(Path(), "http://127.0.0.1:1/api")
    assert "flow_runs" in told["PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED"].split(",")
