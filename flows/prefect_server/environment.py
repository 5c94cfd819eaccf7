"""Environment for Prefect, to be set before its import: its home below ours, no telemetry, and quiet logs."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

from configs.settings import Settings
from flows.prefect_server.first_contact import reach
from tasks.errors import UsageError

QUIET = {"PREFECT_LOGGING_LEVEL": "CRITICAL", "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL"}
SERVED = {"PREFECT_LOGGING_LEVEL": "INFO", "PREFECT_SERVER_LOGGING_LEVEL": "WARNING"}


def prepare(settings: Settings) -> None:
    """Set the environment of this process and its children; variables that a user has set stay, except telemetry.

    Raises UsageError for a home that cannot be made, and the errors of :func:`reach` for one in an object store.
    """
    os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    # NumPy's threads wait actively for some 25 ms after each product, in case of another: a third of the
    # processors' time of a search, which a model server or another process on this machine could use.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # The flows load their settings from here: values of the command line must hold there, too.
    os.environ["BIDFOLIO_HOME"] = settings.home
    os.environ["BIDFOLIO_PROFILE"] = settings.profile
    os.environ["BIDFOLIO_BACKEND"] = settings.backend
    if "://" not in settings.home:
        _make_home(settings.home)
        os.environ.setdefault("PREFECT_HOME", f"{settings.home}/prefect")
    for name, level in QUIET.items():
        os.environ.setdefault(name, level)
    # AWS' own defaults wait for half a minute before they give up.
    os.environ.setdefault("AWS_MAX_ATTEMPTS", "3")
    os.environ.setdefault("AWS_RETRY_MODE", "standard")
    if "://" in settings.home:
        reach(settings.home)
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
    # Its server logs a stack trace for each statement that waits longer; of its default, 10 s, a busy machine has more.
    os.environ.setdefault("PREFECT_SERVER_DATABASE_TIMEOUT", "60")
    # A server keeps its records of runs for ever, unless a limit is set; here it is 90 days.
    os.environ.setdefault("PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED", "events,flow_runs")
    os.environ.setdefault("RUST_LOG", "error")
    os.environ.setdefault("LANCEDB_LOG", "error")
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TQDM_DISABLE", "1")
    warnings.filterwarnings("ignore", module=r"(prefect|great_expectations|unstructured|distributed|lancedb)\b.*")


def served_environment(code: Path, api_url: str) -> dict[str, str]:
    """The environment of a server, a worker and its runs: as set by `prepare`, but with logs, and with this code.

    ``infra/prefect.yaml`` names the variables that it uses.
    """
    here = Path.cwd()
    defaults = {
        "BIDFOLIO_DOCUMENTS": str(here / "documents"),
        "BIDFOLIO_GOLD": str(here / "gold.jsonl"),
        "BIDFOLIO_TIMEZONE": "UTC",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        # The newer UI calls amplitude.com from the browser even where analytics are off.
        "PREFECT_SERVER_UI_V2_ENABLED": "false",
        "PREFECT_WORKER_QUERY_SECONDS": "2",
    }
    if "PREFECT_SERVER_API_AUTH_STRING" in os.environ:
        defaults["PREFECT_API_AUTH_STRING"] = os.environ["PREFECT_SERVER_API_AUTH_STRING"]
    loud = {name: level for name, level in SERVED.items() if os.environ.get(name) in (None, QUIET[name])}
    fixed = {
        "PWD": str(here),
        "PREFECT_API_URL": api_url,
        "PATH": _first(Path(sys.executable).parent, "PATH"),
        "PYTHONPATH": _first(code, "PYTHONPATH"),
    }
    return defaults | os.environ | loud | fixed


def _first(path: Path, name: str) -> str:
    return os.pathsep.join([str(path), *filter(None, [os.environ.get(name)])])


def require_writable(home: str) -> None:
    """Check that a local home can be written. Raises UsageError otherwise: Prefect's server would only wait."""
    if "://" not in home and not os.access(Path(home, "prefect"), os.W_OK):
        raise _unwritable(home, "no right to, or a file system that is read-only")


def _make_home(home: str) -> None:
    try:
        Path(home, "prefect").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if Path(home, "index").is_dir():  # a command that only reads needs no more
            return
        raise _unwritable(home, error.strerror or str(error)) from error


def _unwritable(home: str, why: str) -> UsageError:
    return UsageError(f"cannot write the home {home} ({why}): choose another --home, or give this user the right to")
