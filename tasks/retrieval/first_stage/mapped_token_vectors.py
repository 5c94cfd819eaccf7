"""Token vectors of a large version, read from a memory-mapped file once they are asked for often.

To take a hundred of them from LanceDB is mostly the work of finding a hundred rows, whatever they hold. A single
question does not wait until all are read; for hundreds of questions they are not looked up row by row.
"""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Positions = NDArray[np.int64]
ROWS_A_READ = 4096
SHARE = 0.5
"""The share of all vectors that is read row by row before the file is written.

To take this share a hundred at a time takes about as long as to read all of them at once.
"""


class Taken(Protocol):
    """The version that the token vectors are taken from."""

    def __len__(self) -> int:
        """The number of chunks."""
        ...

    def tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at those positions, in their order."""
        ...


class MappedTokens:
    """Function object that gives the token vectors of chunks, as ``tasks.retrieval.ranking.reranking.Tokens``.

    Its file is in ``folder``, or, where that is None, with the system's temporary files. The file has no name, so it is
    gone when the process ends, however that ends. Where the disk has no room for it, vectors are always read row by
    row.
    """

    def __init__(self, version: Taken, folder: Path | None) -> None:
        self._version, self._folder = version, folder
        self._left: float = SHARE * len(version)
        self._lock = Lock()
        self._bytes: NDArray[np.uint8] | None = None
        self._ends = np.zeros(1, np.int64)

    def __call__(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at those positions; no positions give none."""
        with self._lock:
            if self._left <= 0:
                self._map()
            self._left -= len(positions)
        if self._bytes is None:
            return self._version.tokens(positions)
        begins, ends = self._ends[positions], self._ends[positions + 1]
        raw = [self._bytes[begin:end] for begin, end in zip(begins, ends, strict=True)]
        offsets = np.cumsum(np.concatenate([[0], ends - begins]))
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.concatenate(raw) if raw else b"")]
        return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(positions), buffers)

    def map_now(self) -> None:
        """Write the file now, before many questions are asked: some seconds for 100,000 chunks."""
        with self._lock:
            self._map()

    def _map(self) -> None:
        """Write the file and map it; ``_bytes`` is set last, since other threads look at it without the lock."""
        if self._bytes is not None or self._left == math.inf:
            return
        ends, count = [0], len(self._version)
        try:
            with TemporaryFile(dir=self._folder, prefix="tokens-") as file:
                for begin in range(0, count, ROWS_A_READ):
                    for one in self._version.tokens(np.arange(begin, min(begin + ROWS_A_READ, count))):
                        ends.append(ends[-1] + file.write(one.as_buffer()))
                file.flush()
                self._ends = np.array(ends, np.int64)
                # A plain array view is sliced faster than the memmap itself.
                self._bytes = np.asarray(np.memmap(file, np.uint8, mode="r") if ends[-1] else np.zeros(0, np.uint8))
        except OSError:
            self._left = math.inf
