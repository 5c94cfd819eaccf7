"""Renderer of PDF pages, run as a process of its own: a file that crashes pdfium costs only its pictures.

It reads a line of JSON from stdin, followed by the file, and writes the PNG to stdout, or several small ones one after
the other; :mod:`tasks.pages.pictures.page_painting` starts it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray

from tasks.pages.pictures.png import png_of, small_png_of

WIDTH_PX = 1000
MAX_PIXELS = 4_000_000
"""Limit on the size of a picture: a page of a drawing may be metres long."""
MARK = (255, 228, 76)
"""RGB colour of the marker, applied as a minimum, so that the print under it stays black."""
PADDING_PT = 1.5


def main(memory_limit_mb: int) -> None:
    """Render the page that stdin asks for. Exits with 3 if the file cannot be opened or has no such page."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = memory_limit_mb << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = json.loads(sys.stdin.buffer.readline())
    try:
        if "pages" in asked:
            paint_small(sys.stdin.buffer.read(), asked["pages"], asked["width_px"], sys.stdout.buffer)
            return
        picture = paint_page(sys.stdin.buffer.read(), asked["page_index"], asked["boxes"])
    except pdfium.PdfiumError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
    sys.stdout.buffer.write(picture)


def paint_page(data: bytes, page_index: int, boxes: Sequence[Sequence[float]]) -> bytes:
    """Render a page of the PDF ``data``, counted from 0, as a PNG with the ``boxes`` marked.

    A box is left, top, right and bottom in points from the page's upper left corner. Raises PdfiumError if there is no
    such page.
    """
    document = pdfium.PdfDocument(data)
    try:
        if page_index >= len(document):
            raise pdfium.PdfiumError(f"the file has {len(document)} pages")
        document.init_forms()  # without it the values filled into a form are not rendered
        page = document[page_index]
        width, height = page.get_size()
        scale = min(WIDTH_PX / max(width, 1.0), (MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
        pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3].copy()
    finally:
        document.close()
    for box in boxes:
        mark(pixels, [edge * scale for edge in box], PADDING_PT * scale)
    return png_of(pixels)


def paint_small(data: bytes, pages: Sequence[int], width_px: int, out: BinaryIO) -> None:
    """Write a small PNG of each of the ``pages`` to ``out``, in order, each behind a line of JSON.

    That line has the picture's ``size`` in bytes, its ``width_px`` and ``height_px``, and the page's ``width_pt`` and
    ``height_pt``. Raises PdfiumError at the first page that does not exist.
    """
    document = pdfium.PdfDocument(data)
    try:
        document.init_forms()
        for index in pages:
            if index >= len(document):
                raise pdfium.PdfiumError(f"the file has {len(document)} pages")
            page = document[index]
            width, height = page.get_size()
            scale = min(width_px / max(width, 1.0), (MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
            pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3]
            png = small_png_of(pixels)
            rows, columns, _ = pixels.shape
            told = {"size": len(png), "width_px": columns, "height_px": rows, "width_pt": width, "height_pt": height}
            out.write(json.dumps(told).encode() + b"\n" + png)
            out.flush()
            page.close()
    finally:
        document.close()


def mark(pixels: NDArray[np.uint8], box: Sequence[float], padding: float) -> None:
    """Mark a box, in pixels, on ``(rows, columns, 3)`` in place; parts outside the page are ignored."""
    left, top = (max(0, round(edge - padding)) for edge in box[:2])
    right, bottom = (max(0, round(edge + padding)) for edge in box[2:])
    part = pixels[top:bottom, left:right]
    part[:] = np.minimum(part, np.array(MARK, dtype=np.uint8))


if __name__ == "__main__":
    main(int(sys.argv[1]))
