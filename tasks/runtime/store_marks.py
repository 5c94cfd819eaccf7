"""Marks of runs in progress in an object store: objects that a run's process writes again every few seconds.

Also the marks of any home, wherever it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tasks.runtime.running import CLOSED, FOLDER, DeadRun, LocalMarks, Marks
from tasks.storage.leases import has_ended, store_time, this_process, write_again

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

SILENT_S = 3600.0
"""The seconds after which a run of another machine counts as killed: a machine that sleeps goes on with its runs."""
_beating: dict[tuple[str, str], Callable[[], None]] = {}
"""The functions that end the writing of this process' marks, by home and run."""


class StoreMarks:
    """The marks of a home in an object store."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def mark(self, run_id: str, flow_run_id: str) -> None:
        """Mark a run of this process as in progress."""
        raw, place = json.dumps(this_process() | {"flow_run_id": flow_run_id}).encode(), (*FOLDER, run_id)
        self._lake.put(raw, *place)
        _beating[self._lake.url(), run_id] = write_again(self._lake, raw, *place)

    def unmark(self, run_id: str) -> None:
        """Remove the mark of a run, as it ends; a missing one is no error."""
        if end := _beating.pop((self._lake.url(), run_id), None):
            end()
        for name in (run_id, f"{run_id}{CLOSED}"):
            self._lake.drop(*FOLDER, name)

    def close(self, dead: DeadRun) -> None:
        """Note that the row of a dead run says what became of it, and that its flow run in Prefect does not."""
        raw = json.dumps({"flow_run_id": dead.flow_run_id}).encode()
        self._lake.put(raw, *FOLDER, f"{dead.run_id}{CLOSED}")
        self._lake.drop(*FOLDER, dead.run_id)

    def dead(self) -> Iterator[DeadRun]:
        """The marked runs whose process is gone, the oldest first: by its machine, or by the store's clock."""
        found = self._lake.below(*FOLDER)
        time = store_time(self._lake) if found else None
        for file in found:
            marked = json.loads(self._lake.get(*file.parts) or b"{}")  # a run that has ended meanwhile has no mark
            is_closed = file.parts[-1].endswith(CLOSED)
            is_silent = time is not None and (time - file.written_at).total_seconds() > SILENT_S
            if marked and (is_closed or is_silent or has_ended(marked)):
                yield DeadRun(file.parts[-1].removesuffix(CLOSED), marked["flow_run_id"], is_closed)


def marks_of(lake: Lake) -> Marks:
    """The marks of a home, on this machine or in an object store."""
    return LocalMarks(Path(lake.path(*FOLDER))) if lake.is_local else StoreMarks(lake)


def in_progress(lake: Lake) -> frozenset[str]:
    """The ids of the runs of a home that a process is writing now."""
    marked = {name for name in lake.names(*FOLDER, suffix="") if not name.endswith(CLOSED)}
    return frozenset(marked - {dead.run_id for dead in marks_of(lake).dead()})
