"""Runs: their names and times. The one place that asks the clock."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, date, datetime
from typing import NamedTuple


class Run(NamedTuple):
    """A run under way: of which ``kind``, by which plan or plans, over which folder or file.

    ``run_id`` sorts by time and is never reused. ``scope`` says what it is limited to, "" where it is not.
    """

    run_id: str
    started_at: datetime
    kind: str
    plan: str
    source: str
    corpus: str | None = None
    scope: str = ""

    @property
    def identity(self) -> dict[str, str | date]:
        """The columns that say in every table which run wrote a row."""
        return {"run_id": self.run_id, "run_date": self.started_at.date()}

    @property
    def seconds(self) -> float:
        """Wall time since it started."""
        return (datetime.now(UTC) - self.started_at).total_seconds()


def start_run(kind: str, plan: str, source: str, corpus: str | None = None, scope: str = "") -> Run:
    """A run that starts now."""
    now = datetime.now(UTC)
    return Run(f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}", now, kind, plan, source, corpus, scope)


def now() -> datetime:
    """The time, UTC."""
    return datetime.now(UTC)


def milliseconds() -> float:
    """A clock for durations, in milliseconds."""
    return time.perf_counter() * 1000
