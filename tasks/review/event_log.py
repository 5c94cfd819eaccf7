"""Log of review events in the lake: every save is a file of its own, which nothing ever changes."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tasks.records import content_id
from tasks.review.events import ReviewEvent, event_rows, events_of
from tasks.storage.commits import Commits, of_run

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

TABLE = "reviews"


_READ: Final[dict[tuple[str, str, str], list[ReviewEvent]]] = {}
"""The events of each save that this process has read, by its home, run and save: nothing ever changes one, and at a
desk each save would read all those before it."""


class EventLog:
    """The events of the runs of a home; what this process has read once is not read again."""

    def __init__(self, lake: Lake) -> None:
        self._lake, self._home = lake, lake.url()

    def events(self, run_id: str) -> list[ReviewEvent]:
        """All events of a run, in no order; none where nobody reviewed it."""
        found: list[ReviewEvent] = []
        for save_id in self._lake.values(TABLE, "save_id", run_id=run_id):
            key = self._home, run_id, save_id
            if key not in _READ:
                _READ[key] = events_of(self._lake.read(TABLE, run_id=run_id, save_id=save_id).to_pylist())
            found += _READ[key]
        return found

    def add(self, identity: Mapping[str, Any], events: Sequence[ReviewEvent]) -> None:
        """Add events of one run, which ``identity`` names, in one step; no events add nothing."""
        if events:
            save_id = content_id("save", *(event.event_id for event in events))
            rows = event_rows(identity, save_id, events)
            whose = {"run_id": str(identity["run_id"]), "save_id": save_id}
            self._lake.write(TABLE, rows, **whose)
            folder = ("lake", TABLE, *(f"{key}={value}" for key, value in whose.items()))
            Commits(self._lake).put(of_run(*whose.values()), [folder])

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other writers of this home out; in an object store, where nothing can, a fold finds rival events."""
        path = self._lake.path("index", "reviews.lock")
        if not self._lake.is_local:
            yield
            return
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
