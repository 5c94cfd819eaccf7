"""Bytes that wait for their turn: in memory while they are few, else in a temporary file that has no name."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

from tasks.errors import Terminal

MOST_IN_MEMORY_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 18
_GATHERED_BYTES = 1 << 16
"""What is put is written once there is so much of it: a page is a few thousand bytes, and to write takes as long."""


class Spool:
    """Bytes that are put one after another, and read as a whole or by what was put. Its file goes when it does.

    Raises Terminal where the temporary folder cannot take them.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MOST_IN_MEMORY_BYTES)  # noqa: SIM115  # it is open as long as this is
        self._gathered: list[bytes] = []
        self._written_bytes = 0
        self.size_bytes = 0
        weakref.finalize(self, self._file.close)

    def put(self, raw: bytes) -> Waiting:
        """Puts ``raw`` behind all that is there."""
        waiting = Waiting(self, self.size_bytes, len(raw))
        self._gathered.append(raw)
        self.size_bytes += len(raw)
        if self.size_bytes - self._written_bytes >= _GATHERED_BYTES:
            self.flush()
        return waiting

    def flush(self) -> None:
        """Writes what is gathered: where nothing more is put, there is room for all when this returns."""
        raw = b"".join(self._gathered)
        self._gathered.clear()
        try:
            self._file.seek(self._written_bytes)
            self._file.write(raw)
        except OSError as error:
            raise Terminal(
                f"the temporary folder cannot take what a long file needs ({error}): "
                "make room there, or name another in TMPDIR"
            ) from error
        self._written_bytes += len(raw)

    def read(self, begin: int, size: int) -> bytes:
        """The ``size`` bytes from ``begin`` on, or as many as there are."""
        if self._gathered:
            self.flush()
        self._file.seek(begin)
        return self._file.read(size)

    def blocks(self) -> Iterator[bytes]:
        """All that was put, in pieces; nothing gives none."""
        for begin in range(0, self.size_bytes, _BLOCK_BYTES):
            yield self.read(begin, _BLOCK_BYTES)


class Waiting(NamedTuple):
    """What was put into a spool, which stays as long as this does."""

    spool: Spool
    begin: int
    size: int

    def read(self) -> bytes:
        """The bytes as they were put."""
        return self.spool.read(self.begin, self.size)
