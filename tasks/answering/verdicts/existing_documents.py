"""Questions of a document's existence ("Do you have a business continuity plan?"), answered by the document itself.

A document is evidence that it exists, though no sentence in it says so. It must be named as the question names it, or
be named by one of its title's parts: "Business Continuity and Disaster Recovery Plan" is a disaster recovery plan.
English only; a question that asks for more ("approved by the board") is not of this kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from tasks.answering.drafts.draft import Asked, Attempt, Draft, Proposal
from tasks.answering.quotes.passages import Passage, cells_told
from tasks.records import Chunk
from tasks.retrieval.context.context_window import Chunks
from tasks.retrieval.ranking.told_documents import Told
from tasks.text.dependent_sentences import CELLS
from tasks.text.names.designators import designators_of
from tasks.text.names.document_kinds import kind_of, parted_by_kind
from tasks.text.search_terms import terms

NAME = "document"
TITLE_LINES, DETAIL_LINES = 6, 6
_SUBJECT = r"(?:you|(?:your|the|an?)\s+(?:\w+\s+){0,2}\w+|it|they)"
_WRITTEN = r"(?:(?:formal(?:ly)?|documented|written|established|and)[\s,]+)*"
"""Words that a document bears out by being there."""
_ASKED = re.compile(
    rf"^\W*(?:(?:do|does)\s+{_SUBJECT}\s+(?:currently\s+)?(?:have|maintain|hold|possess|operate\s+under)"
    rf"|(?:has|have)\s+{_SUBJECT}\s+(?:got|established|documented|adopted|written|created|developed|defined)"
    rf"|(?:is|are)\s+there)\s+(?:an?|any|your\s+own|its\s+own)\s+{_WRITTEN}"
    r"(?P<named>[^,.;:?]+?)(?:\s+in\s+place)?\s*\?*\s*$",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\s*\([^)]*\)")
_AND = re.compile(r"\s*(?:\band\b|&|/|,)\s*", re.IGNORECASE)


def drafts_of_documents(asked: Sequence[Asked], chunks: Chunks, told: Mapping[str, Told]) -> list[Draft | None]:
    """The draft of each question that a document among its hits answers by being there, in order; None for all others.

    ``told`` names the documents, and the entity that most of them are of. The draft quotes the title and what stands
    below it (version, date, owner). No read where no question asks for a document.
    """
    company = _commonest(told.values())
    wanted = [list(_named_files(item, told, company)) for item in asked]
    places = {(name, 0) for names in wanted for name in names}
    first = {chunk.file_name: chunk for chunk in chunks.numbered("ordinal", places)} if places else {}
    return [
        next((draft for name in names if name in first and (draft := _draft(item, first[name], company))), None)
        for item, names in zip(asked, wanted, strict=True)
    ]


def asked_document(question: str) -> str:
    """The document whose existence ``question`` asks for, as it is named there; "" for any other question."""
    found = _ASKED.match(_BRACKETS.sub("", " ".join(question.split())))
    named = found["named"] if found else ""
    return named if kind_of(named) and not parted_by_kind(named)[1] else ""


def is_named(asked: str, title: str, company: Collection[str] = ()) -> bool:
    """Tell if a document of this ``title`` is what is ``asked`` for; the ``company``'s words do not count in a title.

    True where the kinds are the same, and the words before it are the same or one of the parts that "and" joins. A
    designator ("SOC 2") names a document by itself if no other word stands before it in the title.
    """
    kind = kind_of(title)
    if not kind or kind != kind_of(asked):
        return False
    named, _ = parted_by_kind(asked)
    sought = terms(named)
    before, _ = parted_by_kind(title)
    parts = [[word for word in terms(part) if word not in company] for part in _AND.split(before)]
    if not sought:
        # A kind of several words says by itself which document it is: a service level agreement, terms of service.
        return not any(parts) and (" " in kind or (len(terms(asked)) > 1 and terms(asked) == terms(title)))
    if sought in parts or sought == [word for part in parts for word in part]:
        return True
    return bool(list(designators_of(named))) and any(part[: len(sought)] == sought for part in parts)


def _commonest(told: Iterable[Told]) -> frozenset[str]:
    entities = Counter(one.entity for one in told if one.entity)
    return frozenset(terms(entities.most_common(1)[0][0])) if entities else frozenset()


def _named_files(item: Asked, told: Mapping[str, Told], company: Collection[str]) -> Iterator[str]:
    asked = asked_document(item.question.text) if item.question.kind == "yes_no" else ""
    names = dict.fromkeys(hit.chunk.file_name for hit in item.hits) if asked else {}
    for name in names:
        if name in told and is_named(asked, told[name].title, company):
            yield name


def _draft(item: Asked, chunk: Chunk, company: Collection[str]) -> Draft | None:
    """The draft that quotes the title on the first page with the lines below it; None where the title is not there."""
    asked = asked_document(item.question.text)
    begin, lines = 0, chunk.text.split("\n")
    for at, line in enumerate(lines[:TITLE_LINES]):
        if is_named(asked, line, company):
            below = list(takewhile(str.strip, lines[at + 1 : at + 1 + DETAIL_LINES]))
            details = max((number for number, one in enumerate(below, 1) if CELLS.search(one)), default=0)
            return _quoted(item, chunk, begin, begin + len("\n".join(lines[at : at + 1 + details])))
        begin += len(line) + 1
    return None


def _quoted(item: Asked, chunk: Chunk, begin: int, end: int) -> Draft:
    start = chunk.start + begin
    page = next((span for span in chunk.page_spans if span.start <= start < span.end), None)
    stop = chunk.start + end if page is None else min(chunk.start + end, page.end)
    hit = next(hit for hit in item.hits if hit.chunk.file_name == chunk.file_name)
    passage = Passage(hit, chunk, start, stop, chunk.text[begin:end], page.page_number if page else None)
    lines = [cells_told(line) for line in passage.quote.splitlines()]
    return Draft(
        text="; ".join(lines),
        verdict=None,
        citations=(passage.citation(),),
        support=1.0,
        nearest_fact=passage.citation(),
        attempts=(Attempt(NAME),),
        is_verbatim=True,
        compared_text=passage.matched_text,
        proposal=Proposal("yes", 1.0),
    )
