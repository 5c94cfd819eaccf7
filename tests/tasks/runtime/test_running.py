"""Runs whose process is gone, with real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tasks.runtime.crashed import close_rows
from tasks.runtime.running import DeadRun, dead_runs, mark_closed, mark_running, unmark
from tasks.storage.lake import Lake
from tests.made.paths import ROOT
from tests.made.tables import least_row

RUN = "20260102T030405-aaaaaa"
PROGRAM = """
import sys, time
from pathlib import Path
from tasks.runtime.running import mark_running
mark_running(Path(sys.argv[1]), sys.argv[2], "flow-1")
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
    mark_running(tmp_path, "20260102T030406-bbbbbb", "")
    assert list(dead_runs(tmp_path)) == [], "one is running, and so is this process"
    other.send_signal(signal.SIGKILL)
    other.communicate()
    assert list(dead_runs(tmp_path)) == [DeadRun(RUN, "flow-1", False)]
    mark_closed(tmp_path, RUN)
    assert list(dead_runs(tmp_path)) == [DeadRun(RUN, "flow-1", True)]
    for run_id in (RUN, "20260102T030406-bbbbbb", "there is none"):
        unmark(tmp_path, run_id)
    assert list(tmp_path.iterdir()) == [] and list(dead_runs(tmp_path / "missing")) == []


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
