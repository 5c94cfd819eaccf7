"""The run that a thread or an asyncio task acts for, so that what it stores says whose it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.runtime.runs import Run

_ACTING: ContextVar[Run | None] = ContextVar("acting_run", default=None)


@contextmanager
def acting(run: Run) -> Iterator[Run]:
    """Let the block act for ``run``: what is stored in it under the run's name is found by a purge of the run."""
    before = _ACTING.set(run)
    try:
        yield run
    finally:
        _ACTING.reset(before)


def acting_run() -> Run | None:
    """The run that this thread or asyncio task acts for; None outside :func:`acting`."""
    return _ACTING.get()
