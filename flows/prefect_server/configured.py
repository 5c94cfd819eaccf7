"""A sign of a configured Prefect server, found without importing Prefect, whose settings alone take a second."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

_VARIABLES = frozenset(
    "PREFECT_API_URL PREFECT_PROFILE PREFECT_PROFILES_PATH PREFECT_SERVER_EPHEMERAL_ENABLED "
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE".split()
)


def may_be_configured() -> bool:
    """Tell if another server than the temporary one, or none, may be configured: False where nothing could say so.

    A file that cannot be read counts as one that does.
    """
    if _VARIABLES & {name.upper() for name in os.environ}:
        return True
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    if (home / "profiles.toml").exists() or Path("prefect.toml").exists():
        return True
    try:
        return (
            b"prefect_" in _read(".env").lower() or "prefect" in tomllib.loads(_read("pyproject.toml").decode())["tool"]
        )
    except KeyError:
        return False
    except (OSError, ValueError, TypeError):
        return True


def _read(name: str) -> bytes:
    """The bytes of a file of the working directory that Prefect reads; b"" where it is not there."""
    try:
        return Path(name).read_bytes()
    except FileNotFoundError:
        return b""
