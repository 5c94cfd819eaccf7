"""Marks of runs in progress: a locked file for each, by which the next command sees which of them were killed.

The lock is the system's, and goes with the process however it ends. A home in an object store has no such locks, and no
marks.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FOLDER = ("index", "running")
_CLOSED = ".crashed"
_held: dict[str, int] = {}
"""The open files of the marks that this process holds, by path."""


class DeadRun(NamedTuple):
    """A run whose process is gone: its id, its flow run in Prefect ("" without one), and if its row says so."""

    run_id: str
    flow_run_id: str
    is_closed: bool


def mark_running(folder: Path, run_id: str, flow_run_id: str) -> None:
    """Mark a run of this process as in progress. Raises OSError where the folder cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / run_id
    _held[str(path)] = mark = os.open(path, os.O_CREAT | os.O_RDWR)
    fcntl.flock(mark, fcntl.LOCK_EX)
    os.write(mark, flow_run_id.encode())


def unmark(folder: Path, run_id: str) -> None:
    """Remove the mark of a run, as it ends; a missing one is no error."""
    for name in (run_id, f"{run_id}{_CLOSED}"):
        with suppress(OSError):
            (folder / name).unlink()
    if (mark := _held.pop(str(folder / run_id), None)) is not None:
        os.close(mark)


def mark_closed(folder: Path, run_id: str) -> None:
    """Note that the row of a dead run says what became of it, and that its flow run in Prefect does not."""
    with suppress(OSError):
        (folder / run_id).rename(folder / f"{run_id}{_CLOSED}")


def dead_runs(folder: Path) -> Iterator[DeadRun]:
    """The marked runs whose process is gone, the oldest first; none where the folder is missing."""
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        with suppress(OSError), open(path, "rb") as mark:  # a run that has ended meanwhile has no mark
            fcntl.flock(mark, fcntl.LOCK_SH | fcntl.LOCK_NB)
            run_id = path.name.removesuffix(_CLOSED)
            yield DeadRun(run_id, mark.read().decode(), path.name.endswith(_CLOSED))
