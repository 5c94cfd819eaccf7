"""`bidfolio serve`, for real: started, asked through its API, and stopped in the middle of a run."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil
import pytest

from configs.grids import grid_names
from configs.plans import plan_names
from configs.settings import Settings
from flows.prefect_server.environment import served_environment
from flows.serve import DEFINITIONS, ROOT, only_one, require_free
from tasks.errors import UsageError
from tests.made.commands import link_models
from tests.made.prefect_database import put_database
from tests.made.processes import children_running

PATIENCE_S = 240.0  # some ten seconds each, where nothing else runs
PASSWORDS = "How many characters do passwords have?"
T = TypeVar("T")


class Served:
    """A server under way in ``folder``, with its home there too."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        link_models(self.home)
        put_database(self.home / "prefect" / "prefect.db")
        self.documents = folder / "documents"
        self.port, self.ask_port = free_port(), free_port()
        self.log = folder / "stderr"
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT", "BIDFOLIO"))}
        command = [sys.executable, "-P", "-m", "flows.cli", "--home", str(self.home), "serve"]
        command += ["--port", str(self.port), "--ask-port", str(self.ask_port)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                # A home of the environment must give way to the command line's, in the runs, too.
                env=kept | {"PYTHONPATH": path, "BIDFOLIO_HOME": str(folder / "elsewhere")},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.api = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api", timeout=60)

    def deployment(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"/deployments/name/{name}/{name}")
        return found

    def run(self, name: str, **parameters: str) -> str:
        """The id of a new run."""
        run = self.ask(
            "POST", f"/deployments/{self.deployment(name)['id']}/create_flow_run", {"parameters": parameters}
        )
        return str(run["id"])

    def end_of(self, run: str) -> dict[str, Any]:
        """The state in which the run ends."""
        ended = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")

        def state() -> dict[str, Any] | None:
            found: dict[str, Any] = self.ask("GET", f"/flow_runs/{run}")["state"]
            return found if found["type"] in ended else None

        return eventually(state)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        def available() -> httpx.Response | None:
            """Not 503, which the server answers when SQLite is busy."""
            answer = self.api.request(method, path, json=body)
            return None if answer.status_code == 503 else answer

        answer = eventually(available)
        assert answer.is_success, answer.text
        return answer.json()

    def family(self) -> list[psutil.Process]:
        found: list[psutil.Process] = psutil.Process(self.process.pid).children(recursive=True)
        return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    started = Served(tmp_path_factory.mktemp("served"))
    family: list[psutil.Process] = []
    try:
        assert started.process.stdout is not None
        ready = started.process.stdout.readline()
        for port in (started.port, started.ask_port):
            assert f"http://127.0.0.1:{port}" in ready, started.log.read_text()
        family = started.family()
        yield started
    finally:
        started.api.close()
        started.process.terminate()
        started.process.communicate(timeout=60)
        for process in family:
            if process.is_running():
                process.kill()


def test_deployments_have_their_schedules_limits_and_forms(served: Served) -> None:
    refresh, answer, evaluate, tune = (
        served.deployment(name) for name in ("refresh-corpus", "answer-questionnaire", "evaluate", "tune-grid")
    )
    schedules = [
        [(one["schedule"]["cron"], one["schedule"]["timezone"], one["active"]) for one in deployment["schedules"]]
        for deployment in (refresh, answer, evaluate, tune)
    ]
    assert schedules == [[("0 2 * * *", "UTC", True)], [], [("0 4 * * 0", "UTC", True)], []]
    limits = [deployment["global_concurrency_limit"]["limit"] for deployment in (refresh, answer, evaluate, tune)]
    assert limits == [1, 2, 1, 1]
    assert refresh["concurrency_options"]["collision_strategy"] == "ENQUEUE"
    assert refresh["parameters"] == {"source": str(served.documents)}

    form = answer["parameter_openapi_schema"]
    assert form["required"] == ["file"]
    scope = ["files", "folders", "tags", "kinds", "since", "until"]
    last = ["fill", "evidence", "map", "question_column", "report"]
    assert list(form["properties"]) == ["file", "out", "plan", "generator", "corpus", "overwrite", *scope, *last]
    assert all(field["title"][0].isupper() and field["description"] for field in form["properties"].values())
    assert {field.get("type") for field in form["properties"].values()} == {"string", "boolean", "array"}
    assert form["properties"]["plan"]["enum"] == plan_names()
    assert evaluate["parameter_openapi_schema"]["properties"]["plans"]["items"]["enum"] == plan_names()
    grid_form = tune["parameter_openapi_schema"]
    assert grid_form["required"] == ["gold"] and grid_form["properties"]["grid"]["enum"] == grid_names()


def test_the_scheduler_plans_the_next_refresh(served: Served) -> None:
    """Prefect 3.8.8 on SQLAlchemy 2.1 has every schedule active and never inserts a run."""
    wanted = {
        "deployments": {"name": {"any_": ["refresh-corpus"]}},
        "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
    }
    assert eventually(lambda: served.ask("POST", "/flow_runs/filter", wanted) or None, seconds=30)


def test_a_plan_that_is_not_there_is_refused_at_once(served: Served) -> None:
    path = f"/deployments/{served.deployment('refresh-corpus')['id']}/create_flow_run"
    refused = served.api.post(path, json={"parameters": {"source": "x", "plan": "nope"}})
    assert (refused.status_code, "'nope' is not one of" in refused.text) == (409, True)


def test_a_refresh_runs_then_serve_stops_in_the_middle_of_the_next(served: Served) -> None:
    missing = served.end_of(served.run("refresh-corpus"))
    assert missing["type"] == "FAILED"
    assert f"there is no folder {served.documents}" in missing["message"]
    questions = f"http://127.0.0.1:{served.ask_port}/ask"
    nothing = httpx.post(questions, json={"question": PASSWORDS}, timeout=60)
    assert nothing.status_code == 400 and "refresh SOURCE" in nothing.json()["remedy"]

    served.documents.mkdir()
    (served.documents / "policy.txt").write_text("Passwords have at least fourteen characters.\n", encoding="utf-8")
    run = served.run("refresh-corpus")
    state = served.end_of(run)
    assert state["type"] == "COMPLETED", state["message"]
    assert list(served.home.glob("lake/chunks/**/*.parquet"))
    said = httpx.post(questions, json={"question": PASSWORDS}, timeout=60).json()
    assert "fourteen" in said["answer"], "what is published meanwhile is answered from, without a new start"
    lines = served.ask("POST", "/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}})
    assert {line["level"] for line in lines} == {20}
    assert any(line["message"].startswith("Embedding chunks: 1 of 1") and line["task_run_id"] for line in lines)

    served.run("refresh-corpus")
    eventually(lambda: children_running("prefect.engine", psutil.Process(served.process.pid), deep=True) or None)
    family = served.family()
    assert len(family) >= 4
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=60) == 0
    assert [process for process in family if process.is_running()] == []


def test_a_killed_serve_leaves_nothing(tmp_path: Path) -> None:
    started = Served(tmp_path)
    assert started.process.stdout is not None
    started.process.stdout.readline()
    family = started.family()
    assert len(family) >= 3
    started.process.kill()
    started.process.communicate()
    started.api.close()
    assert psutil.wait_procs(family, timeout=60)[1] == []


def test_the_environment_has_all_that_the_definitions_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "CRITICAL")
    environment = served_environment(Path("/code"), "http://127.0.0.1:1/api")
    named = set(re.findall(r"{{ \$(\w+) }}", DEFINITIONS.read_text(encoding="utf-8")))
    assert named == {"BIDFOLIO_DOCUMENTS", "BIDFOLIO_GOLD", "BIDFOLIO_TIMEZONE", "PWD"}
    assert named <= environment.keys()
    assert environment["PREFECT_LOGGING_LEVEL"] == "INFO"
    assert environment["PYTHONPATH"].split(os.pathsep)[0] == "/code"


def test_a_port_in_use_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UsageError, match="cannot listen on"):
            require_free("127.0.0.1", taken.getsockname()[1])
        with pytest.raises(UsageError, match="choose another --ask-port"):
            require_free("127.0.0.1", taken.getsockname()[1], "--ask-port")
    require_free("127.0.0.1", free_port())


def test_a_home_is_served_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    settings = Settings(home=str(tmp_path))
    with only_one(settings), pytest.raises(UsageError, match="another `bidfolio serve` uses"), only_one(settings):
        pass
    with only_one(settings):
        pass


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def eventually(found: Callable[[], T | None], seconds: float = PATIENCE_S) -> T:
    """What ``found`` gives once it is not None."""
    until = time.monotonic() + seconds
    while (value := found()) is None:
        assert time.monotonic() < until, f"nothing after {seconds:.0f} s"
        time.sleep(0.3)
    return value
