"""Selection of the runs to purge, and of those that need a confirmation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from pathlib import PurePath
from typing import NamedTuple

from tasks.errors import UsageError

OF_QUESTIONS = ("answer", "ask", "evaluate", "gold", "request")
"""Run kinds that only ask questions. Runs of all other kinds change, or record, what is published."""
SHOWN_RUNS = 5


class KnownRun(NamedTuple):
    """A run as the home records it: its kind, corpus, source file, user, and start (UTC).

    ``is_open``: no end was recorded. The run is in progress, or was killed. ``flow_run_id`` is that of Prefect, "" if
    unknown; ``session`` the conversation that the run is a turn of.
    """

    run_id: str
    kind: str
    corpus: str | None
    source: str
    asked_by: str
    started_at: datetime
    is_open: bool = False
    flow_run_id: str = ""
    session: str | None = None

    @property
    def is_left(self) -> bool:
        """Tell if a purge leaves this run unless a person confirms: it is open, or does more than ask questions."""
        return self.is_open or self.kind not in OF_QUESTIONS


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filter of the runs to purge: by id, start before a day (UTC), user, source file (path or name), corpus, and
    conversation. A condition that is None is not checked.
    """

    run_ids: tuple[str, ...] | None = None
    before: date | None = None
    asked_by: str | None = None
    source: str | None = None
    corpus: str | None = None
    session: str | None = None

    def has(self, run: KnownRun) -> bool:
        """Tell if the run meets all conditions."""
        return (
            (self.run_ids is None or run.run_id in self.run_ids)
            and (self.before is None or run.started_at.astimezone(UTC).date() < self.before)
            and (self.asked_by is None or run.asked_by == self.asked_by)
            and (self.source is None or self.source in (run.source, PurePath(run.source).name))
            and (self.corpus is None or run.corpus == self.corpus)
            and (self.session is None or run.session == self.session)
        )


def chosen(runs: Sequence[KnownRun], wanted: Wanted) -> list[KnownRun]:
    """Select the runs that meet ``wanted``, in their order.

    Raises UsageError, which names the last runs, for an unknown id, and which names similar ones, for a file that no
    run is over, or a person who has asked nothing.
    """
    unknown = set(wanted.run_ids or ()) - {run.run_id for run in runs}
    if unknown:
        last = ", ".join(run.run_id for run in runs[-SHOWN_RUNS:][::-1]) or "none"
        raise UsageError(f"there is no run {', '.join(sorted(unknown))}; the last are {last}")
    for what, value, known in (
        ("questionnaire", wanted.source, {PurePath(run.source).name for run in runs} | {run.source for run in runs}),
        ("person", wanted.asked_by, {run.asked_by for run in runs}),
    ):
        if value is not None and value not in known:
            raise UsageError(f"no run names a {what} {value!r}; {similar(value, known - {''})}")
    return [run for run in runs if wanted.has(run)]


def require_session(session: str | None, known: Collection[str]) -> None:
    """Raise UsageError, which names similar ones, for a conversation that is not ``known``; None is no error."""
    if session is not None and session not in known:
        raise UsageError(f"there is no conversation {session!r}; {similar(session, known)}")


def similar(name: str, known: Collection[str]) -> str:
    """The known names that are most like ``name``, in words."""
    holding = sorted(one for one in known if name.casefold() in one.casefold())
    found = holding or get_close_matches(name, sorted(known), SHOWN_RUNS, cutoff=0.3) or sorted(known)
    return f"there are {', '.join(found[:SHOWN_RUNS])}" if found else "there is none"
