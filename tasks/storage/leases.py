"""Leases: the right to write in a home in an object store, which has no locks of the system.

A lease is an object ``index/locks/<name>/<number>.held`` that only one writer can create, since a store refuses to
create an object that is there already. It ends by ``<number>.free``, and the next holder takes the next number, so that
the newest number is the holder's, for ever. The holder writes its object again every few seconds. Where it was killed,
the lease ends when the object is older than LEASE_S by the store's own clock, or at once for another process of the
same machine. A holder that was stopped for so long sees a newer number before it publishes.
"""

from __future__ import annotations

import json
import os
import platform
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple, Protocol

import psutil

from tasks.errors import BidfolioError, IndexLocked, UsageError
from tasks.storage.stored_file import Stored

LEASE_S = 60.0
BEAT_S = 10.0
_FOLDER = ("index", "locks")
_HOME = ".home"
"""The lease of the whole home. No corpus can have its name."""
_HELD, _FREE = ".held", ".free"
_TRIES = 3
_mine: dict[tuple[str, str], int] = {}
"""The numbers of the leases that this process holds, by the home and the name."""


class Files(Protocol):
    """The files of a home, as :class:`tasks.storage.lake.Lake` has them."""

    @property
    def is_local(self) -> bool:
        """Tell if the home is a folder of this machine."""

    def url(self, *parts: str) -> str:
        """The URL of a path below the home."""

    def create(self, raw: bytes, *parts: str) -> bool:
        """Write a new file; False where there is one."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Write a file."""

    def get(self, *parts: str) -> bytes | None:
        """The bytes of a file; None where it is missing."""

    def drop(self, *parts: str) -> None:
        """Remove a file."""

    def below(self, *parts: str) -> list[Stored]:
        """Every file below a folder."""


class _Newest(NamedTuple):
    """The newest number of a lease; ``written_at`` is None where it has ended."""

    number: int
    written_at: datetime | None


@contextmanager
def writing_lease(files: Files, corpus: str) -> Iterator[None]:
    """Hold the right to write that corpus' indexes; does nothing for a local home, which has locks.

    Raises IndexLocked where another process has it, or the whole home, and UsageError where the store cannot hold a
    lease, since it takes no conditions.
    """
    if files.is_local:
        yield
        return
    taken = f"another refresh is writing the corpus {corpus!r}"
    with _held(files, corpus, taken):
        _require_free(files, _HOME, "`bidfolio gc` is at work in this home")
        yield


@contextmanager
def lone_lease(files: Files) -> Iterator[None]:
    """Hold the right to write all indexes of the home. Raises as :func:`writing_lease`."""
    if files.is_local:
        yield
        return
    with _held(files, _HOME, "`bidfolio gc` is at work in this home"):
        for name in _newest(files):
            if name != _HOME:
                _require_free(files, name, "a run is writing an index of this home")
        yield


def require_lease(files: Files, corpus: str) -> None:
    """Raise IndexLocked where another process has taken over this process' lease of the corpus meanwhile."""
    mine = _mine.get((files.url(), corpus))
    if mine is not None and _newest(files)[corpus].number != mine:
        raise IndexLocked(
            f"this run stood still for over {LEASE_S:.0f} s, and another has begun to write the corpus {corpus!r}: "
            "wait for it to end, then run this one again"
        )


@contextmanager
def _held(files: Files, name: str, taken: str) -> Iterator[None]:
    raw = json.dumps({"id": uuid.uuid4().hex, **this_process()}).encode()
    number = _acquired(files, name, raw, taken)
    end, key = write_again(files, raw, *_FOLDER, name, f"{number:012}{_HELD}"), (files.url(), name)
    _mine[key] = number
    try:
        yield
    finally:
        _mine.pop(key, None)
        end()
        with suppress(BidfolioError, OSError):  # where the store is away, the lease ends by itself
            files.create(uuid.uuid4().bytes, *_FOLDER, name, f"{number:012}{_FREE}")


def write_again(files: Files, raw: bytes, *parts: str) -> Callable[[], None]:
    """Write an object again every few seconds, until the returned function is called."""
    ended = Event()

    def beat() -> None:
        while not ended.wait(BEAT_S):
            with suppress(BidfolioError, OSError):  # the store may be away for a while
                files.put(raw, *parts)

    beating = Thread(target=beat, daemon=True)
    beating.start()

    def end() -> None:
        ended.set()
        beating.join()

    return end


def _acquired(files: Files, name: str, raw: bytes, taken: str) -> int:
    """Take the next number of the lease. Raises IndexLocked where another holds it."""
    for _ in range(_TRIES):
        before = _require_free(files, name, taken)
        ours = (*_FOLDER, name, f"{before + 1:012}{_HELD}")
        if not files.create(raw, *ours):
            continue
        if files.create(raw + b" ", *ours):
            files.drop(*ours)
            raise UsageError(
                f"the store of {files.url()} overwrites an object that it was asked to create (If-None-Match: *), and "
                "so could not keep two writers apart: take a store that keeps to it, or another --home"
            )
        for file in files.below(*_FOLDER, name):
            if _number(file) < before:
                files.drop(*file.parts)
        return before + 1
    raise IndexLocked(f"{taken}: wait for it to end, then run this again")


def _require_free(files: Files, name: str, taken: str) -> int:
    """The newest number of a lease that nobody holds, 0 for a new one. Raises IndexLocked where it is held."""
    newest = _newest(files).get(name, _Newest(0, None))
    if newest.written_at is None:
        return newest.number
    raw = files.get(*_FOLDER, name, f"{newest.number:012}{_HELD}")
    holder: dict[str, Any] = json.loads(raw) if raw else {}
    if has_ended(holder) or (store_time(files) - newest.written_at).total_seconds() > LEASE_S:
        return newest.number
    raise IndexLocked(
        f"{taken} (process {holder.get('pid')} of {holder.get('host')}): wait for it to end, then run this one again; "
        f"where it was killed, wait {LEASE_S:.0f} s"
    )


def _newest(files: Files) -> dict[str, _Newest]:
    """The newest number of each lease of the home, by name."""
    found: dict[str, _Newest] = {}
    for file in files.below(*_FOLDER):
        if len(file.parts) == len(_FOLDER) + 2:
            name, number = file.parts[-2], _number(file)
            at = None if file.parts[-1].endswith(_FREE) else file.written_at
            known = found.get(name)
            if known is None or number > known.number or (number == known.number and at is None):
                found[name] = _Newest(number, at)
    return found


def _number(file: Stored) -> int:
    return int(file.parts[-1].partition(".")[0])


def store_time(files: Files) -> datetime:
    """The time by the store's own clock, to which no machine's needs to be set."""
    probe = (*_FOLDER, f"{uuid.uuid4().hex}.probe")
    files.put(b"", *probe)
    try:
        return next(file.written_at for file in files.below(*_FOLDER) if file.parts == probe)
    finally:
        files.drop(*probe)


def this_process() -> dict[str, Any]:
    """This process' id and start, its host, and what tells its space of ids from others, where the system says."""
    process, machine = psutil.Process(), ""
    with suppress(OSError):
        machine = f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
    return {"pid": process.pid, "started": process.create_time(), "machine": machine, "host": platform.node()}


def has_ended(holder: Mapping[str, Any]) -> bool:
    """Tell if a process, as :func:`this_process` described itself, was one of this machine and is no more."""
    ours = this_process()
    if not ours["machine"] or holder.get("machine") != ours["machine"]:
        return False
    try:
        process = psutil.Process(holder["pid"])
        return process.status() == psutil.STATUS_ZOMBIE or bool(process.create_time() != holder["started"])
    except psutil.NoSuchProcess:
        return True
