"""The steps in which a file is converted: one, or for a long PDF the ranges of its pages and what joins them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter

from tasks.records import SourceFile

PAGES_A_RANGE = 100
"""A range has at least as many: each costs a process that opens the file anew."""


@dataclass(slots=True)
class _Ranges:
    """What has come back of a file's ranges, in their order, and whether the file's outcome is known without them."""

    answers: list[bytes | None]
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One request to a worker process, and what follows from its answer.

    With ``may_split``, a PDF of many pages is answered with their number. ``pages`` are the first page of a range,
    from 0, and the one after its last; ``joined`` what such ranges were answered with.
    """

    file: SourceFile
    may_split: bool = False
    pages: tuple[int, int] | None = None
    joined: tuple[bytes, ...] = ()
    _ranges: _Ranges = field(default_factory=lambda: _Ranges([]))
    _index: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the file's outcome is known, so that nobody needs the answer."""
        return self._ranges.is_over

    @property
    def request(self) -> bytes:
        """The line that the worker reads, followed by one for each range to join."""
        parts = [b'{"file":', json.dumps(asdict(self.file)).encode()]
        if self.may_split:
            parts.append(b',"may_split":true')
        if self.pages:
            parts.append(b',"pages":[%d,%d]' % self.pages)
        if self.joined:
            parts.append(b',"ranges":%d' % len(self.joined))
        return b"\n".join((b"".join((*parts, b"}")), *self.joined, b""))

    def go_on(self, answer: bytes, processes: int) -> bytes | list[Job]:
        """The file's outcome as JSON, or what to ask next of one of ``processes``: nothing where others are awaited."""
        if self.pages is None:
            return self._split(json.loads(answer)["page_count"], processes) if _is(answer, "page_count") else answer
        ranges = self._ranges
        if ranges.is_over:
            return []
        if _is(answer, "document_id"):
            # It took more than a file may.
            ranges.is_over = True
            return answer
        ranges.answers[self._index] = answer
        answers = [one for one in ranges.answers if one is not None]
        if len(answers) < len(ranges.answers):
            return []
        # What a range cannot read, the whole may have a better reason for.
        return [Job(self.file, joined=tuple(answers) if all(_is(one, "pages") for one in answers) else ())]

    def _split(self, page_count: int, processes: int) -> list[Job]:
        count = max(1, min(processes, page_count // PAGES_A_RANGE))
        edges = [index * page_count // count for index in range(count + 1)]
        ranges = _Ranges([None] * count)
        return [
            Job(self.file, pages=(edges[index], edges[index + 1]), _ranges=ranges, _index=index)
            for index in range(count)
        ]


def first_jobs(files: Sequence[SourceFile], processes: int) -> list[Job]:
    """A job for each file, the largest first, so that none of them is left to run alone at the end.

    What is larger than a process' share of them all may be split. No files give none.
    """
    share = sum(file.size_bytes for file in files) / processes
    ordered = sorted(files, key=attrgetter("size_bytes"), reverse=True)
    return [Job(file, may_split=processes > 1 and file.size_bytes > share) for file in ordered]


def _is(answer: bytes, first_key: str) -> bool:
    return answer.startswith(b'{"%s"' % first_key.encode())
