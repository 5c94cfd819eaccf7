"""Display of progress that keeps the lines that a user would see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tasks.progress import Silent, show


class Hearing(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def tell(self, line: str) -> None:
        self.lines.append(line)


@contextmanager
def lines_heard() -> Iterator[list[str]]:
    """The lines that are told during the block."""
    hearing = Hearing()
    show(hearing)
    try:
        yield hearing.lines
    finally:
        show(Silent())
