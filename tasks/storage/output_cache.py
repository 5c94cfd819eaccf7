"""Cache of what models gave for texts, by content: what was computed once is not computed again.

It is one SQLite file of this machine, found by key and bounded in size; what was used least lately leaves first. Keys
are hashes, so that the file has no text. It holds nothing that cannot be computed again: where it is damaged it is made
anew, and where it cannot be used, as on a full or read-only disk, a cache in memory stands for it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Lock
from time import time

from tasks.progress import tell
from tasks.records import content_id
from tasks.storage.stage_cache import Parts
from tasks.storage.urls import machine_cache

FILE = "outputs.sqlite"
MOST_BYTES = 512 * 1024**2
LEFT_SHARE = 0.75
"""The share of the entries that stay where the cache has grown too large."""
_KEYS_A_QUERY = 500
_CHECK_BYTES = 8
_WAIT_S = 10.0
_HOUR_S = 3600
_PRIMARY_CODE = 0xFF
_UNUSABLE = (
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
)
_TABLE = """
CREATE TABLE IF NOT EXISTS outputs (key TEXT PRIMARY KEY, value BLOB NOT NULL, used INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_use ON outputs (used);
DELETE FROM outputs WHERE key = '';  -- none has it: this fails at once where the file is only to be read
"""


class OutputCache:
    """The outputs of models for texts; safe for several threads and processes."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        """Use the file at ``path``, which may grow to about ``most_bytes``."""
        self._path, self._most_bytes = path, most_bytes
        self._lock = Lock()
        self._file, self._is_writable = _opened(path)
        self._set_aside = 0

    def recalled(
        self, space: str, inputs: Sequence[Parts], compute: Callable[[list[Parts]], Sequence[bytes]]
    ) -> list[bytes]:
        """The output for each input, as :class:`tasks.storage.stage_cache.KnownOutputs` says."""
        keys = [content_id(space, *((one,) if isinstance(one, str) else one)) for one in inputs]
        known = {} if self._set_aside else self._known(sorted(set(keys)))
        missing = {key: one for key, one in zip(keys, inputs, strict=True) if key not in known}
        if missing:
            new = dict(zip(missing, compute(list(missing.values())), strict=True))
            if not self._set_aside:
                self._keep(new)
            known |= new
        return [known[key] for key in keys]

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Compute everything anew within the block, in any thread, and keep nothing: what is timed is asked anew."""
        with self._lock:
            self._set_aside += 1
        try:
            yield
        finally:
            with self._lock:
                self._set_aside -= 1

    def _known(self, keys: Sequence[str]) -> dict[str, bytes]:
        hour, found, stale = _hour(), dict[str, bytes](), list[str]()
        with self._transaction() as file:
            for begin in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[begin : begin + _KEYS_A_QUERY]
                marks = ",".join("?" * len(some))
                rows = file.execute(f"SELECT key, value, used FROM outputs WHERE key IN ({marks})", some)
                for key, raw, used in rows:
                    check, value = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
                    if check == _check(key, value):
                        found[key] = value
                        stale += [key] if used < hour else []
            if self._is_writable and stale:
                file.executemany("UPDATE outputs SET used = ? WHERE key = ?", [(hour, key) for key in stale])
        return found

    def _keep(self, new: Mapping[str, bytes]) -> None:
        if not self._is_writable:
            return
        hour = _hour()
        rows = [(key, _check(key, value) + value, hour) for key, value in new.items()]
        with self._transaction() as file:
            file.executemany("INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)", rows)
            if _size(file) > self._most_bytes:
                (count,) = file.execute("SELECT count(*) FROM outputs").fetchone()
                least_used = "SELECT key FROM outputs ORDER BY used LIMIT ?"
                file.execute(f"DELETE FROM outputs WHERE key IN ({least_used})", [count - int(LEFT_SHARE * count)])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """The file, in one transaction. An error of it ends the block alone: a damaged file is made anew, and where it
        cannot be used, a cache in memory takes its place.
        """
        with self._lock:
            try:
                with self._file:
                    yield self._file
            except Exception as error:  # damage makes sqlite3 raise errors of decoding and of types, too
                if _is_unusable(error):
                    self._file, self._is_writable = _in_memory(), True
                    return
                self._file.close()
                _forget_damaged(self._path)
                self._file, self._is_writable = _opened(self._path)


def outputs_file(home: str) -> Path:
    """The path of a home's cache; that of a home in a bucket is on this machine."""
    return machine_cache(home) / FILE


@cache
def output_cache(home: str) -> OutputCache:
    """The cache of a home."""
    return OutputCache(outputs_file(home))


def forget(path: Path) -> None:
    """Delete the cache at ``path``; one that is not there is no error."""
    for name in (path, path.with_name(f"{path.name}-journal")):
        with suppress(OSError):
            name.unlink(missing_ok=True)


def _opened(path: Path) -> tuple[sqlite3.Connection, bool]:
    """The file, and if it can be written; one in memory where there is none, and none can be made."""
    for _ in range(2):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = sqlite3.connect(path, timeout=_WAIT_S, check_same_thread=False)
            file.executescript(_TABLE)
            return file, True
        except Exception as error:  # as in a transaction
            if _is_unusable(error):
                return _read_only(path) or (_in_memory(), True)
            _forget_damaged(path)
            if path.exists():  # where it is only to be read
                break
    return _in_memory(), True


def _is_unusable(error: Exception) -> bool:
    """Tell if the file cannot be used, though it may be whole: it is locked, on a full or read-only disk, or no file
    can be there.
    """
    code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
    return isinstance(error, OSError | MemoryError) or code in _UNUSABLE


def _forget_damaged(path: Path) -> None:
    tell(f"{path} is damaged: it is made anew")
    forget(path)


def _read_only(path: Path) -> tuple[sqlite3.Connection, bool] | None:
    try:
        file = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=_WAIT_S, check_same_thread=False)
        file.execute("SELECT 1 FROM outputs LIMIT 1")
    except sqlite3.Error:
        return None
    return file, False


def _in_memory() -> sqlite3.Connection:
    file = sqlite3.connect(":memory:", check_same_thread=False)
    file.executescript(_TABLE)
    return file


def _size(file: sqlite3.Connection) -> int:
    names = ("page_size", "page_count", "freelist_count")
    page, pages, free = (file.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return int(page * (pages - free))


def _check(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(value, digest_size=_CHECK_BYTES, key=key.encode()).digest()


def _hour() -> int:
    return int(time()) // _HOUR_S
