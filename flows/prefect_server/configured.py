"""A sign of a configured Prefect server, found without importing Prefect, whose settings alone take a second."""

from __future__ import annotations

import os
from pathlib import Path

_VARIABLES = frozenset(
    "PREFECT_API_URL PREFECT_PROFILE PREFECT_PROFILES_PATH PREFECT_SERVER_EPHEMERAL_ENABLED "
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE".split()
)
_FILES = {".env": b"prefect_", "prefect.toml": b"", "pyproject.toml": b"[tool.prefect"}
"""The files of the working directory that Prefect reads, with the beginning of what it takes from each."""


def may_be_configured() -> bool:
    """Tell if another server than the temporary one, or none, may be configured: False where nothing could say so.

    A file that cannot be read counts as one that does.
    """
    if _VARIABLES & {name.upper() for name in os.environ}:
        return True
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    return (home / "profiles.toml").exists() or any(_names(Path(name), sign) for name, sign in _FILES.items())


def _names(file: Path, sign: bytes) -> bool:
    try:
        return sign in file.read_bytes().lower()
    except FileNotFoundError:
        return False
    except OSError:
        return True
