"""Prefect's temporary server, for commands that are given none: started so that an interrupt leaves it alone.

A terminal sends Ctrl-C to all that a command started, `timeout` and service managers their SIGTERM. A server that ends
by it leaves the flow run, which wants to tell it how it ended, asking for more than a minute. So the server hears
neither, and the command stops it when it is done; what it was told is in its database by then.
"""

from __future__ import annotations

import atexit
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
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            SubprocessASGIServer().start()
        except Exception as error:
            failed.append(error)

    def stop() -> None:
        if process := SubprocessASGIServer().server_process:
            process.kill()
            process.wait()

    starting = Thread(target=start, daemon=True)
    starting.start()
    try:
        yield
        starting.join()
    except BaseException:
        stop()
        raise
    atexit.register(stop)
    if failed:
        raise ServiceAway(f"Prefect's own server did not start ({failed[0]}): run the same command again")
