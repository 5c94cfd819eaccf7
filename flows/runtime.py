"""What must be set before Prefect is imported: its home below ours, no telemetry, and logs that do not drown ours."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from configs.settings import Settings
from tasks.errors import UsageError


def prepare(settings: Settings) -> None:
    """Sets the environment of this process and its children; what a user has set stays, telemetry apart."""
    os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    os.environ["DO_NOT_TRACK"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ.setdefault("BIDFOLIO_HOME", settings.home)
    if "://" not in settings.home:
        _make_home(settings.home)
        os.environ.setdefault("PREFECT_HOME", f"{settings.home}/prefect")
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_LOGGING_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")
    os.environ.setdefault("RUST_LOG", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TQDM_DISABLE", "1")
    warnings.filterwarnings("ignore", module=r"(prefect|great_expectations|unstructured|distributed|lancedb)\b.*")


def _make_home(home: str) -> None:
    try:
        Path(home, "prefect").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot write the home {home} ({error.strerror}): choose another --home, or give this user the right to"
        ) from error
