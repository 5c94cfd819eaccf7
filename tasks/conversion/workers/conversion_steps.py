"""Conversion jobs: the requests to worker processes by which a file is converted.

Most files take a single job. A long PDF takes a job that finds that it is long, a job for each of its parts, and a job
that joins the parts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from tasks.records import SourceFile

SPLIT_PAGES = 200
"""A PDF of more pages is split among processes: their messages take a tenth of the time to read it."""
SPLIT_BYTES = 100_000
"""Minimum size of a PDF that may be split: one of SPLIT_PAGES pages is larger, as are many with few pages and fonts."""
SPLIT_SCANS = 4
"""A PDF of more pages that are pictures (scans) is split among processes."""
SCAN_BYTES_A_PAGE = 20_000
"""Bytes a page above which a PDF may be a scan; it may also be text with embedded fonts."""
PAGES_A_RANGE = 100
"""Minimum number of pages in a part of a PDF: each part costs a process that opens the file anew."""
LONG = b'{"long":true}'
"""The worker's answer for a PDF that is to be split among processes."""


@dataclass(slots=True)
class _Answers:
    """The answers for a file's parts so far, in order. ``is_over`` if the file's outcome is known without the rest."""

    parts: list[bytes | None]
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A request to a worker process for a file, and the handling of its answer.

    With ``processes``, the worker converts a short file at once, and answers :data:`LONG` for a file to be split among
    so many processes: to start a process takes as long as to read a hundred pages, and most PDFs have fewer. ``part``
    is the index, from 0, of the part to read and the number of parts. ``joined`` are the answers for all parts, to be
    joined to a document.
    """

    file: SourceFile
    processes: int = 0
    part: tuple[int, int] | None = None
    joined: tuple[bytes, ...] = ()
    _answers: _Answers = field(default_factory=lambda: _Answers([]))

    @property
    def is_over(self) -> bool:
        """Tell if the file's outcome is known already, so that the answer is not needed."""
        return self._answers.is_over

    @property
    def request(self) -> bytes:
        """The request as the worker reads it: a line of JSON, followed by a line for each part to join."""
        asked: dict[str, Any] = {"file": asdict(self.file)}
        if self.processes:
            asked["processes"] = self.processes
        if self.part:
            asked["part"] = self.part
        if self.joined:
            asked["joins"] = len(self.joined)
        return b"\n".join((json.dumps(asked).encode(), *self.joined, b""))

    def go_on(self, answer: bytes) -> bytes | list[Job]:
        """Handle the worker's answer: return the file's outcome as JSON, or the next jobs (none while parts run)."""
        if self.processes and answer == LONG:
            parts_of_file = _Answers([None] * self.processes)
            numbered = ((index, self.processes) for index in range(self.processes))
            return [Job(self.file, part=part, _answers=parts_of_file) for part in numbered]
        if self.part is None:
            return answer
        answers = self._answers
        if answers.is_over:
            return []
        if answer.startswith(b'{"document_id"'):
            # The answer is the outcome of the whole file: it exceeded a limit.
            answers.is_over = True
            return answer
        answers.parts[self.part[0]] = answer
        parts = [part for part in answers.parts if part is not None]
        if len(parts) < len(answers.parts):
            return []
        # Where a part could not be read, the whole file is read once more: its reason may be better.
        return [Job(self.file, joined=tuple(parts) if all(part.startswith(b'{"pages"') for part in parts) else ())]


def first_jobs(files: Sequence[SourceFile], processes: int) -> list[Job]:
    """The first jobs of a conversion, largest file first, so that no large file runs alone at the end.

    A PDF larger than a process's share of all bytes may be split into parts. No files give no jobs.
    """
    share = max(SPLIT_BYTES, sum(file.size_bytes for file in files) / processes)
    jobs: list[Job] = []
    for file in sorted(files, key=attrgetter("size_bytes"), reverse=True):
        if processes > 1 and file.size_bytes > share and file.file_name.lower().endswith(".pdf"):
            jobs.append(Job(file, processes))
        else:
            jobs.append(Job(file))
    return jobs


def may_be_scan(page_count: int, size_bytes: int) -> bool:
    """Tell if a PDF may be a scan long enough to split, by its pages and its size; only then is it examined."""
    return page_count > SPLIT_SCANS and size_bytes > SCAN_BYTES_A_PAGE * page_count


def pages_of_part(page_count: int, is_scan: bool, index: int, parts: int) -> range | None:
    """The pages, from 0, of part ``index`` of a PDF split into ``parts``; None for a PDF too short to split.

    The range is empty for a part beyond the number into which the PDF is split.
    """
    # OCR of a page takes as long as reading hundreds of pages of text.
    if page_count <= (SPLIT_SCANS if is_scan else SPLIT_PAGES):
        return None
    count = min(parts, page_count if is_scan else page_count // PAGES_A_RANGE)
    return range(min(index, count) * page_count // count, min(index + 1, count) * page_count // count)
