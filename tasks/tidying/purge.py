"""Purge of runs: remove their rows from every table, and all files that were kept for them."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import PurePath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from configs.settings import Settings
from tasks.runtime.runs import now, run_started_at
from tasks.runtime.stage import stage
from tasks.storage.commits import Commits, of_run
from tasks.storage.filled_copies import FilledCopies
from tasks.storage.lake import Lake
from tasks.storage.output_cache import forget, outputs_file
from tasks.storage.stored_file import Stored
from tasks.tidying.erasing import BY_RUN, SESSIONS, Eraser, questions_of, replies, rows_left, sweep, turns
from tasks.tidying.purge_selection import KnownRun, Wanted, chosen, require_session
from tasks.tidying.retention import Removed

_TENDERS = ("index", "requirements")


@stage("remove what killed runs left")
def sweep_home(settings: Settings, *, dry_run: bool) -> Removed:
    """Remove files that killed processes left half written or half removed; returns what was, or would be, removed."""
    return sweep(Lake(settings.home), now(), dry_run=dry_run)


@stage("find what is to be purged")
def find_runs(wanted: Wanted, settings: Settings) -> list[KnownRun]:
    """The runs that meet ``wanted``, the oldest first, also those of which only a file is left.

    Raises UsageError as :func:`chosen`, and for an unknown conversation.
    """
    lake = Lake(settings.home)
    require_session(wanted.session, lake.names(SESSIONS, suffix=""))
    replied = {run_id: file for file, run_id in replies(lake) if run_id}
    spoken = {str(turn["run_id"]): file.parts[1] for file, turn in turns(lake) if turn.get("run_id")}
    ids = {run_id for table in BY_RUN for run_id in lake.values(table, "run_id")} | {*replied, *spoken}
    known = [_known(run_id, lake, replied.get(run_id))._replace(session=spoken.get(run_id)) for run_id in sorted(ids)]
    return chosen(known, wanted)


@stage("purge {runs}")
def purge_runs(runs: Collection[KnownRun], wanted: Wanted, settings: Settings, *, dry_run: bool) -> dict[str, Removed]:
    """Remove everything that belongs to those runs; returns what was removed, or with ``dry_run`` would be, by kind.

    The kinds are ``tables``, ``replies`` of model servers, ``vectors`` and other outputs of models, ``requirements`` of
    tenders, and ``turns`` of conversations. Each file knows its run by its name or by what is in it. The rows that make
    a run known are removed last, so that the same command completes a purge that was killed.
    """
    lake, ids = Lake(settings.home), frozenset(run.run_id for run in runs)
    eraser = Eraser(lake, dry_run=dry_run)
    asked = {question for run_id in ids for question in questions_of(run_id, lake)}
    sources = {PurePath(name).name for name in (wanted.source, *(run.source for run in runs)) if name}
    eraser.drop("replies", (file for file, run_id in replies(lake) if run_id in ids or not run_id))
    if ids:  # by its hashes it is not known whose an output is
        eraser.drop_local("vectors", outputs_file(settings.home), forget)
    eraser.drop("requirements", (file for file in lake.below(*_TENDERS) if _tender_of(file, lake) in {*sources, None}))
    eraser.drop_turns(ids, asked, wanted.session)
    # By those that are whole, drafts in files that were filled are known for ever; they are no texts.
    eraser.drop("tables", FilledCopies(lake).damaged_drafts(ids))
    for run_id in set(lake.values("edits", "run_id")) - ids:  # of a run that took another's answers back from a person
        rows = lake.read("edits", run_id=run_id)
        is_kept = pc.invert(pc.is_in(rows["answer_run_id"], pa.array(sorted(ids), pa.string())))
        eraser.keep_rows("tables", rows.filter(is_kept), rows.num_rows, "edits", run_id=run_id)
    _drop_manifests(ids if not dry_run else (), lake)
    for table in BY_RUN:
        for run_id in sorted(ids.intersection(lake.values(table, "run_id"))):
            eraser.drop_folder("tables", "lake", table, f"run_id={run_id}")
    _drop_manifests(ids if not dry_run else (), lake)  # a check may have missed them meanwhile
    return eraser.removed


def _drop_manifests(ids: Collection[str], lake: Lake) -> None:
    for run_id in sorted(ids):
        Commits(lake).drop(of_run(run_id))


def _known(run_id: str, lake: Lake, reply: Stored | None) -> KnownRun:
    begun = run_started_at(run_id)
    for row in rows_left(lake, "runs", run_id=run_id):
        who, is_open, flow = row["asked_by"] or "", row["status"] == "running", row["flow_run_id"] or ""
        return KnownRun(run_id, row["kind"], row["corpus"], row["source"] or "", who, begun, is_open, flow)
    for plan in lake.values("audit", "plan", run_id=run_id):
        for row in rows_left(lake, "audit", run_id=run_id, plan=plan)[:1]:
            return KnownRun(run_id, row["run_kind"], row["corpus"], "", row["asked_by"] or "", begun)
    # It was killed, or its purge was, or it is asking a model server now.
    told: dict[str, Any] = json.loads((lake.get(*reply.parts) if reply else None) or b"{}")
    source, who = told.get("source") or "", told.get("asked_by") or ""
    return KnownRun(run_id, told.get("kind") or "ask", told.get("corpus"), source, who, begun)


def _tender_of(file: Stored, lake: Lake) -> str | None:
    told = json.loads(lake.get(*file.parts) or b"{}")
    # An earlier bidfolio did not name it: its requirements go with any purge, and are found anew.
    return told.get("file_name") if isinstance(told, dict) else None
