"""Write locks for the indexes of a home on a local disk: one writer for each corpus, or one for the whole home.

The locks are the system's, on open files: they go with the process, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import UNWRITABLE, IndexLocked, ReadOnly
from tasks.index.names import require_corpus_name

_HOME_LOCK = ".lock"
"""The lock file of the home: shared by all writers, exclusive for the one that must be alone.

No corpus can have its name.
"""


@contextmanager
def writing_lock(home: str, corpus: str) -> Iterator[None]:
    """Hold the right to write a corpus' indexes; the lock ends with the process, even by ``kill -9``.

    In an object store, :mod:`tasks.storage.leases` do this. Raises IndexLocked where another run holds it or the whole
    home, ReadOnly where the home cannot be written, and UsageError where ``corpus`` cannot be a name.
    """
    require_corpus_name(corpus)
    if "://" in home:
        yield
        return
    folder = f"{home.rstrip('/')}/index"
    tidied = IndexLocked("`bidfolio gc` is at work in this home: wait for it to end, then run this again")
    with (
        _held(folder, _HOME_LOCK, fcntl.LOCK_SH, tidied),
        _held(folder, f"{corpus}.lock", fcntl.LOCK_EX, another_writes(corpus)),
    ):
        yield


@contextmanager
def lone_lock(folder: str) -> Iterator[None]:
    """Hold the right to write all indexes in ``folder``. Raises as :func:`writing_lock`."""
    busy = IndexLocked("a run is writing an index of this home: wait for it to end, then run this again")
    with _held(folder, _HOME_LOCK, fcntl.LOCK_EX, busy):
        yield


def another_writes(corpus: str) -> IndexLocked:
    """The error to raise where another process writes that corpus."""
    return IndexLocked(f"another refresh is writing the corpus {corpus!r}: wait for it to end, then run this one again")


@contextmanager
def _held(folder: str, name: str, kind: int, taken: IndexLocked) -> Iterator[None]:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        lock = os.open(f"{folder}/{name}", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise ReadOnly(folder) from error
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        raise taken from error
    try:
        yield
    finally:
        os.close(lock)
