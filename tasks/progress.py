"""How far a stage is. A stage says it here; whoever started the run decides who hears it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


class Progress(Protocol):
    """Shows stages as they go."""

    def track(self, stage: str, total: int) -> AbstractContextManager[Advance]:
        """A stage of ``total`` items; the function that it gives takes how many more are done."""
        ...

    def tell(self, line: str) -> None:
        """What keeps a stage waiting."""
        ...


class Silent:
    """Shows nothing: what a library caller and a test want."""

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """A stage that nobody watches."""
        yield lambda _: None

    def tell(self, line: str) -> None:
        """Nobody is told."""


_shown: Progress = Silent()


def show(progress: Progress) -> None:
    """From now on ``progress`` shows the stages of this process."""
    global _shown
    _shown = progress


def is_shown() -> bool:
    """Whether this process shows progress at all."""
    return not isinstance(_shown, Silent)


def tell(line: str) -> None:
    """Says what keeps this process waiting, where it shows progress."""
    _shown.tell(line)


def track(stage: str, total: int) -> AbstractContextManager[Advance]:
    """A stage of ``total`` items, shown where this process shows progress."""
    return _shown.track(stage, total)
