"""`bidfolio serve`: Prefect's server and UI, the deployments of ``infra/prefect.yaml``, one worker, and questions.

1. The server starts, on 127.0.0.1, its database below the home.
2. The leftovers of a killed `serve` are cleaned up: its runs end as Crashed, and of missed runs one is made up for.
3. ``prefect deploy`` hands over the definitions while the worker starts.
4. A process of its own answers questions over HTTP (``flows/web``); one line says where it is, and where the UI is.
5. After Ctrl-C, SIGTERM or the end of a part, all parts stop and no process remains. Schedules stay as they are.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from configs.settings import Settings
from flows.prefect_server.environment import served_environment
from flows.prefect_server.own_database import made_once, set_aside_damaged
from tasks.errors import ServiceAway, UsageError

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun

ROOT = Path(__file__).parents[1]
DEFINITIONS = ROOT / "infra" / "prefect.yaml"
POOL = "bidfolio"
STARTUP_S = 180.0
GRACE_S = 15.0


def serve(settings: Settings, port: int, ask_port: int) -> int:
    """Run the server until Ctrl-C or SIGTERM; returns 0.

    Raises UsageError where a port or the home is in use or the definitions are wrong, ServiceAway where a part ends by
    itself.
    """
    host = os.environ.get("PREFECT_SERVER_API_HOST", "127.0.0.1")
    url = f"http://{_reachable(host)}:{port}"
    ask_url = f"http://{_reachable(settings.ask.listen)}:{ask_port}"
    require_free(host, port)
    require_free(settings.ask.listen, ask_port, "--ask-port")
    # Before Prefect is imported here, too: this process talks to the same server as its children.
    os.environ.update(served_environment(ROOT, f"{url}/api"))
    with only_one(settings), stopping_all():
        if aside := set_aside_damaged(settings.home):
            print(f"bidfolio: Prefect's database was damaged, and a new one is begun ({aside})", file=sys.stderr)
        print("bidfolio: starting Prefect's server and a worker …", file=sys.stderr, flush=True)
        with made_once():
            server = start("prefect", "--no-prompt", "server", "start", "--host", host, "--port", str(port))
            questions = start("flows.web", str(ask_port))
            prepare_server(server)
        worker = start(
            *("prefect", "--no-prompt", "worker", "start", "--pool", POOL, "--type", "process"),
            *("--name", socket.gethostname()),
        )
        deploy()
        wait_for_questions(questions, settings.ask.listen, ask_port)
        print(f"bidfolio is served at {url}, and answers questions at {ask_url} (Ctrl-C stops it)", flush=True)
        watch({"Prefect's server": server, "Prefect's worker": worker, "the server for questions": questions})
    return 0


def require_free(host: str, port: int, option: str = "--port") -> None:
    """Check that ``port`` can be listened on. Raises UsageError, which names the option, otherwise."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"cannot listen on {host}, port {port} ({error}): another `bidfolio serve` may be running; "
                f"stop it, or choose another {option}"
            ) from error


@contextmanager
def only_one(settings: Settings) -> Iterator[None]:
    """Hold the home's right to serve; it ends with the process, even by ``kill -9``.

    Two servers would share a database, and each take the other's runs for dead. Raises UsageError where it is taken.
    """
    folder = Path(os.environ.get("PREFECT_HOME", "~/.prefect")).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "serve.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"another `bidfolio serve` uses {settings.home}: stop it first") from error
        yield


@contextmanager
def stopping_all() -> Iterator[None]:
    """Stop every descendant of this process at the end of the block. A signal to stop is no error."""
    # A shell's `&` makes SIGINT ignored, which children inherit; the worker turns SIGTERM into SIGINT and would
    # never end. nohup's SIGHUP stays ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        print("bidfolio: stopping", file=sys.stderr, flush=True)
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        stop(psutil.Process().children(), GRACE_S)


def stop(children: list[psutil.Process], grace_s: float) -> None:
    """Stop the runs, which report it to the server, then the children, the last started first; kill the rest."""
    runs = [run for child in children for run in child.children()]
    left = [*children, *(member for child in children for member in child.children(recursive=True))]
    for group in (runs, *([child] for child in sorted(children, key=psutil.Process.create_time, reverse=True))):
        for process in group:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        psutil.wait_procs(group, timeout=grace_s)
    left += psutil.Process().children(recursive=True)
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=grace_s)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a Python module with its arguments, in a session of its own: Ctrl-C reaches this process only."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # a banner; logs go to stderr
        start_new_session=True,
    )


def prepare_server(server: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers, then create the work pool and clean up the leftovers of an earlier server."""
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import WorkPoolCreate
    from prefect.exceptions import ObjectAlreadyExists

    with get_client(sync_client=True) as client:
        until = time.monotonic() + STARTUP_S
        while client.api_healthcheck() is not None:
            if server.poll() is not None:
                raise ServiceAway(_ended("Prefect's server", server))
            if time.monotonic() > until:
                raise ServiceAway(f"Prefect's server does not answer after {STARTUP_S:.0f} s")
            time.sleep(0.5)
        with suppress(ObjectAlreadyExists):
            client.create_work_pool(WorkPoolCreate(name=POOL, type="process"))
        end_dead_runs(client)
        skip_missed_runs(client)


def end_dead_runs(client: SyncPrefectClient) -> None:
    """End the runs that an earlier worker was running when it was killed: they would go on holding their slots."""
    from prefect.states import Crashed

    for run in read_runs(client, {"state": {"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}}}):
        message = "bidfolio serve was killed while this ran. Run it again: what is done is not done twice."
        client.set_flow_run_state(run.id, Crashed(message=message))


def skip_missed_runs(client: SyncPrefectClient) -> None:
    """Cancel the scheduled runs that fell due while nothing was served, except the last of each deployment."""
    from prefect.states import Cancelled

    due = {"state": {"type": {"any_": ["SCHEDULED"]}}, "expected_start_time": {"before_": datetime.now(UTC)}}
    made_up_for = set()
    for run in read_runs(client, due):
        if run.auto_scheduled and run.deployment_id in made_up_for:
            message = "Nothing was served at the time, and a later run makes up for it."
            client.set_flow_run_state(run.id, Cancelled(message=message))
        made_up_for.add(run.deployment_id)


def read_runs(client: SyncPrefectClient, wanted: Mapping[str, Any]) -> list[FlowRun]:
    """The flow runs of our work pool that pass the filter ``wanted``, the last to start first; at most 200."""
    from prefect.client.schemas.filters import FlowRunFilter, WorkPoolFilter
    from prefect.client.schemas.sorting import FlowRunSort

    return client.read_flow_runs(
        flow_run_filter=FlowRunFilter.model_validate(wanted),
        work_pool_filter=WorkPoolFilter.model_validate({"name": {"any_": [POOL]}}),
        sort=FlowRunSort.EXPECTED_START_TIME_DESC,
    )


def deploy() -> None:
    """Send the definitions to the server. Raises UsageError with Prefect's message where they are wrong."""
    command = [sys.executable, "-P", "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(
        [*command, "--prefect-file", str(DEFINITIONS)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise UsageError(f"{DEFINITIONS} could not be deployed:\n{done.stdout.strip()}")


def wait_for_questions(part: subprocess.Popen[bytes], host: str, port: int) -> None:
    """Wait until the process accepts questions. Raises ServiceAway where it ends instead."""
    until = time.monotonic() + STARTUP_S
    while True:
        with suppress(OSError), socket.create_connection((_reachable(host).strip("[]"), port), timeout=5):
            return
        if part.poll() is not None:
            raise ServiceAway(_ended("the server for questions", part))
        if time.monotonic() > until:
            raise ServiceAway(f"the server for questions does not answer after {STARTUP_S:.0f} s")
        time.sleep(0.2)


def watch(parts: dict[str, subprocess.Popen[bytes]]) -> None:
    """Wait for ever. Raises ServiceAway when a part ends by itself."""
    while True:
        for name, part in parts.items():
            if part.poll() is not None:
                raise ServiceAway(_ended(name, part))
        time.sleep(0.5)


def _ended(name: str, part: subprocess.Popen[bytes]) -> str:
    return f"{name} ended with code {part.returncode} (above: its own words)"


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
