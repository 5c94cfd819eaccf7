"""The process that answers questions over HTTP: `python -m flows.web PORT`, which `bidfolio serve` starts."""

from __future__ import annotations

import sys
from threading import Thread

import uvicorn

from configs.settings import Settings, load_settings
from flows import runtime
from tasks.errors import BidfolioError

GRACE_S = 5


def main(port: int) -> None:
    """Answers until it is told to stop. Settings are those of the environment."""
    settings = load_settings()
    runtime.prepare(settings)
    from flows.web.app import make_app

    Thread(target=warm_up, args=(settings,), daemon=True).start()
    uvicorn.run(
        make_app(settings),
        host=settings.ask.listen,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )


def warm_up(settings: Settings) -> None:
    """Loads what the first question would wait for; where nothing is published yet, there is nothing to load."""
    from configs.plans import load_plan
    from tasks.embedding.dense import prepare
    from tasks.embedding.shards import Encoder

    try:
        prepare(Encoder(load_plan("bidfolio").embedding, settings.threads, settings.home))
    except BidfolioError as error:
        print(f"bidfolio: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]))
