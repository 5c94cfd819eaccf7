"""Progress reports of stages: a stage reports here, and the caller of a run chooses how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


class Progress(Protocol):
    """Display of the progress of stages."""

    def track(self, stage: str, total: int) -> AbstractContextManager[Advance]:
        """Begin a stage of ``total`` items; gives the function to call with the number of further items done."""

    def tell(self, line: str) -> None:
        """Show the reason of a wait."""


class Silent:
    """Display that shows nothing, for library callers and tests."""

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """Begin a stage without a display."""
        yield lambda _: None

    def tell(self, line: str) -> None:
        """Ignore the line."""


_shown: Progress = Silent()


def show(progress: Progress) -> None:
    """Set the display for the stages of this process."""
    global _shown
    _shown = progress


def is_shown() -> bool:
    """Tell if this process shows progress at all."""
    return not isinstance(_shown, Silent)


def tell(line: str) -> None:
    """Show the reason of a wait, where this process shows progress."""
    _shown.tell(line)


def track(stage: str, total: int) -> AbstractContextManager[Advance]:
    """Begin a stage of ``total`` items, shown where this process shows progress."""
    return _shown.track(stage, total)
