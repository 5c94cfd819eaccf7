"""Worker process: converts the files that it is asked for, one by one, and may crash without harm to the others.

It reads a line of JSON for each file from stdin and answers with a line on stdout: the document, or the reason why
there is none. If other processes could help with a long PDF, it answers so; then it may be asked for a part of it, and
answers with the printed pages; to join the parts, it reads one more line for each. Asked to open an archive or a mail,
it puts the documents in it into a folder, and answers with their list. Whenever OCR finishes a page, an empty line
shows that it is alive. :mod:`tasks.conversion.workers.sandbox` starts it, and stops it where a file exceeds the limits.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import IO, Any, cast

from tasks.conversion.document.serialization import to_json
from tasks.conversion.files.convert import Readers, convert_to_json
from tasks.conversion.files.members import open_container
from tasks.conversion.layout import page_serialization
from tasks.conversion.layout.page import Line, PageReader, PdfContent
from tasks.conversion.layout.page_serialization import join_parts
from tasks.conversion.ocr.tesseract import find_ocr
from tasks.conversion.office import unstructured_reader
from tasks.conversion.office.libreoffice import find_renderer
from tasks.conversion.pdf.reader import count_pages, has_scans, read_pdf
from tasks.conversion.workers.conversion_steps import LONG, may_be_scan, pages_of_part
from tasks.errors import BidfolioError, ConversionError
from tasks.records import SourceFile
from tasks.sources.listing import read_unchanged, why_unreadable

PR_SET_PDEATHSIG = 1
"""Option of prctl that sets the signal at the parent's death, from linux/prctl.h."""
OBJECTS_A_COLLECTION = 100_000
"""Garbage collection threshold: a page is thousands of small tuples that are no garbage, and checking them as often as
Python does by default takes a tenth of the time."""


def main(parent: int, memory_limit_mb: int, ocr_language: str, libreoffice: bool) -> None:
    """Answer requests until stdin ends."""
    _limit(memory_limit_mb)
    if os.getppid() != parent:
        # The parent died before prctl was called.
        return
    gc.set_threshold(OBJECTS_A_COLLECTION)
    # spaCy imports torch where it is installed: two of three seconds and half of the memory, and unused here.
    cast(dict[str, ModuleType | None], sys.modules)["torch"] = None
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Output of libraries must not mix with the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    ocr = find_ocr(ocr_language)
    readers = Readers(
        unstructured_reader, _telling(ocr, answers) if ocr else None, find_renderer() if libreoffice else None
    )
    requests = sys.stdin.buffer
    # Several parts of a long PDF are asked for, and then all of it.
    read = lru_cache(maxsize=1)(read_unchanged)
    for line in requests:
        answers.writelines(_answer(json.loads(line), requests, readers, read))
        answers.write(b"\n")
        answers.flush()


def convert_file(
    file: SourceFile, readers: Readers, read: Callable[[SourceFile], bytes] = read_unchanged
) -> Iterable[bytes]:
    """Convert ``file``: its document, or the reason why there is none, as JSON in pieces.

    Raises SourceChanged where it is not what the scan found, MemoryError where it takes more than there is.
    """
    data = read(file)
    try:
        return convert_to_json(file, data, readers)
    except ConversionError as error:
        return [to_json(file.refuse(str(error)))]


def _telling(ocr: PageReader, answers: IO[bytes]) -> PageReader:
    """Wrap ``ocr`` so that it writes an empty line for each finished page, which shows that the worker is alive."""

    def read_page(data: bytes, index: int) -> list[Line]:
        try:
            return ocr(data, index)
        finally:
            answers.write(b"\n")
            answers.flush()

    return read_page


def _answer(
    request: dict[str, Any], lines: Iterator[bytes], readers: Readers, read: Callable[[SourceFile], bytes]
) -> Iterable[bytes]:
    file = SourceFile(**request["file"])
    try:
        match request:
            case {"processes": processes} if _pages_of_part(read(file), readers, 0, processes) is not None:
                return [LONG]
            case {"part": [index, parts]}:
                pages = _pages_of_part(read(file), readers, index, parts)
                return [b"{}" if pages is None else _read_part(file, read(file), readers, pages)]
            case {"open": folder}:
                members = open_container(file, read(file), partial(_put, Path(folder)))
                return _as_json({"opened": [asdict(member) for member in members]})
            case {"joins": count}:
                printed = join_parts(next(lines) for _ in range(count))
                return convert_file(file, readers._replace(printed=printed), read)
        return convert_file(file, readers, read)
    except BidfolioError as error:
        return _as_json({"error": type(error).__name__, "message": str(error)})
    except MemoryError:
        return _as_json({"error": "MemoryError", "message": ""})
    except OSError as error:
        return _as_json({"error": "OSError", "message": why_unreadable(file.file_name, error)})


def _put(folder: Path, data: bytes, content_sha256: str) -> str:
    path = folder / content_sha256
    path.write_bytes(data)
    return path.as_uri()


def _pages_of_part(data: bytes, readers: Readers, index: int, parts: int) -> range | None:
    count = count_pages(data)
    is_scan = readers.ocr is not None and may_be_scan(count, len(data)) and has_scans(data)
    return pages_of_part(count, is_scan, index, parts)


def _read_part(file: SourceFile, data: bytes, readers: Readers, pages: range) -> bytes:
    if not pages:
        return page_serialization.to_json(PdfContent([], ""))
    try:
        content = read_pdf(file.file_name, data, readers.ocr, pages.start, pages.stop)
        return page_serialization.to_json(content) if len(content.pages) == len(pages) else b"{}"
    except Exception:
        # The file is then read as a whole, which gives the right error message.
        return b"{}"


def _as_json(answer: dict[str, Any]) -> list[bytes]:
    return [json.dumps(answer).encode()]


def _limit(memory_limit_mb: int) -> None:
    """Limit the memory, and have the process die with its parent, where the system supports it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = memory_limit_mb << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4] == "1")
