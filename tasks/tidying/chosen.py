"""Which runs a purge is about, and which of them it leaves to a person's word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import PurePath
from typing import NamedTuple

from tasks.errors import UsageError

OF_QUESTIONS = ("answer", "ask", "evaluate")
"""What only asked. All other runs have changed, or say, what is published."""
SHOWN_RUNS = 5


class KnownRun(NamedTuple):
    """A run as the lake knows it: of which kind and corpus, over which file, by whom, from when to when, UTC.

    ``is_open``: it was not recorded as ended. It is under way, or was killed.
    """

    run_id: str
    kind: str
    corpus: str | None
    source: str
    asked_by: str
    started_at: datetime
    ended_at: datetime
    is_open: bool = False

    @property
    def is_left(self) -> bool:
        """Whether it goes only where somebody says so."""
        return self.is_open or self.kind not in OF_QUESTIONS


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run must be to be purged: one of ``run_ids``, begun before a day, UTC, asked by somebody, over a file (by
    its path or its name), on a corpus. What is None is no matter.
    """

    run_ids: tuple[str, ...] | None = None
    before: date | None = None
    asked_by: str | None = None
    source: str | None = None
    corpus: str | None = None

    def has(self, run: KnownRun) -> bool:
        """Whether the run is such a one."""
        return (
            (self.run_ids is None or run.run_id in self.run_ids)
            and (self.before is None or run.started_at.astimezone(UTC).date() < self.before)
            and (self.asked_by is None or run.asked_by == self.asked_by)
            and (self.source is None or self.source in (run.source, PurePath(run.source).name))
            and (self.corpus is None or run.corpus == self.corpus)
        )


def chosen(runs: Sequence[KnownRun], wanted: Wanted) -> list[KnownRun]:
    """The runs that are wanted, in their order. Raises UsageError for an id that no run has, with the last ones."""
    unknown = set(wanted.run_ids or ()) - {run.run_id for run in runs}
    if unknown:
        last = ", ".join(run.run_id for run in runs[-SHOWN_RUNS:][::-1]) or "none"
        raise UsageError(f"there is no run {', '.join(sorted(unknown))}; the last are {last}")
    return [run for run in runs if wanted.has(run)]


def was_written_in(written_at: datetime, runs: Collection[KnownRun]) -> bool:
    """Whether something was written while one of the runs was under way."""
    return any(run.started_at <= written_at <= run.ended_at for run in runs)
