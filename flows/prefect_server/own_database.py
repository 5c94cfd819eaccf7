"""Cleaning of a home's Prefect database, for `bidfolio gc`: records of runs that ended long ago are deleted.

A server of `bidfolio serve` does that itself, every hour, as ``flows.prefect_server.environment`` configures it; the
temporary server of other commands does not live long enough.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

LOCKED_S = 10.0


def forget_old_runs(home: str, *, dry_run: bool) -> int:
    """Delete old runs from the database below ``home``; returns the bytes that are freed, 0 where there is none.

    The age is Prefect's ``PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD``, in seconds; 90 days where it is not
    set.
    """
    database = Path(home, "prefect", "prefect.db").absolute()
    if not database.is_file():
        return 0
    # In a separate process: in this process, Prefect may have another database open, and can have only one.
    with TemporaryDirectory() as scratch, ProcessPoolExecutor(1, get_context("spawn")) as apart:
        if dry_run:
            whole, database = database, Path(scratch, database.name)
            with closing(sqlite3.connect(whole)) as source, closing(sqlite3.connect(database)) as copy:
                source.backup(copy)
        before = _size_bytes(database)
        apart.submit(_forget, database).result()
        # Where another command has it open, the space is not freed, but used for the next runs.
        with closing(sqlite3.connect(database, timeout=LOCKED_S)) as opened, suppress(sqlite3.OperationalError):
            opened.execute("VACUUM")
        return max(0, before - _size_bytes(database))


def _forget(database: Path) -> None:
    os.environ["PREFECT_API_DATABASE_CONNECTION_URL"] = f"sqlite+aiosqlite:///{database}"
    asyncio.run(_forget_runs())


async def _forget_runs() -> None:
    from prefect.server.database import provide_database_interface
    from prefect.server.services import db_vacuum

    db = provide_database_interface()
    await db.create_db()  # an older Prefect may have made it
    await db_vacuum.vacuum_old_flow_runs(db=db)
    await db_vacuum.vacuum_orphaned_logs(db=db)
    await db_vacuum.vacuum_orphaned_artifacts(db=db)
    await db_vacuum.vacuum_stale_artifact_collections(db=db)
    await db_vacuum.vacuum_old_events(db=db)


def _size_bytes(database: Path) -> int:
    with closing(sqlite3.connect(database)) as opened:
        return sum(pages * size for pages, size in opened.execute("SELECT * FROM pragma_page_count, pragma_page_size"))
