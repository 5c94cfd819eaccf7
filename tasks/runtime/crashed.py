"""Rows of a run that was killed: its row in ``runs`` says so, and what led to no answer is removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tasks.schemas import TABLES_BY_RUN
from tasks.storage.commits import Commits, of_run

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

KILLED = "its process was killed, or the machine went down: run the same command again"
_BEFORE_ANSWERS = ("retrievals", "expansions")


def close_rows(lake: Lake, run_id: str) -> None:
    """Give a run that is recorded as running the status ``crashed``; any other run is left as it is.

    The rows of ``questions``, ``retrievals`` and ``expansions`` that led to no answer are removed: the run that does
    the same again has them, too. Raises ReadOnly for a home that cannot be written.
    """
    rows = lake.read("runs", run_id=run_id).to_pylist()
    if not rows or rows[0]["status"] != "running":
        return
    answered = set(lake.values("answers", "plan", run_id=run_id))
    for table in _BEFORE_ANSWERS:
        for plan in set(lake.values(table, "plan", run_id=run_id)) - answered:
            lake.drop_folder("lake", table, f"run_id={run_id}", f"plan={plan}")
    if not answered:
        lake.drop_folder("lake", "questions", f"run_id={run_id}")
    lake.write("runs", [rows[0] | {"status": "crashed", "error": KILLED}], run_id=run_id)
    Commits(lake).put(of_run(run_id), [("lake", table, f"run_id={run_id}") for table in TABLES_BY_RUN])
