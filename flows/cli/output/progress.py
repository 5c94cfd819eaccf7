"""Progress of a run: a bar with counts and time left on a terminal, plain lines elsewhere, both on stderr.

Where a worker runs it, the same lines go to Prefect's log.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tasks.progress import Advance, Progress, is_shown, show

if TYPE_CHECKING:
    from prefect import Flow
    from prefect.client.schemas.objects import FlowRun, State


class PlainLines:
    """Progress as lines: when a stage begins, when it ends, and every ten seconds between."""

    INTERVAL_S = 10.0

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """Begin a stage of ``total`` items."""
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

    def tell(self, line: str) -> None:
        """Show a line by itself."""
        self._say(f"bidfolio: {line}")


class Bars:
    """Progress as bars, one for each stage, with counts, elapsed time and time left."""

    @contextmanager
    def track(self, stage: str, total: int) -> Iterator[Advance]:
        """Begin a stage of ``total`` items."""
        from rich import progress as rich
        from rich.console import Console

        named, counts = rich.TextColumn("{task.description:<24}"), rich.MofNCompleteColumn()
        times = rich.TimeElapsedColumn(), rich.TextColumn("left"), rich.TimeRemainingColumn()
        with rich.Progress(named, rich.BarColumn(), counts, *times, console=Console(stderr=True)) as bars:
            bar = bars.add_task(stage, total=total)
            yield lambda count: bars.advance(bar, count)

    def tell(self, line: str) -> None:
        """Print a line, above the bar where there is one."""
        print(f"bidfolio: {line}", file=sys.stderr, flush=True)


def for_this_terminal() -> Progress:
    """The progress display: bars where stderr is a terminal, plain lines elsewhere."""
    return Bars() if sys.stderr.isatty() else PlainLines(_print)


def _print(line: str) -> None:
    # Looked up anew for each line: the stream of the start may be closed by the time of a later run in this process.
    print(line, file=sys.stderr, flush=True)


def log_where_unseen(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Hook for the start of a flow: without a progress display, send its lines to Prefect's log of the stage."""
    if not is_shown():
        show(PlainLines(_log))


def _log(line: str) -> None:
    from prefect import get_run_logger

    get_run_logger().info(line)
