"""Erasure of what belongs to runs, by kind: files of replies and conversations, rows and folders of the lake."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tasks.errors import Damaged
from tasks.llm.reply_cache import FOLDER as REPLIES
from tasks.schemas import TABLES
from tasks.storage.commits import Commits
from tasks.storage.stored_file import ASIDE, Stored
from tasks.tidying.retention import SPARED, Removed

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

SESSIONS = "sessions"
_LAST = ("audit", "runs")
"""The tables that make a run known: their rows are removed last."""
BY_RUN = (*sorted(name for name, of in TABLES.items() if "run_id" in of.names and name not in _LAST), *_LAST)
"""The tables of runs, in the order in which a purge removes rows."""


class Eraser:
    """Removes files of a home, or with ``dry_run`` none, and counts them by kind."""

    def __init__(self, lake: Lake, *, dry_run: bool) -> None:
        self._lake, self._dry_run, self._commits = lake, dry_run, Commits(lake)
        self._counts: Counter[str] = Counter()
        self._sizes: Counter[str] = Counter()

    @property
    def removed(self) -> dict[str, Removed]:
        """The number and size of the removed files, by kind."""
        return {kind: Removed(count, self._sizes[kind]) for kind, count in sorted(self._counts.items())}

    def drop(self, kind: str, files: Iterable[Stored]) -> None:
        """Remove the files."""
        going = list(files)
        self._count(kind, going)
        if not self._dry_run:
            self._commits.forget(file.parts for file in going)
            for file in going:
                self._lake.drop(*file.parts)

    def drop_folder(self, kind: str, *parts: str) -> None:
        """Remove the folder, in one step for readers."""
        self._count(kind, self._lake.below(*parts))
        if not self._dry_run:
            self._commits.forget([parts])
            self._lake.drop_folder(*parts)

    def keep_rows(self, kind: str, rows: pa.Table, before: int, table: str, **partition: str) -> None:
        """Let the partition of the lake's table, which had ``before`` rows, have only ``rows``; without any it goes."""
        folders = [f"{key}={value}" for key, value in partition.items()]
        if rows.num_rows == 0 < before:
            self.drop_folder(kind, "lake", table, *folders)
        elif rows.num_rows < before:
            self._count(kind, self._lake.below("lake", table, *folders))
            if not self._dry_run:
                self.write(rows, table, **partition)

    def write(self, rows: pa.Table | list[dict[str, Any]], table: str, **partition: str) -> None:
        """Write the rows that are left of a partition of the lake's table."""
        folder = ("lake", table, *(f"{key}={value}" for key, value in partition.items()))
        self._commits.forget([folder])
        self._lake.write(table, rows, **partition)
        self._commits.add(self._commits.owner((*folder, "")), self._lake.below(*folder))

    def drop_turns(self, run_ids: Collection[str], asked: Collection[str], session: str | None = None) -> None:
        """Remove the turns of those runs, and all of the ``session``; then conversations without a turn.

        An earlier bidfolio wrote turns without a run: they go where their question is among those ``asked``. A damaged
        one, which might be anybody's, goes with any purge.
        """
        told = ((file, turn, turn.get("run_id")) for file, turn in turns(self._lake))
        self.drop(
            "turns",
            (
                file
                for file, turn, run_id in told
                if not turn
                or file.parts[1] == session
                or (run_id in run_ids if run_id else turn.get("asked_as") in asked)
            ),
        )
        for name in self._lake.names(SESSIONS, suffix="") if not self._dry_run else ():
            if not self._lake.below(SESSIONS, name):
                self._lake.drop_folder(SESSIONS, name)

    def drop_local(self, kind: str, path: Path, forget: Callable[[Path], object]) -> None:
        """Remove a file that is this machine's own, by ``forget``; one that is not there is no error."""
        if path.is_file():
            self._counts[kind] += 1
            self._sizes[kind] += path.stat().st_size
            if not self._dry_run:
                forget(path)

    def _count(self, kind: str, files: Collection[Stored]) -> None:
        if files:
            self._counts[kind] += len(files)
            self._sizes[kind] += sum(file.size_bytes for file in files)


def turns(lake: Lake) -> Iterator[tuple[Stored, dict[str, Any]]]:
    """The files of all turns of conversations, and what they hold: nothing where a file is damaged."""
    for file in lake.below(SESSIONS):
        try:
            raw = lake.get(*file.parts)
        except Damaged:
            raw = None
        yield file, json.loads(raw) if raw else {}


def replies(lake: Lake) -> Iterator[tuple[Stored, str]]:
    """The files of all replies of model servers, and their runs; "" for those that an earlier bidfolio left.

    Such a reply names no run, so that each purge removes it: it can be asked for again.
    """
    for file in lake.below(*REPLIES):
        yield file, file.parts[-1].removesuffix(".json") if len(file.parts) > len(REPLIES) + 1 else ""


def questions_of(run_id: str, lake: Lake) -> Iterator[str]:
    """The questions of a run as its audit log has them."""
    for plan in lake.values("audit", "plan", run_id=run_id):
        yield from (row["question"] for row in rows_left(lake, "audit", run_id=run_id, plan=plan))


def rows_left(lake: Lake, table: str, **partition: str) -> list[dict[str, Any]]:
    """The rows of a partition; none where its file is damaged, which a purge removes without reading it."""
    try:
        rows = lake.read(table, **partition)
    except Damaged:
        return []
    return list(rows.to_pylist())


def sweep(lake: Lake, now: datetime, *, dry_run: bool) -> Removed:
    """Remove what processes that were killed have left in ``staging/``; returns what was, or would be, removed."""
    left = lake.abandoned()
    if not lake.is_local:
        left = [file for file in lake.below("staging") if now - file.written_at > SPARED]
    for file in left if not dry_run else ():
        lake.drop(*file.parts)
    for name in lake.names("staging", suffix="") if not dry_run else ():
        if name.startswith(ASIDE):
            lake.drop_folder("staging", name)
    return Removed(len(left), sum(file.size_bytes for file in left))
