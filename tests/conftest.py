"""What every test stands on: no telemetry, one Prefect server for all flows, and a tiny corpus of three files."""

from __future__ import annotations

import os

# Before anything imports them: Prefect, Great Expectations and NumPy read these once.
os.environ |= {
    "DO_NOT_TRACK": "1",
    "GX_ANALYTICS_ENABLED": "false",
    "HF_HUB_OFFLINE": "1",
    "OPENBLAS_THREAD_TIMEOUT": "4",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "RUST_LOG": "error",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
}

import contextlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from s3fs import S3FileSystem

from tasks.progress import Silent, show
from tests.object_store import ObjectStore, set_environment

# A machine that others use, too, says nothing about a single example's time.
settings.register_profile("bidfolio", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bidfolio")

MODELS = "TESTS_MODELS"
EMBEDDING = {"refresh", "evaluate", "answer", "ask", "demo"}
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

BACKUPS = (
    "Backups of the production database are kept for thirty-five days and are stored in a second",
    "region, from which a restore is rehearsed every quarter by the operations team.",
)
"""One sentence that begins at the foot of page 1 of the policy and ends at the head of page 2."""
HOSTING = """Hosting

The service runs in two data centres in Frankfurt and Dublin. Staff reach production only through a bastion host.

Availability

The monthly uptime target is 99.95 percent, measured at the load balancer.
"""
PAST = """Ref,Question,Answer
1,Do you carry out penetration tests?,Yes. An independent firm carries out a penetration test every year.
2,Do you support single sign-on?,Yes. SAML 2.0 and OpenID Connect are supported on all plans.
"""


@dataclass(frozen=True)
class Ran:
    """What a command gave back."""

    exit_code: int
    out: str
    err: str

    @property
    def summary(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        loaded = json.loads(self.out)
        assert isinstance(loaded, dict)
        return loaded


Bidfolio = Callable[..., Ran]


@contextlib.contextmanager
def kept_environment() -> Iterator[None]:
    """What runs inside may change the environment, which is as before after it."""
    before = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@pytest.fixture(scope="session", autouse=True)
def models(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What back ends make of the model's files, made once for all homes that ``link_models`` links it into."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "models"
    folder.mkdir(exist_ok=True)
    os.environ[MODELS] = str(folder)


def link_models(home: Path) -> None:
    """Has the home what back ends made of the model's files, which costs some twenty seconds where it is made."""
    linked = home / "cache" / "models"
    if not linked.exists():
        linked.parent.mkdir(parents=True, exist_ok=True)
        linked.symlink_to(os.environ[MODELS])


def run_bidfolio(home: Path, *arguments: object) -> Ran:
    """`bidfolio --home HOME ARGUMENTS…` in this process, where its libraries are loaded already."""
    # Prefect closes all handlers of logs when it is first imported, and absl's, which comes with OpenVINO, then closes
    # its stream unless that is what stderr is: so before it is another.
    import prefect.main  # noqa: F401

    from flows.cli.main import main

    if EMBEDDING & set(arguments):
        with contextlib.suppress(OSError):  # a home that cannot be is what some tests are about
            link_models(home)
    out, err = io.StringIO(), io.StringIO()
    with kept_environment(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(["--home", str(home), *map(str, arguments)])
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            show(Silent())
    return Ran(code, out.getvalue(), err.getvalue())


def write_corpus(folder: Path) -> None:
    """A policy of two pages, a text, and a past questionnaire."""
    from reportlab.pdfgen import canvas

    folder.mkdir(parents=True, exist_ok=True)
    pdf = canvas.Canvas(str(folder / "policy.pdf"), pagesize=(595, 842), invariant=True)
    pdf.setTitle("Northgate security policy")
    pdf.setFont("Helvetica-Bold", 18)
    pdf.drawString(60, 780, "Encryption of data")
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 740, "All customer data at rest is encrypted with AES-256 in every region that we operate.")
    pdf.drawString(60, 100, BACKUPS[0])
    pdf.showPage()
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 780, BACKUPS[1])
    pdf.setFont("Helvetica-Bold", 18)
    pdf.drawString(60, 700, "Incident response")
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 660, "Customers are told about a confirmed breach of personal data within 48 hours.")
    pdf.showPage()
    pdf.save()
    (folder / "hosting.txt").write_text(HOSTING, encoding="utf-8")
    (folder / "past.csv").write_text(PAST, encoding="utf-8")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder of its own with the tiny corpus."""
    folder = tmp_path / "documents"
    write_corpus(folder)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, which the environment names."""
    path = tmp_path / "home"
    monkeypatch.setenv("BIDFOLIO_HOME", str(path))
    return path


@pytest.fixture
def bidfolio(home: Path) -> Bidfolio:
    """`bidfolio ARGUMENTS…` in this process, on the test's own home; one that runs a flow needs ``prefect_server``."""

    def run(*arguments: object) -> Ran:
        return run_bidfolio(home, *arguments)

    return run


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One ephemeral Prefect server for the whole session; never start another inside it.

    It takes the events of task runs as they come in, and not each in a transaction of its own, which costs it half of
    its time: there is always a flow waiting for it.
    """
    from prefect.settings import (
        PREFECT_HOME,
        PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE,
        temporary_settings,
    )
    from prefect.testing.utilities import prefect_test_harness

    own = {
        PREFECT_HOME: tmp_path_factory.mktemp("prefect"),
        PREFECT_SERVER_SERVICES_EVENT_PERSISTER_READ_BATCH_SIZE: 50,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE: 50,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL: 1.0,
        PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_READ_BATCH_SIZE: 50,
    }
    with temporary_settings(own), prefect_test_harness(server_startup_timeout=180):
        yield


@dataclass(frozen=True)
class Published:
    """A home in which the tiny corpus is published for the plan bidfolio, and what the refresh said."""

    home: Path
    documents: Path
    refreshed: Ran


@pytest.fixture(scope="session")
def published_first(prefect_server: None, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """What the two below are copied from, which no command is given."""
    folder = tmp_path_factory.mktemp("published")
    write_corpus(folder / "documents")
    refreshed = run_bidfolio(folder / "home", "--json", "refresh", folder / "documents")
    assert refreshed.exit_code == 0, refreshed.err
    return Published(folder / "home", folder / "documents", refreshed)


def _copied(published: Published, folder: Path) -> Published:
    for part in ("home", "documents"):
        shutil.copytree(published.home.parent / part, folder / part, symlinks=True)
    return Published(folder / "home", folder / "documents", published.refreshed)


@pytest.fixture(scope="session")
def published_once(published_first: Published, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """For commands that change no document and no version: each adds a row to ``runs`` that the next finds there."""
    return _copied(published_first, tmp_path_factory.mktemp("once"))


@pytest.fixture
def published(published_first: Published, home: Path, tmp_path: Path) -> Published:
    """The test's own home and documents, as they are after a refresh."""
    return _copied(published_first, tmp_path)


@pytest.fixture(scope="session")
def object_store_once() -> Iterator[ObjectStore]:
    """One S3 server for the whole session."""
    store = ObjectStore()
    yield store
    store.stop()


@pytest.fixture
def object_store(object_store_once: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """The server, and the environment by which s3:// means it."""
    set_environment(monkeypatch, object_store_once.url)
    object_store_once.requests.clear()
    yield object_store_once
    S3FileSystem.clear_instance_cache()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real documents, which stand beside the repository on the project's own machines."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"the real documents are not here ({SHARED / 'data'})")
    return SHARED / "data"
