"""Temporary Prefect server for commands without a configured server; signals to the command do not reach it.

A terminal sends Ctrl-C to all processes of a command, `timeout` and service managers their SIGTERM. If the server ended
by it, the flow run, which wants to report its end, would wait for it more than a minute. So the server ignores both,
and the command stops it at the end; all reports are in its database by then.

Prefect would start such a server itself, but imports the whole server into the command for that, which takes seconds.
Where nothing can name another server, this one is started before the command imports anything of Prefect.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path

from flows.prefect_server.configured import may_be_configured
from flows.prefect_server.own_database import made_once
from tasks.errors import ServiceAway

_HOST = "127.0.0.1"
_LOOK_S = 0.05
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_OF_A_COMMAND = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}
"""Variables by which Prefect's server knows that it serves one command, and nobody looks at its pages."""


@contextmanager
def own_server() -> Iterator[None]:
    """Run the temporary server for Prefect's clients, from the block's end on until this process ends; does nothing
    where another server is configured.

    Raises ServiceAway where it does not start.
    """
    told = _told()
    if told is None:
        yield
        return
    with made_once():
        port = _free_port()
        process = _started(port, told)

        def stop() -> None:
            process.kill()
            process.wait()

        try:
            os.environ["PREFECT_API_URL"] = f"http://{_HOST}:{port}/api"
            _read_environment()
            yield
            from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS as TIMEOUT_S

            _wait_for(process, port, float(TIMEOUT_S.value()))
        except BaseException:
            del os.environ["PREFECT_API_URL"]
            _read_environment()
            stop()
            raise
    atexit.register(stop)


def _told() -> dict[str, str] | None:
    """Prefect's settings for the temporary server, beside the environment; None where it is not needed."""
    if "prefect" not in sys.modules and not may_be_configured():
        return {}
    from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_EPHEMERAL_ENABLED, get_current_settings

    if PREFECT_API_URL.value() or not PREFECT_SERVER_EPHEMERAL_ENABLED.value():
        return None
    return get_current_settings().to_environment_variables(exclude_unset=True)


def _read_environment() -> None:
    """Have Prefect read the environment anew, if it is imported already."""
    if "prefect" in sys.modules:
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()


def _started(port: int, told: dict[str, str]) -> subprocess.Popen[bytes]:
    package = find_spec("prefect")
    assert package is not None and package.origin is not None
    command = [sys.executable, "-m", "uvicorn", "--app-dir", str(Path(package.origin).parent), "--factory"]
    command += ["prefect.server.api.server:create_app", "--host", _HOST, "--port", str(port)]
    command += ["--log-level", "error", "--lifespan", "on"]
    # Signals that this thread blocks stay blocked in its child processes, whatever handlers they set.
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        return subprocess.Popen(command, env=os.environ | _OF_A_COMMAND | told)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def _wait_for(process: subprocess.Popen[bytes], port: int, timeout_s: float) -> None:
    begun = time.monotonic()
    while not _is_healthy(port):
        if process.poll() is not None:
            raise _not_started(f"it ended with code {process.returncode}")
        if time.monotonic() - begun > timeout_s:
            raise _not_started(f"no reply in {timeout_s:.0f} s")
        time.sleep(_LOOK_S)


def _is_healthy(port: int) -> bool:
    with closing(HTTPConnection(_HOST, port, timeout=10)) as connection:
        try:
            connection.request("GET", "/api/health")
            return connection.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False


def _not_started(why: str) -> ServiceAway:
    return ServiceAway(f"Prefect's own server did not start ({why}): run the same command again")


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])
