"""Where the gold set's evidence is in a version: still there, under another name, on another page, or gone.

A gold set names files and pages as they were when somebody wrote it. A refresh renames files, moves pages and takes
files away on purpose; held against what it says alone, a good version would look worse than the one before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from tasks.records import Document, GoldEvidence, GoldQuestion

SAME_PAGE = 0.7
"""A page is the same where so much of its words, each as often as it stands there, is on one of the new document."""

Standing = Literal["asked", "new", "gone", "unknown"]


class Held(NamedTuple):
    """A corpus' files of one version: by their bare names the hashes of those that were indexed, and the bare names of
    all there are, quarantined ones too.
    """

    indexed: Mapping[str, frozenset[str]]
    there: frozenset[str]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> Held:
        """By the rows of the table ``documents``; none give nothing."""
        indexed: dict[str, set[str]] = {}
        for row in rows:
            if row["status"] == "indexed":
                indexed.setdefault(_bare(row["file_name"]), set()).add(row["content_sha256"])
        return cls(
            {name: frozenset(hashes) for name, hashes in indexed.items()},
            frozenset(_bare(row["file_name"]) for row in rows),
        )

    def names_of(self, hashes: Collection[str]) -> list[str]:
        """The names of the files with one of those hashes, sorted."""
        return sorted(name for name, own in self.indexed.items() if own & frozenset(hashes))


@dataclass(frozen=True, slots=True)
class Placed:
    """A gold question as it is asked of two versions: with what is left of its evidence, as it stands in each.

    ``standing``: it is ``asked`` of both where what answers it was in the version before and may be found in this one,
    or where nothing should answer it; it is ``new`` where the version before had none of its files, ``gone`` where
    this one has none any more, and ``unknown`` where neither has.
    """

    standing: Standing
    before: GoldQuestion
    now: GoldQuestion


PageNow = Callable[[str, int], int]
"""Gives the page that holds in this version what a page of a file held in the version before."""


def placed(gold: Sequence[GoldQuestion], before: Held | None, now: Held, page_now: PageNow) -> list[Placed]:
    """Each question of the gold set, in order; without a version ``before``, those that can be asked are ``new``.

    A file that is there and was quarantined is not gone: its questions are asked, and not found.
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
        names = [evidence.file_name] if evidence.file_name in now.there else now.names_of(hashes or ())
        for name in names:
            page = evidence.page_number
            if page is not None and hashes is not None and name == evidence.file_name:
                page = page_now(name, page)
            old.append(evidence)
            new.append(replace(evidence, file_name=name, page_number=page))
    standing: Standing = "asked" if new and was_there else "new" if new else "gone" if was_there else "unknown"
    return Placed(standing, replace(question, evidence=tuple(old)), replace(question, evidence=tuple(new)))


def same_page(page_number: int, before: Document, now: Document) -> int:
    """The page of ``now`` with what that page of ``before`` holds, the nearest of equals; ``page_number`` where there
    is none, or where the page had no words.
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
