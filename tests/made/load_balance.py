"""Load balance of the processes that run the tests: their number, and the order in which they get files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

import psutil
from dask.system import cpu_count

from tests.made.paths import ROOT

SECONDS = ROOT / "tests" / "data" / "seconds.json"
"""Seconds that a file's tests take; shorter files are left out. ``infra/bidfolio test --keep-seconds`` writes it."""
SHORT_S = 3
WORKER_BYTES = 4 << 30
"""Memory of a worker at the end of a run, with the processes that it has started."""


class Timed(Protocol):
    """A test's report of its set-up, call or tear-down."""

    nodeid: str
    duration: float


def worker_count() -> int:
    """Three workers for two processors, since a test waits for a third of its time; fewer where memory is short."""
    processors: int = cpu_count()
    memory: int = psutil.virtual_memory().total
    return max(1, min((processors * 3 + 1) // 2, memory // WORKER_BYTES))


def file_of(nodeid: str) -> str:
    """The file of a test, from the root of the repository."""
    return nodeid.partition("::")[0]


def seconds_by_file() -> dict[str, int]:
    """The table of ``SECONDS``."""
    found: dict[str, int] = json.loads(SECONDS.read_text(encoding="utf-8"))
    return found


def keep_seconds(reports: Iterable[Timed]) -> None:
    """Write the table anew from the reports of a run, the longest file first."""
    summed: dict[str, float] = defaultdict(float)
    for report in reports:
        summed[file_of(report.nodeid)] += report.duration
    longest = sorted(summed.items(), key=lambda one: -one[1])
    kept = {file: round(seconds) for file, seconds in longest if seconds >= SHORT_S}
    SECONDS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
