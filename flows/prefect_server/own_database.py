"""Cleaning of a home's Prefect database, for `bidfolio gc`: records of runs that ended long ago are deleted.

A server of `bidfolio serve` does that itself, every hour, as ``flows.prefect_server.environment`` configures it; the
temporary server of other commands does not live long enough.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

LOCKED_S = 10.0
BEING_MADE_S = 60.0
"""The age up to which an empty database may be one that another command is making."""


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
            with (
                closing(sqlite3.connect(f"{whole.as_uri()}{_way(whole)}", uri=True)) as source,
                closing(sqlite3.connect(database)) as copy,
            ):
                source.backup(copy)
        before = _size_bytes(database)
        apart.submit(_forget, database).result()
        # Where another command has it open, the space is not freed, but used for the next runs.
        with closing(sqlite3.connect(database, timeout=LOCKED_S)) as opened, suppress(sqlite3.OperationalError):
            opened.execute("VACUUM")
        return max(0, before - _size_bytes(database))


def damage_of_database(home: str, *, wholly: bool) -> str:
    """The reason why Prefect's database below ``home`` cannot be used, "" where it can, or where there is none.

    ``wholly`` reads all of it; else a truncated one, and one that is none, are noticed.
    """
    database = _database(home)
    if not database.is_file():
        return ""
    if not database.stat().st_size:
        return "it is empty" if time.time() - database.stat().st_mtime > BEING_MADE_S else ""
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}{_way(database)}", uri=True, timeout=LOCKED_S)) as opened:
            opened.execute("SELECT count(*) FROM sqlite_master").fetchall()
            told = opened.execute("PRAGMA quick_check(1)").fetchone()[0] if wholly else "ok"
    except sqlite3.OperationalError:  # another process is at work in it
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if told == "ok" else str(told)


def set_aside_damaged(home: str) -> str:
    """Move a damaged database of Prefect's out of the way, so that a new one is begun; returns its new path, or ""."""
    database = _database(home)
    if not damage_of_database(home, wholly=False):
        return ""
    aside = database.with_name(f"{database.name}.damaged-{int(time.time())}")
    for end in ("-wal", "-shm"):
        database.with_name(f"{database.name}{end}").unlink(missing_ok=True)
    database.rename(aside)
    return str(aside)


def _database(home: str) -> Path:
    return Path(os.environ.get("PREFECT_HOME") or Path(home, "prefect"), "prefect.db").absolute()


def _way(database: Path) -> str:
    """The end of the database's URI: where its folder cannot be written, SQLite opens it only as one in no use."""
    return "?mode=rw" if os.access(database.parent, os.W_OK) else "?immutable=1"


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
