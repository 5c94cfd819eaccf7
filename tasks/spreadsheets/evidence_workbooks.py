"""Recognition of bidfolio's own evidence workbooks: they are neither documents nor questionnaires."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

EVIDENCE_TITLE: Final = "bidfolio evidence: "
"""The beginning of the title in the file's properties, which other programs keep when they save it."""
MAX_PROPERTIES_BYTES: Final = 65_536


def is_evidence(data: bytes) -> bool:
    """Tell if a file is an evidence workbook; a damaged file is none."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package, package.open("docProps/core.xml") as properties:
            return f">{EVIDENCE_TITLE}".encode() in properties.read(MAX_PROPERTIES_BYTES)
    except (zipfile.BadZipFile, KeyError, OSError, EOFError, ValueError, zlib.error, RuntimeError, NotImplementedError):
        return False


def refusal(file_name: str) -> str:
    """The message for an evidence workbook that is given as something else."""
    return (
        f"{file_name} is an evidence workbook of bidfolio's own: give the customer's file, or take the decisions in it "
        f"back with bidfolio review RUN --import {file_name}"
    )
