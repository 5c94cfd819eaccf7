"""The steps in which a file is converted: one, or for a long PDF one that finds out that it is long, one for each of
its parts and one that joins them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import Any

from tasks.records import SourceFile

SPLIT_PAGES = 200
"""A PDF of more pages is worth several processes: what they tell one another takes a tenth of the time to read it."""
SPLIT_BYTES = 100_000
"""A PDF of that many pages is larger, and so are many with a few pages and their fonts."""
SPLIT_SCANS = 4
"""Of pages that are pictures so many more are worth several processes."""
SCAN_BYTES_A_PAGE = 20_000
"""Pages of fewer bytes are no pictures; those of more may be text with its typefaces."""
PAGES_A_RANGE = 100
"""A range has at least as many: each costs a process that opens the file anew."""
LONG = b'{"long":true}'
"""What is answered of a PDF that is worth several processes."""


@dataclass(slots=True)
class _Answers:
    """What has come back of a file's parts, in their order, and whether the file's outcome is known without them."""

    parts: list[bytes | None]
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One request to a worker process, and what follows from its answer.

    With ``processes``, the file is converted where it is not worth so many; where it is, only that is answered: to
    start a process takes as long as to read a hundred pages, and most PDFs have fewer. ``part`` is the index, from 0,
    and the number of parts in which processes are to read the file, where it is a PDF of many pages; ``joined`` is what
    the parts were answered with.
    """

    file: SourceFile
    processes: int = 0
    part: tuple[int, int] | None = None
    joined: tuple[bytes, ...] = ()
    _answers: _Answers = field(default_factory=lambda: _Answers([]))

    @property
    def is_over(self) -> bool:
        """Whether the file's outcome is known, so that nobody needs the answer."""
        return self._answers.is_over

    @property
    def request(self) -> bytes:
        """The line that the worker reads, followed by one for each part to join."""
        asked: dict[str, Any] = {"file": asdict(self.file)}
        if self.processes:
            asked["processes"] = self.processes
        if self.part:
            asked["part"] = self.part
        if self.joined:
            asked["joins"] = len(self.joined)
        return b"\n".join((json.dumps(asked).encode(), *self.joined, b""))

    def go_on(self, answer: bytes) -> bytes | list[Job]:
        """The file's outcome as JSON, or what to ask next: nothing where other parts are awaited."""
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
            # The file took more than a file may.
            answers.is_over = True
            return answer
        answers.parts[self.part[0]] = answer
        parts = [part for part in answers.parts if part is not None]
        if len(parts) < len(answers.parts):
            return []
        # What a part cannot read, the whole may have a better reason for.
        return [Job(self.file, joined=tuple(parts) if all(part.startswith(b'{"pages"') for part in parts) else ())]


def first_jobs(files: Sequence[SourceFile], processes: int) -> list[Job]:
    """The jobs to begin with, those of the largest file first, so that none of them is left to run alone at the end.

    A PDF that is larger than a process' share of them all may be cut into parts. No files give none.
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
    """Whether a PDF of that size has enough pages that could be pictures, for it to matter whether they are."""
    return page_count > SPLIT_SCANS and size_bytes > SCAN_BYTES_A_PAGE * page_count


def pages_of_part(page_count: int, is_scan: bool, index: int, parts: int) -> range | None:
    """The pages, from 0, of that part of a PDF: none for a part too many, None where it is not worth to be cut."""
    # A page that OCR has to read takes as long as hundreds of others.
    if page_count <= (SPLIT_SCANS if is_scan else SPLIT_PAGES):
        return None
    count = min(parts, page_count if is_scan else page_count // PAGES_A_RANGE)
    return range(min(index, count) * page_count // count, min(index + 1, count) * page_count // count)
