"""Standing of library entries: does what bore them out still stand on its page, and has their last day passed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Literal, NamedTuple

from tasks.library.entries import EntryEvidence, LibraryEntry
from tasks.places import locator
from tasks.records import Citation, Document, Page
from tasks.text.characters import fold
from tasks.text.sentences import sentence_spans
from tasks.text.word_stems import stems_of

FaultKind = Literal["expired", "page_changed", "document_gone", "superseded"]
DocumentOf = Callable[[str], Document | None]
"""Function from a file's name to the document that the corpus has of it now; None where there is none."""
StandingOf = Callable[[str], str]
"""Function from a document's id to the words by which it says that it is not in force; "" without any."""
LEAST_SHARE = 0.3
"""The least share of words of an old quote in the sentence that is shown beside it as the new one."""


class Fault(NamedTuple):
    """A reason why an entry is not used again without a person; both quotes where the page changed."""

    kind: FaultKind
    told: str
    file_name: str = ""
    page_number: int | None = None
    old_quote: str = ""
    new_quote: str = ""


class Standing(NamedTuple):
    """The faults of an entry, and the places of today's documents that hold its quotes.

    ``instead`` is what a changed page has in the place of a quote, None without any.
    """

    faults: tuple[Fault, ...] = ()
    citations: tuple[Citation, ...] = ()
    instead: Citation | None = None


def standing_of(entry: LibraryEntry, document_of: DocumentOf, not_in_force: StandingOf, today: date) -> Standing:
    """The standing of an entry on the day ``today``; without a term and without evidence it has no fault."""
    faults, citations = [], []
    instead: Citation | None = None
    if entry.valid_until is not None and entry.valid_until < today:
        owner = f": ask {entry.owner}" if entry.owner else ""
        faults.append(Fault("expired", f"it was approved until {entry.valid_until.isoformat()}{owner}"))
    for evidence in entry.evidence:
        document = document_of(evidence.file_name)
        place = locator(evidence.file_name, evidence.page_number, evidence.sheet_name, evidence.row_number)
        if document is None:
            said = f"{place}, which bore it out, is no longer among the documents: “{_shown(evidence.quote)}”"
            faults.append(Fault("document_gone", said, evidence.file_name, evidence.page_number, evidence.quote))
            continue
        if said := not_in_force(document.document_id):
            told = f"{evidence.file_name}, which bore it out, calls itself “{said}”"
            faults.append(Fault("superseded", told, evidence.file_name, evidence.page_number, evidence.quote))
        if cited := _found(evidence, document):
            citations.append(cited)
        elif document.content_sha256 != evidence.content_sha256:
            new = _nearest(evidence, document)
            now = f"it reads now: “{_shown(new)}”" if new else "nothing like it stands there now"
            told = f"the page changed: {place} read “{_shown(evidence.quote)}”, {now}"
            fault = Fault("page_changed", told, evidence.file_name, evidence.page_number, evidence.quote, new)
            faults.append(fault)
            instead = instead or _found(replace(evidence, quote=new), document)
    return Standing(tuple(faults), tuple(citations), instead)


def _found(evidence: EntryEvidence, document: Document) -> Citation | None:
    """The place of the quote in the document: on its page of then, else on the first that has it; None without one."""
    if not evidence.quote.strip():
        return None
    pages = sorted(document.pages, key=lambda page: not _is_place_of(evidence, page))
    for page in pages:
        at = document.text.find(evidence.quote, page.start, page.end)
        if at < 0 and (span := _span_of(evidence.quote, document.text[page.start : page.end])):
            at, end = page.start + span[0], page.start + span[1]
        else:
            end = at + len(evidence.quote)
        if at >= 0:
            return Citation(
                document.document_id,
                document.file_name,
                document.content_sha256,
                page.page_number,
                document.text[at:end],
                at,
                end,
                sheet_name=page.sheet_name,
                row_number=evidence.row_number,
                page_label=page.label or "",
            )
    return None


def _is_place_of(evidence: EntryEvidence, page: Page) -> bool:
    return (page.page_number, page.sheet_name) == (evidence.page_number, evidence.sheet_name)


def _span_of(quote: str, text: str) -> tuple[int, int] | None:
    """The span of ``text`` that reads like the quote but for spaces and case; None where nothing does."""
    wanted = fold(quote)
    if not wanted or wanted not in fold(text):
        return None
    words = quote.split()
    low, at = text.lower(), 0
    while (start := low.find(words[0].lower(), at)) >= 0:
        end = start
        for word in words:
            while end < len(text) and text[end].isspace():
                end += 1
            if not low.startswith(word.lower(), end):
                break
            end += len(word)
        else:
            return start, end
        at = start + 1
    return None


def _nearest(evidence: EntryEvidence, document: Document) -> str:
    """The sentence, on the page of then or else in the whole document, with most of the quote's words; "" for none."""
    words = frozenset(stems_of(evidence.quote))
    for pages in ([page for page in document.pages if _is_place_of(evidence, page)], document.pages):
        texts = (document.text[page.start : page.end] for page in pages)
        said = [text[start:end].strip() for text in texts for start, end in sentence_spans(text)]
        shares = [
            (len(words & frozenset(stems_of(one))) / max(1, len(words | frozenset(stems_of(one)))), one) for one in said
        ]
        share, sentence = max(shares, default=(0.0, ""), key=lambda pair: pair[0])
        if share >= LEAST_SHARE:
            return sentence
    return ""


def _shown(text: str) -> str:
    return " ".join(text.split())
