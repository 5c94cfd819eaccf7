"""How a run shows itself: a bar with counts and time left on a terminal, plain lines elsewhere; all on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.progress import Advance, Progress


class PlainLines:
    """A line when a stage begins, one when it ends, and one every ten seconds between."""

    INTERVAL_S = 10.0

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """A stage of ``total`` items."""
        began = said = time.monotonic()
        done = 0

        def advance(count: int) -> None:
            nonlocal done, said
            done += count
            now = time.monotonic()
            if now - said >= self.INTERVAL_S and done < total:
                said = now
                left = (now - began) / done * (total - done) if done else 0
                self._say(f"{stage}: {done} of {total}, about {left:.0f} s left")

        self._say(f"{stage} ({total}) …")
        yield advance
        self._say(f"{stage}: {done} of {total} in {time.monotonic() - began:.1f} s")

    @staticmethod
    def _say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class Bars:
    """A bar a stage, with counts, elapsed time and time left."""

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """A stage of ``total`` items."""
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Rich

        columns = (
            TextColumn("{task.description:<24}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Rich(*columns, console=Console(stderr=True)) as bars:
            bar = bars.add_task(stage, total=total)
            yield lambda count: bars.advance(bar, count)


def for_this_terminal() -> Progress:
    """Bars where stderr is a terminal, plain lines where it is not."""
    return Bars() if sys.stderr.isatty() else PlainLines()
