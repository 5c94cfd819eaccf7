"""Gold evidence in a version: find if it is unchanged, in another file, on another page, or gone, and why.

A gold set names files and pages as they were when somebody wrote it. A refresh renames files, replaces them by newer
ones, rewrites and deletes them on purpose; judged by the old names alone, a good version would look worse than the one
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

from tasks.records import Document, GoldEvidence, GoldQuestion

SAME_PAGE = 0.7
"""Share of a page's words, counted with repetition, that a page of the new document must contain to be the same
page.
"""

REWRITTEN = 0.3
"""Share of a page's words below which no page of the new document is what has become of it."""
LEAST_WORDS = 0.5
"""Share of the old document's words that a new one must have: one of fewer may have been read wrongly."""

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
    more; ``unknown`` if neither has. ``lost`` are the places whose evidence is gone, each with the reason;
    ``is_explained`` is False if one of them is in a folder without any other file, which may be out of reach.
    """

    standing: Standing
    before: GoldQuestion
    now: GoldQuestion
    lost: tuple[str, ...] = ()
    is_explained: bool = True


class Moved(NamedTuple):
    """The file and page with the content of a page of the version before."""

    file_name: str
    page_number: int | None


PlaceNow = Callable[[str, int], Moved | None]
"""Function from a file name and a page of the version before to the place with the same content in this version: in the
file of that name, or in one that is new. None where its text is gone, or the file is with no successor.
"""


def placed(
    gold: Sequence[GoldQuestion],
    before: Held | None,
    now: Held,
    place_now: PlaceNow,
    deleted: Collection[str] = (),
) -> list[Placed]:
    """Locate the evidence of each gold question in both versions, in order.

    Without a version ``before``, the questions that can be asked are ``new``. A file that exists but was quarantined is
    not gone: its questions are asked, and count as not found. ``deleted`` are the bare names of the files that somebody
    deleted.
    """
    return [_placed(question, before, now, place_now, deleted) for question in gold]


def _placed(
    question: GoldQuestion, before: Held | None, now: Held, place_now: PlaceNow, deleted: Collection[str]
) -> Placed:
    if not question.answerable:
        return Placed("new" if before is None else "asked", question, question)
    old, new, lost = list[GoldEvidence](), list[GoldEvidence](), list[str]()
    was_there, is_explained = False, True
    for evidence in question.evidence:
        hashes = before.indexed.get(evidence.file_name) if before else None
        was_there = was_there or hashes is not None
        places = _places_now(evidence, hashes, now, place_now)
        if not places and hashes is not None:
            is_there = evidence.file_name in now.there
            is_explained = is_explained and (is_there or evidence.file_name in deleted)
            page = "" if evidence.page_number is None else f", p. {evidence.page_number}"
            why = "whose text is gone from it" if is_there else "which is gone"
            lost.append(f"{evidence.file_name}{page if is_there else ''}, {why}")
        old += [evidence] * len(places)
        new += [replace(evidence, file_name=place.file_name, page_number=place.page_number) for place in places]
    standing: Standing = "asked" if new and was_there else "new" if new else "gone" if was_there else "unknown"
    then, since = replace(question, evidence=tuple(old)), replace(question, evidence=tuple(new))
    return Placed(standing, then, since, tuple(dict.fromkeys(lost)), is_explained)


def _places_now(
    evidence: GoldEvidence, hashes: frozenset[str] | None, now: Held, place_now: PlaceNow
) -> Sequence[Moved]:
    """The places of a piece of evidence in the new version; none where it is gone."""
    name, page = evidence.file_name, evidence.page_number
    stays = [Moved(name, page)] if name in now.there else []
    renamed = sorted(other for other, own in now.indexed.items() if own & (hashes or frozenset()))
    if renamed and not stays:
        return [Moved(other, page) for other in renamed]
    if hashes is None or page is None or (stays and name not in now.indexed):
        return stays
    found = place_now(name, page)
    return [found] if found else []


def same_page(page_number: int, before: Document, now: Document) -> int | None:
    """The page of ``now`` with the content of a page of ``before``; of equally similar pages the nearest.

    None if the text is gone: no page is like it, though the document has its words. Returns ``page_number`` itself if
    the page was changed, if it had no words, or if the document has far fewer words than before: that is for the gate
    to judge.
    """
    words = dict(_words_by_page(before)).get(page_number)
    if not words:
        return page_number
    best, page = _most_alike(words, page_number, now)
    if best >= SAME_PAGE:
        return page
    is_rewritten = best < REWRITTEN and _length(now) >= LEAST_WORDS * _length(before)
    return None if is_rewritten else page_number


def page_in(page_number: int, before: Document, others: Iterable[Document]) -> tuple[Document, int] | None:
    """The page with the content of a page of ``before`` in the most similar of ``others``; None if none has it."""
    words = dict(_words_by_page(before)).get(page_number)
    found = [(*_most_alike(words, page_number, other), other) for other in others] if words else []
    share, page, document = max(found, key=lambda one: one[0], default=(0.0, page_number, before))
    return (document, page) if share >= SAME_PAGE else None


def _most_alike(words: Counter[str], page_number: int, now: Document) -> tuple[float, int]:
    """The largest share of ``words`` on a page of ``now``, and that page; the nearest to ``page_number`` of several."""
    shares = [(sum((words & own).values()) / words.total(), number) for number, own in _words_by_page(now)]
    best = max((share for share, _ in shares), default=0.0)
    pages = [number for share, number in shares if share == best]
    return best, min(pages, key=lambda number: abs(number - page_number), default=page_number)


def _length(document: Document) -> int:
    return len(document.text.split())


def _words_by_page(document: Document) -> list[tuple[int, Counter[str]]]:
    return [
        (page.page_number, Counter(document.text[page.start : page.end].lower().split()))
        for page in document.pages
        if page.page_number is not None
    ]


def _bare(file_name: str) -> str:
    return PurePosixPath(file_name).name
