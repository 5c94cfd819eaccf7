"""How much of a refresh's wall time is Prefect's, the server's start printed on its own.

Every stage's own function is timed; what the flow took beyond their sum is the orchestration.

Run: .venv/bin/python -m tests.bench.prefect_share FOLDER_OF_DOCUMENTS
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from configs.settings import load_settings
from flows.prefect_server import environment


def main(source: str) -> None:
    """Prints the figures for a full refresh of ``source`` into a new home."""
    with tempfile.TemporaryDirectory() as home:
        import os

        os.environ["BIDFOLIO_HOME"] = home
        environment.prepare(load_settings())
        from prefect import flow

        import flows.refresh as refresh

        begin = time.perf_counter()
        flow(name="empty")(lambda: None)()
        print(f"start of the ephemeral server, with an empty flow: {time.perf_counter() - begin:.1f} s")
        spent: list[float] = []

        def timed(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def run(*arguments: Any, **named: Any) -> Any:
                started = time.perf_counter()
                try:
                    return function(*arguments, **named)
                finally:
                    spent.append(time.perf_counter() - started)

            return run

        stages = [value for value in vars(refresh).values() if hasattr(value, "task_run_name")]
        for stage in stages:
            stage.fn = timed(stage.fn)
        begin = time.perf_counter()
        summary = refresh.refresh_corpus(source, "bidfolio", "bench")
        wall = time.perf_counter() - begin
        print(
            f"refresh of {summary.pages} pages, {summary.chunks} chunks: {wall:.1f} s, in stages {sum(spent):.1f} s "
            f"({len(spent)} stages); Prefect's share {100 * (wall - sum(spent)) / wall:.1f}%"
        )


if __name__ == "__main__":
    main(sys.argv[1])
