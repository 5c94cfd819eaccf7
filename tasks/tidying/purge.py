"""Purge of runs: remove their rows from every table, and the replies that model servers gave them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import timedelta

from configs.settings import Settings
from tasks.llm.reply_cache import ReplyCache
from tasks.runtime.runs import run_started_at
from tasks.runtime.stage import stage
from tasks.schemas import TABLES_BY_RUN
from tasks.storage.commits import Commits, of_run
from tasks.storage.lake import Lake
from tasks.tidying.purge_selection import KnownRun, Wanted, chosen, was_written_in
from tasks.tidying.retention import Removed

_AFTER = timedelta(seconds=5)
"""Margin after a run's recorded end in which its files may still be written."""


@stage("find what is to be purged")
def find_runs(wanted: Wanted, settings: Settings) -> list[KnownRun]:
    """The runs that meet ``wanted``, the oldest first. Raises UsageError as :func:`chosen`."""
    lake = Lake(settings.home)
    ids = sorted({run_id for table in ("runs", "audit") for run_id in lake.values(table, "run_id")})
    return chosen([_known(run_id, lake) for run_id in ids], wanted)


@stage("purge {runs}")
def purge_runs(runs: Collection[KnownRun], settings: Settings, *, dry_run: bool) -> dict[str, Removed]:
    """Remove everything that belongs to those runs; returns what was removed, or with ``dry_run`` would be, by kind.

    The kinds are ``tables``, ``replies``, vectors of ``questions``, and ``turns`` of conversations. The replies are
    those that were written while one of the runs was in progress, and those that equal a reply in its audit log. The
    row in ``runs`` is removed last, so that the same command completes a purge that was killed.
    """
    lake = Lake(settings.home)
    replies = ReplyCache(lake)
    raws = {raw for run in runs for raw in _raws(run.run_id, lake)}
    removed: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    asked = {question for run in runs if run.kind == "ask" for question in _questions(run.run_id, lake)}
    going = [
        *(
            ("replies", file)
            for file in lake.below("cache", "replies")
            if was_written_in(file.written_at, runs) or replies.reply(file.parts[-1].removesuffix(".json")) in raws
        ),
        *(
            ("questions", file)
            for file in lake.below("cache", "questions")
            if file.parts[-1].startswith(tuple(f"{run.run_id}-" for run in runs))
        ),
        *(
            ("turns", file)
            for file in lake.below("sessions")
            if was_written_in(file.written_at, runs) and _asked_as(file.parts, lake) in asked
        ),
    ]
    for what, file in going:
        removed[what] += 1
        sizes[what] += file.size_bytes
        if not dry_run:
            lake.drop(*file.parts)
    there = {table: set(lake.values(table, "run_id")) for table in TABLES_BY_RUN}
    for run in runs:
        if not dry_run:
            Commits(lake).drop(of_run(run.run_id))
        for table in sorted(TABLES_BY_RUN, key=lambda name: name in ("audit", "runs")):
            if run.run_id in there[table]:
                folder = f"run_id={run.run_id}"
                files = lake.below("lake", table, folder)
                removed["tables"] += len(files)
                sizes["tables"] += sum(file.size_bytes for file in files)
                if not dry_run:
                    lake.drop_folder("lake", table, folder)
    return {what: Removed(count, sizes[what]) for what, count in sorted(removed.items())}


def _known(run_id: str, lake: Lake) -> KnownRun:
    rows = lake.read("runs", run_id=run_id).to_pylist()
    begun = run_started_at(run_id)
    if rows:
        (row,) = rows
        ended = row["started_at"] + timedelta(milliseconds=row["duration_ms"]) + _AFTER
        who, is_open = row["asked_by"] or "", row["status"] == "running"
        return KnownRun(run_id, row["kind"], row["corpus"], row["source"] or "", who, begun, ended, is_open)
    asked = [
        row
        for plan in lake.values("audit", "plan", run_id=run_id)
        for row in lake.read("audit", run_id=run_id, plan=plan).to_pylist()
    ]
    if not asked:  # left over from a purge that was killed
        return KnownRun(run_id, "ask", None, "", "", begun, begun)
    ended = max(row["finished_at"] for row in asked) + _AFTER
    return KnownRun(run_id, asked[0]["run_kind"], asked[0]["corpus"], "", asked[0]["asked_by"] or "", begun, ended)


def _raws(run_id: str, lake: Lake) -> Iterator[str]:
    for plan in lake.values("audit", "plan", run_id=run_id):
        yield from filter(None, lake.read("audit_steps", run_id=run_id, plan=plan)["raw"].to_pylist())


def _questions(run_id: str, lake: Lake) -> Iterator[str]:
    for plan in lake.values("audit", "plan", run_id=run_id):
        yield from lake.read("audit", run_id=run_id, plan=plan)["question"].to_pylist()


def _asked_as(parts: tuple[str, ...], lake: Lake) -> str | None:
    turn: dict[str, str | None] = json.loads(lake.get(*parts) or b"{}")
    return turn.get("asked_as")
