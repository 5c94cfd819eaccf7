"""Deletion from a home's Prefect database: runs that ended long ago, for `bidfolio gc`, and those that are purged.

A server of `bidfolio serve` deletes old runs itself, every hour, as ``flows.prefect_server.environment`` configures it;
the temporary server of other commands does not live long enough.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager, suppress
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from tasks.errors import ServiceAway
from tasks.progress import tell

LOCKED_S = 10.0
MAKING_S = 300.0
"""The time that a command waits for another's server, which takes a minute or two on a busy machine."""
_MADE = "prefect.made"
"""The file beside the database that names it and the Prefect that made it, and is locked while a server makes it."""


@contextmanager
def made_once() -> Iterator[None]:
    """Run a block that starts a Prefect server until it answers: alone, where the server makes or changes the database.

    Servers that do so at the same time wait for each other's locks for minutes, and some fail.
    """
    database = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser() / "prefect.db"
    with _made_file(database) as told:
        if told.read() == _stamp(database):
            yield
            return
        _lock(told)
        told.seek(0)
        is_made = told.read() == _stamp(database)
        if is_made:
            fcntl.flock(told, fcntl.LOCK_UN)
        else:
            told.truncate(0)
        yield
        if not is_made:
            told.write(_stamp(database))


def _lock(made: TextIO) -> None:
    """Wait for another command's server. Raises ServiceAway where that takes longer than any should."""
    end = time.monotonic() + MAKING_S
    is_told = False
    while True:
        try:
            return fcntl.flock(made, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise ServiceAway(
                    "another command has been making Prefect's database for minutes: end it, and run this again"
                ) from None
            if not is_told:
                tell("another command makes Prefect's database: waiting for it")
            is_told = True
            time.sleep(0.1)


@contextmanager
def _made_file(database: Path) -> Iterator[TextIO]:
    database.parent.mkdir(parents=True, exist_ok=True)
    with database.with_name(_MADE).open("a+", encoding="utf-8") as told:
        told.seek(0)
        yield told


def _stamp(database: Path) -> str:
    """The installed Prefect and the database file, which may not be there: in a postgres server, say."""
    return f"{version('prefect')} {database.stat().st_ino if database.exists() else 0}"


def _is_being_made(database: Path) -> bool:
    try:
        with database.with_name(_MADE).open("rb") as told:
            fcntl.flock(told, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no server of ours has made it
        return False
    return False


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


def forget_runs(home: str, flow_run_ids: Collection[str], *, naming: str | None = None, dry_run: bool) -> int:
    """Delete flow runs, and those that name a document ``naming``, from the database below ``home``, with their tasks,
    states, logs, artifacts and events. Returns their number, 0 where there is no database.

    Nothing of them stays in the file: what is deleted is overwritten, and the journal is cut.
    """
    database = Path(home, "prefect", "prefect.db").absolute()
    if not database.is_file():
        return 0
    with closing(sqlite3.connect(database, timeout=LOCKED_S, isolation_level=None)) as opened:
        opened.execute("PRAGMA secure_delete = ON")
        going = {known for one in flow_run_ids for (known,) in opened.execute(_KNOWN, (one,))}
        if naming is not None:
            said = {naming, json.dumps(naming)[1:-1], json.dumps(json.dumps(naming)[1:-1])[1:-1]}
            found = (opened.execute(query, (word,)) for word in said for query in _NAMING)
            going |= {known for rows in found for (known,) in rows if known}
        if going and not dry_run:
            opened.execute("BEGIN IMMEDIATE")
            for one in sorted(going):
                for statement in _OF_RUN:
                    opened.execute(statement, {"run": one})
            opened.execute("COMMIT")
            with suppress(sqlite3.OperationalError):  # another command has it open: only remains of earlier writes stay
                opened.execute("VACUUM")
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return len(going)


_TASKS = "SELECT id FROM task_run WHERE flow_run_id = :run"
_RESOURCES = f"""SELECT 'prefect.flow-run.' || :run UNION SELECT 'prefect.task-run.' || id FROM ({_TASKS})"""
_EVENTS = f"""SELECT event_id FROM event_resources WHERE resource_id IN ({_RESOURCES})"""
_OF_ARTIFACT = "task_run_id, flow_run_id, type, data, description, metadata_"
_KNOWN = "SELECT id FROM flow_run WHERE id = ?"
_NAMING = (
    "SELECT id FROM flow_run WHERE instr(parameters, ?)",
    "SELECT flow_run_id FROM artifact WHERE instr(data, ?)",
    "SELECT flow_run_id FROM log WHERE instr(message, ?)",
)
_OF_RUN = (
    f"DELETE FROM events WHERE id IN ({_EVENTS})",
    f"DELETE FROM event_resources WHERE event_id IN ({_EVENTS})",
    "DELETE FROM artifact WHERE flow_run_id = :run",
    f"UPDATE artifact_collection SET (latest_id, {_OF_ARTIFACT}) = (SELECT id, {_OF_ARTIFACT} FROM artifact WHERE "
    "key = artifact_collection.key ORDER BY created DESC LIMIT 1) WHERE flow_run_id = :run AND EXISTS (SELECT 1 FROM "
    "artifact WHERE key = artifact_collection.key)",
    "DELETE FROM artifact_collection WHERE flow_run_id = :run",
    f"DELETE FROM log WHERE flow_run_id = :run OR task_run_id IN ({_TASKS})",
    f"DELETE FROM task_run_state WHERE task_run_id IN ({_TASKS})",
    "DELETE FROM task_run WHERE flow_run_id = :run",
    "DELETE FROM flow_run_input WHERE flow_run_id = :run",
    "DELETE FROM flow_run_state WHERE flow_run_id = :run",
    "DELETE FROM flow_run WHERE id = :run",
)


def damage_of_database(home: str, *, wholly: bool) -> str:
    """The reason why Prefect's database below ``home`` cannot be used, "" where it can, or where there is none.

    ``wholly`` reads all of it, and misses one that is gone from between the home's other files of Prefect's; else a
    truncated one, and one that is none, are noticed. One that a server is making just now is not damaged.
    """
    database = _database(home)
    why = _damage(database, wholly=wholly, is_own=database.parent == Path(home, "prefect").absolute())
    return "" if why and _is_being_made(database) else why


def _damage(database: Path, *, wholly: bool, is_own: bool = False) -> str:
    if not database.is_file():
        left = [path for path in database.parent.glob("*") if path.name != _MADE or _names_file(path)]
        return "it is gone" if wholly and is_own and left else ""
    if not database.stat().st_size:
        return "it is empty"
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}{_way(database)}", uri=True, timeout=LOCKED_S)) as opened:
            opened.execute("SELECT count(*) FROM sqlite_master").fetchall()
            told = opened.execute("PRAGMA quick_check(1)").fetchone()[0] if wholly else "ok"
    except sqlite3.OperationalError:  # another process is at work in it
        return ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if told == "ok" else str(told)


def _names_file(made: Path) -> bool:
    """Tell if the stamp in ``made`` is of a database that is a file."""
    return made.read_text(encoding="utf-8").split()[-1:] not in ([], ["0"])


def set_aside_damaged(home: str) -> str:
    """Move a damaged database of Prefect's out of the way, so that a new one is begun; returns its new path, or ""."""
    database = _database(home)
    if not damage_of_database(home, wholly=False):
        return ""
    with _made_file(database) as told:
        fcntl.flock(told, fcntl.LOCK_EX)
        if not _damage(database, wholly=False):  # another command has begun a new one
            return ""
        told.truncate(0)
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
