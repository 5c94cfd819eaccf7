"""Files as the scan of a folder lists them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tasks.records import SourceFile


def source_of(name: str, data: bytes) -> SourceFile:
    """The file as a scan lists it, without a place on the disk."""
    return SourceFile(name, name, len(data), hashlib.sha256(data).hexdigest())


def put(folder: Path, name: str, data: bytes) -> SourceFile:
    """Write a file into the folder, and list it."""
    (folder / name).write_bytes(data)
    return SourceFile(name, f"file://{folder / name}", len(data), hashlib.sha256(data).hexdigest())


def text_file(folder: Path, name: str, text: str = "Backups are kept for a year.\n") -> SourceFile:
    """Write a text into the folder, and list it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return SourceFile(name, f"file://{path}", len(text), hashlib.sha256(path.read_bytes()).hexdigest())
