"""A migrated database of Prefect's own server, made once for all workers: migrating costs each new server seconds."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.made.commands import MODELS

MIGRATE = (
    "import asyncio; from prefect.server.database import provide_database_interface as provided; "
    "asyncio.run(provided().create_db())"
)


def put_database(place: Path) -> None:
    """Put a database at ``place`` in which no flow has run yet; its folder is made.

    Without workers nothing is put there: the server makes its own, which takes less time than making it here first.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(_migrated(Path(os.environ[MODELS]).with_name("prefect.db")), place)


def _migrated(database: Path) -> Path:
    """Make the database where it is missing; the workers of a run wait for the one that makes it."""
    with database.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not database.exists():
            making = database.with_suffix(".making")
            own = {
                "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{making}",
                "PREFECT_HOME": str(database.with_suffix(".home")),
            }
            subprocess.run([sys.executable, "-c", MIGRATE], env=os.environ | own, check=True)
            making.rename(database)
    return database
