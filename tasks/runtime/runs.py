"""Runs: their ids and times. The only module that reads the clock."""

from __future__ import annotations

import getpass
import secrets
import time
from datetime import UTC, date, datetime
from typing import NamedTuple


class Run(NamedTuple):
    """A run under way: its ``kind``, its plan or plans, and its folder or file.

    ``run_id`` sorts by time and is never reused. ``scope`` is what it is limited to, "" without a limit. ``asked_by``
    is the user who started it, "" where unknown. ``flow_run_id`` names its flow run in Prefect, "" without one.
    """

    run_id: str
    started_at: datetime
    kind: str
    plan: str
    source: str
    corpus: str | None = None
    scope: str = ""
    asked_by: str = ""
    flow_run_id: str = ""

    @property
    def identity(self) -> dict[str, str | date]:
        """The columns that identify the run in the rows that it writes."""
        return {"run_id": self.run_id, "run_date": self.started_at.date()}

    @property
    def seconds(self) -> float:
        """Wall time since it started."""
        return (datetime.now(UTC) - self.started_at).total_seconds()


def start_run(kind: str, plan: str, source: str, corpus: str | None = None, scope: str = "", asked_by: str = "") -> Run:
    """Start a run now, for ``asked_by`` or, where that is empty, for this process' login."""
    now = datetime.now(UTC)
    run_id = f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    return Run(run_id, now, kind, plan, source, corpus, scope, asked_by or _login())


def run_started_at(run_id: str) -> datetime:
    """The time when a run began, to the second, UTC: its id begins with it."""
    return datetime.strptime(run_id.partition("-")[0], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)


def now() -> datetime:
    """The time, UTC."""
    return datetime.now(UTC)


def milliseconds() -> float:
    """A clock for durations, in milliseconds."""
    return time.perf_counter() * 1000


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # for example in a container whose user has no name
        return ""
