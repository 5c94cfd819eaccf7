"""Page rendering in a subprocess: each picture gets a process of its own, with limits on time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tasks.errors import Terminal
from tasks.records import Box

ROOT = Path(__file__).resolve().parents[3]
TIME_LIMIT_S = 30.0
MEMORY_LIMIT_MB = 2048


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
