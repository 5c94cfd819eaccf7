"""The token vectors of a version that is too large to hold them: looked up in a file, once they are asked for often.

To take a hundred of them from LanceDB is mostly the work of finding a hundred rows, whatever they hold. Who asks one
question does not wait for all of them to be read; who asks hundreds should not find them one by one.
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
"""To take this share of all a hundred at a time takes about as long as to read all of them at once."""


class Taken(Protocol):
    """The version from which they are taken."""

    def __len__(self) -> int:
        """How many chunks it has."""
        ...

    def tokens(self, positions: Positions) -> pa.LargeBinaryArray:
        """The token vectors of the chunks at those positions, in their order."""
        ...


class MappedTokens:
    """Gives the token vectors of the chunks at some positions, in their order, as ``tasks.retrieval.rerank.Tokens``.

    The file is in ``folder``, or, where that is None, with the system's other passing files. It has no name, so it goes
    with this process, however that ends. Where there is no room for it, they are taken one by one for ever.
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
        """Writes the file, for who will ask for many and has the time before: some seconds for 100,000 chunks."""
        with self._lock:
            self._map()

    def _map(self) -> None:
        """Writes the file and maps it; ``_bytes`` is set last, since other threads look at it without the lock."""
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
                # A view of it is cut faster than what it is a view of.
                self._bytes = np.asarray(np.memmap(file, np.uint8, mode="r") if ends[-1] else np.zeros(0, np.uint8))
        except OSError:
            self._left = math.inf
