"""A Dask scheduler and workers in processes of their own, as on other machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tasks.conversion.workers.sandbox import ROOT
from tests.made.processes import CONVERTER, children_running


@dataclass(frozen=True)
class Running:
    """A cluster's processes and its address."""

    address: str
    scheduler: psutil.Process
    nannies: tuple[psutil.Process, ...]

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes that run tasks: those below the nannies that are no multiprocessing helper."""
        return [worker for nanny in self.nannies for worker in children_running("spawn_main", nanny)]

    def converters(self) -> list[psutil.Process]:
        """The processes that the workers convert in."""
        return [converter for worker in self.workers for converter in children_running(CONVERTER, worker)]


def process_after_a_while(_: int) -> int:
    """The process that this ran in; so slow that an idle worker gets one."""
    time.sleep(0.2)
    return os.getpid()


@contextmanager
def running_cluster(
    folder: Path, workers: int, python_path: Path = ROOT, first: Sequence[str] = ()
) -> Iterator[Running]:
    """``first`` are arguments of the first worker alone."""
    environment = os.environ | {
        "PYTHONPATH": str(python_path),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "critical",
    }
    given = folder / "scheduler.json"

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard", "--scheduler-file", str(given)]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=folder)

    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
    own = ("worker", "--host", "127.0.0.1", "--nthreads", "1")
    nannies = [start(*own, *(first if number == 0 else ())) for number in range(workers)]
    try:
        until = time.monotonic() + 180
        while not given.exists() or not given.read_text():
            assert time.monotonic() < until and scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        address = json.loads(given.read_text())["address"]
        yield Running(address, psutil.Process(scheduler.pid), tuple(psutil.Process(nanny.pid) for nanny in nannies))
    finally:
        # What a nanny has started ends with it.
        for process in (*nannies, scheduler):
            process.kill()
            process.wait()
