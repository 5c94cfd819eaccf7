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

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings
from s3fs import S3FileSystem

from tests.made.commands import MODELS, Bidfolio, Ran, run_bidfolio
from tests.made.load_balance import file_of, keep_seconds, seconds_by_file, worker_count
from tests.made.object_store import ObjectStore, set_environment
from tests.made.paths import SHARED
from tests.made.prefect_database import put_database
from tests.made.published import Published, write_corpus

# A machine that others use, too, says nothing about a single example's time.
settings.register_profile("bidfolio", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bidfolio")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews the table by which files are dealt out."""
    parser.addoption("--keep-seconds", action="store_true", help="write how long each file took to tests/data")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """The number of workers for ``-n auto``."""
    return worker_count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first where workers share the tests: no worker is then the last for long."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        seconds = seconds_by_file()
        items.sort(key=lambda item: -seconds.get(file_of(item.nodeid), 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Renew that table where this is asked for."""
    if terminalreporter.config.getoption("keep_seconds"):
        reports = (report for reports in terminalreporter.stats.values() for report in reports)
        keep_seconds(report for report in reports if isinstance(report, pytest.TestReport))


@pytest.fixture(scope="session", autouse=True)
def models(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What back ends make of the model's files, made once for all homes that ``link_models`` links it into."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "models"
    folder.mkdir(exist_ok=True)
    os.environ[MODELS] = str(folder)


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

    def folder_with_database() -> str:
        folder = mkdtemp()
        put_database(Path(folder) / "prefect-test.db")
        return folder

    # The harness makes the folder of its database itself, and removes it at the end.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("prefect.testing.utilities.mkdtemp", folder_with_database)
        server = prefect_test_harness(server_startup_timeout=180)
        with temporary_settings(own), server:
            yield


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
