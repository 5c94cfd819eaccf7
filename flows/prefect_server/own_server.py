"""Temporary Prefect server for commands without a configured server; signals to the command do not reach it.

A terminal sends Ctrl-C to all processes of a command, `timeout` and service managers their SIGTERM. If the server ended
by it, the flow run, which wants to report its end, would wait for it more than a minute. So the server ignores both,
and the command stops it at the end; all reports are in its database by then.
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
    """Run the temporary server during the block, for Prefect's clients;
    does nothing where another server is configured.

    Raises ServiceAway where it does not start.
    """
    from prefect.server.api.server import SubprocessASGIServer
    from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_EPHEMERAL_ENABLED

    if PREFECT_API_URL.value() or not PREFECT_SERVER_EPHEMERAL_ENABLED.value():
        yield
        return
    failed: list[Exception] = []

    def start() -> None:
        # Signals that a thread blocks stay blocked in its child processes, whatever handlers they set. The thread ends
        # after the start.
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
