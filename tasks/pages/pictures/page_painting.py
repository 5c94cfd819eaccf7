"""Page rendering in a subprocess: each picture gets a process of its own, with limits on time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tasks.errors import Terminal
from tasks.records import Box

ROOT = Path(__file__).resolve().parents[3]
TIME_LIMIT_S = 30.0
TIME_PER_PAGE_S = 2.0
MEMORY_LIMIT_MB = 2048


class Painted(NamedTuple):
    """A small PNG of a page: its size in pixels, and the page's in points."""

    png: bytes
    width_px: int
    height_px: int
    width_pt: float
    height_pt: float


def paint_all(data: bytes, pages: Sequence[int], width_px: int) -> list[Painted | None]:
    """Render the ``pages`` of the PDF ``data``, counted from 0, as small PNGs of that width, without marks.

    A page that cannot be rendered (it takes too long, or the process fails or crashes) is None; no pages give none.
    """
    found: list[Painted | None] = []
    while len(found) < len(pages):
        left = pages[len(found) :]
        done = _paint_some(data, left, width_px)
        found += done
        if len(done) < len(left):
            found.append(None)
    return found


def _paint_some(data: bytes, pages: Sequence[int], width_px: int) -> list[Painted]:
    """The pictures of the first ``pages``, up to the first that cannot be rendered."""
    command = [sys.executable, "-m", "tasks.pages.pictures.page_painter", str(MEMORY_LIMIT_MB)]
    asked = json.dumps({"pages": list(pages), "width_px": width_px}).encode() + b"\n"
    try:
        limit = TIME_LIMIT_S + TIME_PER_PAGE_S * len(pages)
        done = subprocess.run(command, input=asked + data, capture_output=True, cwd=ROOT, timeout=limit, check=False)
        out = done.stdout
    except subprocess.TimeoutExpired as error:
        out = error.stdout or b""
    found: list[Painted] = []
    while out:
        head, line_end, out = out.partition(b"\n")
        told = json.loads(head) if line_end else None
        if told is None or len(out) < told["size"]:
            break
        size = told.pop("size")
        found.append(Painted(out[:size], **told))
        out = out[size:]
    return found


def paint(data: bytes, page_index: int, boxes: Sequence[Box]) -> bytes:
    """Render a page of the PDF ``data``, counted from 0, as a PNG with ``boxes`` marked.

    Raises Terminal if it cannot be rendered: it takes too long, or the process fails or crashes.
    """
    command = [sys.executable, "-m", "tasks.pages.pictures.page_painter", str(MEMORY_LIMIT_MB)]
    asked = json.dumps({"page_index": page_index, "boxes": boxes}).encode() + b"\n"
    try:
        done = subprocess.run(
            command, input=asked + data, capture_output=True, cwd=ROOT, timeout=TIME_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Terminal(f"the page takes more than {TIME_LIMIT_S:.0f} s to paint: open the document itself") from error
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().rsplit("\n", 1)[-1][:200]
        raise Terminal(f"the page cannot be painted ({said or f'code {done.returncode}'}): open the document itself")
    return done.stdout
