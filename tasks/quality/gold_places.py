"""Gold evidence in a version: find if it is unchanged, under another file name, on another page, or gone.

A gold set names files and pages as they were when somebody wrote it. A refresh renames files, moves pages and removes
files on purpose; judged by those names alone, a good version would look worse than the one before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from tasks.records import Document, GoldEvidence, GoldQuestion

SAME_PAGE = 0.7
"""Share of a page's words, counted with repetition, that a page of the new document must contain to be the same
page.
"""

Standing = Literal["asked", "new", "gone", "unknown"]


class Held(NamedTuple):
    """The files of a corpus in one version: content hashes of the indexed files by bare name, and all bare names.

    ``there`` also includes quarantined files.
    """

    indexed: Mapping[str, frozenset[str]]
    there: frozenset[str]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Held:
        """Build from the rows of the table ``documents``; no rows give an empty one."""
        indexed: dict[str, set[str]] = {}
        for row in rows:
            if row["status"] == "indexed":
                indexed.setdefault(_bare(row["file_name"]), set()).add(row["content_sha256"])
        return cls(
            {name: frozenset(hashes) for name, hashes in indexed.items()},
            frozenset(_bare(row["file_name"]) for row in rows),
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """A gold question with the evidence that is left of it, as it stands in each of two versions.

    ``standing``: ``asked`` of both if the evidence was in the version before and may be found in this one, or if the
    question is unanswerable; ``new`` if the version before had none of its files; ``gone`` if this version has none any
    more; ``unknown`` if neither has.
    """

    standing: Standing
    before: GoldQuestion
    now: GoldQuestion


PageNow = Callable[[str, int], int]
"""Function from a file name and a page of the version before to the page with the same content in this version."""


def placed(gold: Sequence[GoldQuestion], before: Held | None, now: Held, page_now: PageNow) -> list[Placed]:
    """Locate the evidence of each gold question in both versions, in order.

    Without a version ``before``, the questions that can be asked are ``new``. A file that exists but was quarantined is
    not gone: its questions are asked, and count as not found.
    """
    return [_placed(question, before, now, page_now) for question in gold]


def _placed(question: GoldQuestion, before: Held | None, now: Held, page_now: PageNow) -> Placed:
    if not question.answerable:
        return Placed("new" if before is None else "asked", question, question)
    old, new = list[GoldEvidence](), list[GoldEvidence]()
    was_there = False
    for evidence in question.evidence:
        hashes = before.indexed.get(evidence.file_name) if before else None
        was_there = was_there or hashes is not None
        renamed = sorted(name for name, own in now.indexed.items() if own & (hashes or frozenset()))
        names = [evidence.file_name] if evidence.file_name in now.there else renamed
        for name in names:
            page = evidence.page_number
            if page is not None and hashes is not None and name == evidence.file_name:
                page = page_now(name, page)
            old.append(evidence)
            new.append(replace(evidence, file_name=name, page_number=page))
    standing: Standing = "asked" if new and was_there else "new" if new else "gone" if was_there else "unknown"
    return Placed(standing, replace(question, evidence=tuple(old)), replace(question, evidence=tuple(new)))


def same_page(page_number: int, before: Document, now: Document) -> int:
    """The page of ``now`` with the content of a page of ``before``; of equally similar pages the nearest.

    Returns ``page_number`` itself if no page is similar enough, or if the page had no words.
    """
    words = dict(_words_by_page(before)).get(page_number)
    if not words:
        return page_number
    shares = [(sum((words & own).values()) / words.total(), number) for number, own in _words_by_page(now)]
    best = max((share for share, _ in shares), default=0.0)
    if best < SAME_PAGE:
        return page_number
    return min((number for share, number in shares if share == best), key=lambda number: abs(number - page_number))


def _words_by_page(document: Document) -> list[tuple[int, Counter[str]]]:
    return [
        (page.page_number, Counter(document.text[page.start : page.end].lower().split()))
        for page in document.pages
        if page.page_number is not None
    ]


def _bare(file_name: str) -> str:
    return PurePosixPath(file_name).name
