"""Runs whose process is gone, with real processes."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tasks.runtime.crashed import close_rows
from tasks.runtime.running import DeadRun, LocalMarks
from tasks.runtime.store_marks import StoreMarks
from tasks.storage.lake import Lake
from tasks.storage.leases import this_process
from tests.made.object_store import ObjectStore
from tests.made.paths import ROOT
from tests.made.tables import least_row

RUN = "20260102T030405-aaaaaa"
PROGRAM = """
import sys, time
from pathlib import Path
from tasks.runtime.running import LocalMarks
LocalMarks(Path(sys.argv[1])).mark(sys.argv[2], "flow-1")
print("marked", flush=True)
time.sleep(600)
"""


def test_a_run_is_dead_when_its_process_was_killed(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM, str(tmp_path), RUN],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None and other.stdout.readline() == "marked\n"
    marks = LocalMarks(tmp_path)
    marks.mark("20260102T030406-bbbbbb", "")
    assert list(marks.dead()) == [], "one is running, and so is this process"
    other.send_signal(signal.SIGKILL)
    other.communicate()
    assert list(marks.dead()) == [DeadRun(RUN, "flow-1", False)]
    marks.close(DeadRun(RUN, "flow-1", False))
    assert list(marks.dead()) == [DeadRun(RUN, "flow-1", True)]
    for run_id in (RUN, "20260102T030406-bbbbbb", "there is none"):
        marks.unmark(run_id)
    assert list(tmp_path.iterdir()) == [] and list(LocalMarks(tmp_path / "missing").dead()) == []


def test_a_mark_that_another_command_takes_for_a_dead_runs_before_it_is_locked_is_made_again(tmp_path: Path) -> None:
    marks, mark = LocalMarks(tmp_path), tmp_path / RUN
    mark.touch()
    lock = mark.open("rb")
    fcntl.flock(lock, fcntl.LOCK_SH)  # as one has it who looks for dead runs
    assert list(marks.dead()) == [DeadRun(RUN, "", False)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-P", "-c", PROGRAM, str(tmp_path), RUN]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as other:
        files = Path(f"/proc/{other.pid}/fd")
        while mark not in [file.resolve() for file in files.iterdir()]:
            time.sleep(0.01)
        marks.unmark(RUN)
        lock.close()
        assert other.stdout is not None and other.stdout.readline() == "marked\n"
        is_marked, found = mark.exists(), list(marks.dead())
        other.kill()
    assert is_marked and found == []
    assert list(marks.dead()) == [DeadRun(RUN, "flow-1", False)]


def test_a_run_in_an_object_store_is_dead_when_its_process_was_killed_or_its_machine_is_silent(
    object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(f"s3://{object_store.make_bucket()}/home")
    marks, other = StoreMarks(lake), DeadRun("20260102T030406-bbbbbb", "flow-2", False)
    marks.mark(RUN, "flow-1")
    away = {"pid": 1, "started": 1.0, "machine": "another", "host": "another", "flow_run_id": other.flow_run_id}
    lake.put(json.dumps(away).encode(), "index", "running", other.run_id)
    assert list(marks.dead()) == [], "both run"
    with monkeypatch.context() as patched:
        patched.setattr("tasks.runtime.store_marks.SILENT_S", -1.0)
        assert list(marks.dead()) == [DeadRun(RUN, "flow-1", False), other]
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    gone = this_process() | {"pid": int(ended.stdout), "flow_run_id": other.flow_run_id}
    lake.put(json.dumps(gone).encode(), "index", "running", other.run_id)
    assert list(marks.dead()) == [other]
    marks.close(other)
    assert list(marks.dead()) == [other._replace(is_closed=True)]
    for run_id in (RUN, other.run_id, "there is none"):
        marks.unmark(run_id)
    assert lake.below("index", "running") == []


def row(table: str, **more: object) -> dict[str, object]:
    return least_row(table) | {"run_id": RUN} | more


def test_the_rows_of_a_killed_run_that_led_to_no_answer_go(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("runs", [row("runs", status="running")], run_id=RUN)
    lake.write("questions", [row("questions")], run_id=RUN)
    lake.write("retrievals", [row("retrievals", plan="answered")], run_id=RUN, plan="answered")
    lake.write("retrievals", [row("retrievals", plan="killed")], run_id=RUN, plan="killed")
    lake.write("answers", [row("answers", plan="answered")], run_id=RUN, plan="answered")
    close_rows(lake, RUN)
    assert lake.read("runs", run_id=RUN)["status"].to_pylist() == ["crashed"]
    assert lake.values("retrievals", "plan", run_id=RUN) == ["answered"]
    assert lake.read("questions", run_id=RUN).num_rows == 1, "the answers are to them"
    lake.drop_folder("lake", "answers", f"run_id={RUN}")
    lake.write("runs", [row("runs", status="running")], run_id=RUN)
    close_rows(lake, RUN)
    assert lake.values("retrievals", "plan", run_id=RUN) == [] and lake.read("questions", run_id=RUN).num_rows == 0


def test_a_run_that_has_ended_stays_as_it_is(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("runs", [row("runs", status="done")], run_id=RUN)
    lake.write("questions", [row("questions")], run_id=RUN)
    close_rows(lake, RUN)
    close_rows(lake, "20260102T030407-cccccc")
    assert lake.read("runs", run_id=RUN)["status"].to_pylist() == ["done"]
    assert lake.read("questions", run_id=RUN).num_rows == 1
