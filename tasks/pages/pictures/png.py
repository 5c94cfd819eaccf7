"""PNG encoder that uses the standard library only."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DIFFERENCE_TO_THE_ROW_ABOVE = 2


def png_of(pixels: NDArray[np.uint8]) -> bytes:
    """Encode ``pixels``, ``(rows, columns, 3)`` in RGB, as PNG.

    Raises ValueError for another shape or an empty array.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"pixels must have the shape (rows, columns, 3), and have {pixels.shape}")
    rows, columns, _ = pixels.shape
    flat = pixels.reshape(rows, columns * 3)
    lines = np.empty((rows, 1 + columns * 3), dtype=np.uint8)
    lines[:, 0] = _DIFFERENCE_TO_THE_ROW_ABOVE
    lines[0, 1:] = flat[0]
    lines[1:, 1:] = flat[1:] - flat[:-1]  # modulo 256, as the format has it
    head = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return _SIGNATURE + _part(b"IHDR", head) + _part(b"IDAT", zlib.compress(lines.tobytes(), 6)) + _part(b"IEND", b"")


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
