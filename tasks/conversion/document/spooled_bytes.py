"""Byte buffer that is kept in memory while it is small, else in a temporary file without a name."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from functools import partial
from tempfile import SpooledTemporaryFile

from tasks.errors import Terminal

MOST_IN_MEMORY_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 18
_GATHERED_BYTES = 1 << 16
"""Bytes gathered before they are written: a page has a few thousand, and each write takes as long."""


class Spool:
    """Buffer of bytes that are put one after another, and read as a whole or piece by piece; its file is deleted with
    it.

    Raises Terminal where the temporary folder has no room for them.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=MOST_IN_MEMORY_BYTES)  # noqa: SIM115  # open as long as the spool is
        self._gathered: list[bytes] = []
        self._written_bytes = 0
        self.size_bytes = 0
        weakref.finalize(self, self._file.close)

    def put(self, raw: bytes) -> Callable[[], bytes]:
        """Append ``raw``; the function that comes back reads it."""
        read = partial(self._read, self.size_bytes, len(raw))
        self._gathered.append(raw)
        self.size_bytes += len(raw)
        if self.size_bytes - self._written_bytes >= _GATHERED_BYTES:
            self.flush()
        return read

    def flush(self) -> None:
        """Write the gathered bytes to the file; after that, all bytes put so far have their room."""
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

    def _read(self, begin: int, size: int) -> bytes:
        if self._gathered:
            self.flush()
        self._file.seek(begin)
        return self._file.read(size)

    def blocks(self) -> Iterator[bytes]:
        """Yield all bytes in blocks; an empty spool gives none."""
        for begin in range(0, self.size_bytes, _BLOCK_BYTES):
            yield self._read(begin, _BLOCK_BYTES)
