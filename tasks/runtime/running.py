"""Marks of runs in progress: a locked file for each, by which the next command sees which of them were killed.

The lock is the system's, and goes with the process however it ends. Marks in an object store, which has no such locks,
are in :mod:`tasks.runtime.store_marks`.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

FOLDER = ("index", "running")
CLOSED = ".crashed"
_held: dict[str, int] = {}
"""The open files of the marks that this process holds, by path."""


class DeadRun(NamedTuple):
    """A run whose process is gone: its id, its flow run in Prefect ("" without one), and if its row says so."""

    run_id: str
    flow_run_id: str
    is_closed: bool


class Marks(Protocol):
    """The marks of a home."""

    def mark(self, run_id: str, flow_run_id: str) -> None:
        """Mark a run of this process as in progress."""

    def unmark(self, run_id: str) -> None:
        """Remove the mark of a run, as it ends; a missing one is no error."""

    def close(self, dead: DeadRun) -> None:
        """Note that the row of a dead run says what became of it, and that its flow run in Prefect does not."""

    def dead(self) -> Iterator[DeadRun]:
        """The marked runs whose process is gone, the oldest first."""


class LocalMarks:
    """The marks of a home on this machine, below ``folder``, which may be missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def mark(self, run_id: str, flow_run_id: str) -> None:
        """Mark a run of this process as in progress. Raises OSError where the folder cannot be written."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / run_id
        while True:
            mark = os.open(path, os.O_CREAT | os.O_RDWR)
            fcntl.flock(mark, fcntl.LOCK_EX)
            # Another command may have taken it for a dead run's before it was locked, and removed it.
            with suppress(FileNotFoundError):
                if os.path.samestat(path.stat(), os.fstat(mark)):
                    break
            os.close(mark)
        _held[str(path)] = mark
        os.write(mark, flow_run_id.encode())

    def unmark(self, run_id: str) -> None:
        """Remove the mark of a run, as it ends; a missing one is no error."""
        for name in (run_id, f"{run_id}{CLOSED}"):
            with suppress(OSError):
                (self._folder / name).unlink()
        if (mark := _held.pop(str(self._folder / run_id), None)) is not None:
            os.close(mark)

    def close(self, dead: DeadRun) -> None:
        """Note that the row of a dead run says what became of it, and that its flow run in Prefect does not."""
        with suppress(OSError):
            (self._folder / dead.run_id).rename(self._folder / f"{dead.run_id}{CLOSED}")

    def dead(self) -> Iterator[DeadRun]:
        """The marked runs whose process is gone, the oldest first."""
        try:
            paths = sorted(self._folder.iterdir())
        except OSError:
            return
        for path in paths:
            with suppress(OSError), open(path, "rb") as mark:  # a run that has ended meanwhile has no mark
                fcntl.flock(mark, fcntl.LOCK_SH | fcntl.LOCK_NB)
                yield DeadRun(path.name.removesuffix(CLOSED), mark.read().decode(), path.name.endswith(CLOSED))
