"""Process that answers questions over HTTP: `python -m flows.web PORT`, which `bidfolio serve` starts."""

from __future__ import annotations

import sys
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import uvicorn

from configs.settings import load_settings
from flows.cli.output.printing import tell_warnings
from flows.prefect_server import environment
from tasks.errors import BidfolioError

if TYPE_CHECKING:
    from flows.ask import Desk

GRACE_S = 5


def main(port: int) -> None:
    """Answer questions until a signal to stop. Settings are those of the environment."""
    settings = load_settings()
    environment.prepare(settings)
    from flows.ask import Desk
    from flows.web.app import make_app

    desk = Desk(settings)
    Thread(target=warm_up, args=(desk,), daemon=True).start()
    uvicorn.run(
        make_app(settings, desk),
        host=settings.ask.listen,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )


def warm_up(desk: Desk) -> None:
    """Load the resources for the first question, and print warnings; ignores bidfolio's errors.

    Where nothing is published yet, the first question reports it.
    """
    with suppress(BidfolioError):
        tell_warnings(desk.warm_up())


if __name__ == "__main__":
    main(int(sys.argv[1]))
