"""Lookup of the run that a person means: by its id, the first characters of it, a file of it, or "latest"."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tasks.errors import UsageError

LATEST: Final = "latest"
FILES: Final = ("out", "evidence", "report")
SHOWN_RUNS: Final = 5


def find_run(rows: Sequence[Mapping[str, Any]], wanted: str) -> dict[str, Any]:
    """The run's row of the table ``runs``, with its ``summary`` as a dictionary; only runs that answered a file count.

    Raises UsageError, which names the last runs, where none or several are meant.
    """
    known = sorted((with_summary(row) for row in rows if row["kind"] == "answer"), key=lambda row: row["run_id"])
    done = [row for row in known if row["status"] == "done"]
    if not done:
        raise UsageError("no questionnaire was answered here yet: bidfolio answer FILE")
    if wanted == LATEST:
        return done[-1]
    found = [row for row in known if row["run_id"] == wanted] or [
        row for row in done if wanted and row["run_id"].startswith(wanted)
    ]
    if not found:
        found = [row for row in done if _has_file(row, wanted)][-1:]
    if len(found) > 1:
        raise UsageError(f"{wanted!r} begins the names of {len(found)} runs: {_listed(found)}")
    if not found:
        raise UsageError(f"there is no run {wanted!r}; the last are {_listed(done)}: give one of them, or {LATEST!r}")
    (run,) = found
    if run["status"] != "done":
        raise UsageError(f"the run {run['run_id']} is {run['status']}: run the same `bidfolio answer` again first")
    return run


def earlier_runs(rows: Sequence[Mapping[str, Any]], run: Mapping[str, Any]) -> list[str]:
    """The ids of the earlier runs over the same file as ``run``, the oldest first."""
    mine = source_path(run)
    known = (with_summary(row) for row in rows if row["kind"] == "answer" and row["run_id"] < run["run_id"])
    return sorted(row["run_id"] for row in known if source_path(row) == mine)


def source_path(run: Mapping[str, Any]) -> str:
    """The path of the questionnaire that the run answered; the whole path where the run has recorded it."""
    return str(run["summary"].get("questionnaire") or run["source"])


def with_summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a run with what its command printed, as ``summary``; {} where it printed nothing."""
    return {**row, "summary": json.loads(row["summary_json"] or "{}")}


def _has_file(row: Mapping[str, Any], wanted: str) -> bool:
    files = [row["summary"][name] for name in FILES if row["summary"].get(name)]
    named = [*files, source_path(row), row["source"]]
    return wanted in named or Path(wanted).resolve() in {Path(one).resolve() for one in named}


def _listed(rows: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"{row['run_id']} ({Path(source_path(row)).name})" for row in rows[-SHOWN_RUNS:][::-1])
