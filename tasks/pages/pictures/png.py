"""PNG encoder that uses the standard library only."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

GREYS = 8
LEVELS = 5
"""Levels of each of red, green and blue in the palette of :func:`small_png_of`."""
COLOURED = 40
"""Difference between the channels of a pixel from which on it is a colour and no grey."""
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


def small_png_of(pixels: NDArray[np.uint8]) -> bytes:
    """Encode ``pixels`` as :func:`png_of` does, in some 130 colours: a page of print takes a tenth of the space.

    Raises ValueError as :func:`png_of`.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise ValueError(f"pixels must have the shape (rows, columns, 3), and have {pixels.shape}")
    rows, columns, _ = pixels.shape
    highest, lowest = pixels.max(axis=2), pixels.min(axis=2)
    grey = _levels(GREYS)[(highest >> 1) + (lowest >> 1)]
    red, green, blue = (_levels(LEVELS)[pixels[:, :, channel]] for channel in range(3))
    cube = GREYS + LEVELS * LEVELS * red + LEVELS * green + blue
    lines = np.zeros((rows, 1 + columns), dtype=np.uint8)
    lines[:, 1:] = np.where(highest - lowest < COLOURED, grey, cube)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    data = zlib.compress(lines.tobytes(), 7)
    return _SIGNATURE + _part(b"IHDR", head) + _part(b"PLTE", _palette()) + _part(b"IDAT", data) + _part(b"IEND", b"")


def _levels(count: int) -> NDArray[np.uint8]:
    """The nearest of ``count`` levels for each value of a channel."""
    return np.rint(np.arange(256) * (count - 1) / 255).astype(np.uint8)


def _palette() -> bytes:
    greys = [(level,) * 3 for level in np.linspace(0, 255, GREYS).round()]
    steps = np.linspace(0, 255, LEVELS).round()
    cube = [(red, green, blue) for red in steps for green in steps for blue in steps]
    return bytes(int(value) for colour in (*greys, *cube) for value in colour)


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
