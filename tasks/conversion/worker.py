"""A process that converts the files that it is told of, one by one, and may die of it.

It reads a line of JSON for each file from stdin and answers with a line on stdout: the document, or the reason why
there is none. :mod:`tasks.conversion.sandbox` starts it, and stops it where a file takes more than its share.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

from tasks.conversion import unstructured_reader
from tasks.conversion.convert import Readers, convert
from tasks.conversion.documents import to_json
from tasks.conversion.libreoffice import find_renderer
from tasks.conversion.ocr import find_ocr
from tasks.conversion.source import read_unchanged
from tasks.errors import BidfolioError, ConversionError
from tasks.records import Document, Quarantined, SourceFile

PR_SET_PDEATHSIG = 1
"""From linux/prctl.h."""


def main(memory_limit_mb: int, ocr_language: str, libreoffice: bool) -> None:
    """Converts until stdin ends."""
    _limit(memory_limit_mb)
    readers = Readers(unstructured_reader, find_ocr(ocr_language), find_renderer() if libreoffice else None)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not stand between two answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        answers.write(_answer(SourceFile(**json.loads(line)), readers) + b"\n")
        answers.flush()


def convert_file(file: SourceFile, readers: Readers) -> Document | Quarantined:
    """The document in ``file``, or why there is none. Raises SourceChanged where it is not what the scan found."""
    data = read_unchanged(file)
    try:
        return convert(file, data, *readers)
    except ConversionError as error:
        return Quarantined(file.document_id, file.file_name, file.content_sha256, str(error))
    except MemoryError:
        reason = f"{file.file_name}: refused: reading it takes more memory than a file may"
        return Quarantined(file.document_id, file.file_name, file.content_sha256, reason)


def _answer(file: SourceFile, readers: Readers) -> bytes:
    try:
        return to_json(convert_file(file, readers))
    except BidfolioError as error:
        return _as_json({"error": type(error).__name__, "message": str(error)})
    except OSError as error:
        return _as_json({"error": "OSError", "message": f"cannot read {file.file_name}: {error.strerror or error}"})


def _as_json(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode()


def _limit(memory_limit_mb: int) -> None:
    """No more memory than that, and no life after the parent's, where the system can see to it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = memory_limit_mb << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
