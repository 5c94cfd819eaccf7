"""Prefect's temporary server, for commands that are given none: started so that an interrupt leaves it alone.

A terminal sends Ctrl-C to all that a command started. A server that ends by it leaves its flow run, which wants to tell
how it ended, asking for more than a minute; so it is for the command to stop its server when it is done.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from tasks.errors import ServiceAway


@contextmanager
def own_server() -> Iterator[None]:
    """Starts the temporary server, while what is within is done; afterwards Prefect's clients find it running. Does
    nothing where another is configured.

    Raises ServiceAway where it does not start.
    """
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_EPHEMERAL_ENABLED

    if PREFECT_API_URL.value() or not PREFECT_SERVER_EPHEMERAL_ENABLED.value():
        yield
        return
    failed: list[Exception] = []

    def start() -> None:
        # What a thread blocks is blocked in what it starts, whatever handlers that sets; this thread ends here.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            SubprocessASGIServer().start()
        except Exception as error:
            failed.append(error)

    starting = Thread(target=start, daemon=True)
    starting.start()
    yield
    starting.join()
    if failed:
        raise ServiceAway(f"Prefect's own server did not start ({failed[0]}): run the same command again")
