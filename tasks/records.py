"""The records of bidfolio, in the order in which a refresh and an answer run meet them.

document → page → element → chunk → question → hit → answer → citation

Every id is a content hash (:func:`content_id`), so the same input has the same id on every machine. Character offsets
are Python string offsets into ``Document.text``; ``start`` is inclusive, ``end`` exclusive.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from tasks.library_names import is_approved
from tasks.places import locator, page_place, whole_place

DocumentKind = Literal["pdf", "docx", "pptx", "xlsx", "xls", "csv", "html", "md", "txt", "eml", "msg"]
ElementKind = Literal["title", "paragraph", "list_item", "table", "row", "question", "header", "footer", "notes"]
TextSource = Literal["native", "ocr", "rendered", "breaks", "none"]
Verdict = Literal["yes", "no", "partial", "not_applicable"]
AnswerStatus = Literal["answered", "declined", "needs_review", "failed"]
DeclineReason = Literal["no_evidence", "weak_evidence", "conflict", "unsupported", "generator_failed"]
QuestionKind = Literal["yes_no", "free_text"]


def content_id(*parts: str | bytes | int) -> str:
    """The first 16 hex digits of the SHA-256 of ``parts``, each framed by its length.

    The framing keeps ``("ab", "c")`` and ``("a", "bc")`` apart. No parts give the hash of nothing.
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a corpus, as the scan found it. ``file_name`` is its path below the corpus, with ``/``.

    A file in a container is named below it (``offers.zip/2026/offer.pdf``). ``refused`` is the reason why a file is not
    accepted: it has no bytes to read, and the hash of its container. ``written_on`` is the day when it was last
    written, UTC, as YYYY-MM-DD, for a file in a container that of the outermost container; "" where it is unknown.
    """

    file_name: str
    path: str
    size_bytes: int
    content_sha256: str
    refused: str = ""
    written_on: str = ""

    @property
    def document_id(self) -> str:
        """The id of the document, from its name and bytes; for approved answers, from their day as well."""
        day = [self.written_on] if self.written_on and is_approved(self.file_name) else []
        return content_id("document", self.file_name, self.content_sha256, *day)

    def refuse(self, reason: str, depends_on: str = "") -> Quarantined:
        """The quarantine record for the file, which gave no text."""
        return Quarantined(self.document_id, self.file_name, self.content_sha256, reason, depends_on)


@dataclass(frozen=True, slots=True)
class Page:
    """A page, slide or sheet: the part ``[start, end)`` of the document's text.

    ``page_number`` is 1-based, as a viewer shows it, and None where the format has no pages (a sheet, a web page).
    ``label`` is the printed page label (``iv``, ``A-3``), where the file has it. ``text_source`` is the source of the
    page's limits and text: the format itself, OCR, a rendering by LibreOffice, the page breaks that Word left in the
    file, or none: of a PDF and of slides, pictures were not read. ``language`` is an ISO 639-1 code. ``uncomputed`` is
    the number of formulas of a sheet without a value in the file, None where it is unknown.
    """

    page_number: int | None
    start: int
    end: int
    text_source: TextSource
    sheet_name: str | None = None
    label: str | None = None
    width_pt: float | None = None
    height_pt: float | None = None
    language: str | None = None
    uncomputed: int | None = None


class Box(NamedTuple):
    """A rectangle on a page, in points from the page's upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


class LineBox(NamedTuple):
    """The place where the part ``[start, end)`` of a document's text is printed: a line, or part of a line."""

    page_number: int
    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Element:
    """A title, paragraph, list item, table, sheet row, running header or footer, or a question that nobody answered.

    The last is in the text and in no chunk. ``start`` and ``end`` are None for headers and footers, which are kept out
    of the document's text; their words are in ``text``. ``section_path`` joins the titles above it with `` > ``.
    ``html`` is a table's markup. ``box`` is None where the format has no places.
    """

    kind: ElementKind
    text: str
    start: int | None
    end: int | None
    page_number: int | None
    section_path: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    html: str | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A converted file: its text, and the pages and elements that lie in it, in reading order.

    ``lines`` are the places where its text is printed, so that a quote can be shown on its page; none where the format
    has no places. ``document_date`` is the date in the file itself, None without one.
    """

    document_id: str
    file_name: str
    content_sha256: str
    kind: DocumentKind
    title: str
    document_date: date | None = field(default=None, kw_only=True)
    text: str
    pages: tuple[Page, ...]
    elements: tuple[Element, ...]
    lines: tuple[LineBox, ...] = ()


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A file that gave no text, with a reason for people.

    ``depends_on`` is any cause of the failure besides the file's bytes (the limits of a conversion, a crash): the file
    is tried again once that changes. Empty: no other cause.
    """

    document_id: str
    file_name: str
    content_sha256: str
    reason: str
    depends_on: str = ""


class PageSpan(NamedTuple):
    """The part ``[start, end)`` of a document's text on one page; its printed ``label`` where that is another than its
    number, and known.
    """

    page_number: int | None
    start: int
    end: int
    label: str = ""


def searched_text(context: str, text: str) -> str:
    """The text of a chunk that is embedded and indexed: the context, where there is one, then the text."""
    return f"{context}\n{text}" if context else text


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document: ``document.text[start:end] == text``, always.

    ``context`` (title, section) precedes the text when it is searched and is never in a quote. ``page_spans`` are the
    pages that the chunk touches, cut to the chunk, in order: so it knows its pages by construction. ``parent`` is the
    ordinal, within the document, of the larger part that it is cut from; None where the plan makes no parents.
    ``granularity`` is its name in a plan that cuts in several ways; ordinals and parents run on from one granularity to
    the next. ``section_path`` is the section at its start. ``section_starts`` are the offsets at which another section
    begins, with its path, in order; set only for chunks that are handed over to be answered from, as are the pages'
    labels and ``document_name``, the document's name within its corpus.
    """

    chunk_id: str
    document_id: str
    file_name: str
    content_sha256: str
    kind: DocumentKind
    ordinal: int
    start: int
    end: int
    text: str
    context: str
    token_count: int
    page_spans: tuple[PageSpan, ...]
    section_path: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    parent: int | None = None
    granularity: str = ""
    section_starts: tuple[tuple[int, str], ...] = ()
    document_name: str = ""

    def label_of(self, page_number: int | None) -> str:
        """The printed label of one of its pages, "" where it is the page's number or unknown."""
        return next((span.label for span in self.page_spans if span.page_number == page_number), "")

    def section_at(self, offset: int) -> str:
        """The section of the character at ``offset`` in the document's text."""
        begun = bisect_right(self.section_starts, offset, key=lambda one: one[0])
        return self.section_starts[begun - 1][1] if begun else self.section_path

    @property
    def page_number(self) -> int | None:
        """The page with most of the chunk's characters, the first of equals; None where there are no pages."""
        longest = max(self.page_spans, key=lambda span: span.end - span.start, default=None)
        return longest.page_number if longest else None

    @property
    def searched_text(self) -> str:
        """The text of the chunk that is embedded and indexed."""
        return searched_text(self.context, self.text)


@dataclass(frozen=True, slots=True)
class Question:
    """A row of a questionnaire, or a line of a gold set, as it is asked; ``written`` is the customer's text otherwise.
    With ``verdict_apart`` a yes or no takes no ``max_characters``; ``said_before`` is the answer before a follow-up.
    """

    question_id: str
    ordinal: int
    text: str
    kind: QuestionKind = "free_text"
    section: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    max_characters: int | None = None
    written: str | None = None
    verdict_apart: bool = False
    said_before: str | None = None


class Duplicate(NamedTuple):
    """The place of a text that says the same as a hit, or, where it ``differs``, the same but for a figure, a name or a
    no for a yes. It is ``unasked`` where the question names the hit, and not this.
    """

    file_name: str
    page_number: int | None
    sheet_name: str | None
    row_number: int | None
    differs: bool = False
    unasked: bool = False
    page_label: str = ""

    @property
    def locator(self) -> str:
        """The place for people, as by :func:`locator`."""
        return locator(self.file_name, self.page_number, self.sheet_name, self.row_number, page_label=self.page_label)


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found for a question. ``rank`` is 1-based.

    ``score`` is what the plan ranks by. Where it reranks, that is the similarity, from 1 to -1, of a chunk that is
    reranked, and less for those behind; reading hits again changes it. ``dense_similarity`` and ``lexical_similarity``
    are the cosines in the two spaces; ``bm25_share`` in [0, 1] is BM25 over the most that the question's words could
    give. ``lead`` is the reranker's score minus the mean of all that were reranked; ``relevance`` the logit of a
    cross-encoder that read it with the question. ``known_words`` in [0, 1] is the share of the question's words, by
    rarity, that any document has; ``names_document``, from 0, how clearly it names the hit's. None: not computed.
    ``duplicates`` are the places of hits that say the same and stand behind it. ``handed_over`` are the chunks that an
    answer may be drawn from, in order; None: its own. ``around`` are those beside them in which a quote may go on.
    """

    question_id: str
    rank: int
    chunk: Chunk
    score: float
    dense_similarity: float
    lexical_similarity: float
    bm25_share: float
    lead: float | None = None
    relevance: float | None = None
    known_words: float | None = None
    names_document: float | None = None
    handed_over: tuple[Chunk, ...] | None = None
    around: tuple[Chunk, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks that an answer may be drawn from."""
        return (self.chunk,) if self.handed_over is None else self.handed_over


@dataclass(frozen=True, slots=True)
class Citation:
    """A verbatim quote with its place: ``document.text[start:end] == quote``.

    ``page_label`` is the page's printed label where that is another than its number, ``document_name`` the document's
    name within its corpus; "" where they are unknown.
    """

    document_id: str
    file_name: str
    content_sha256: str
    page_number: int | None
    quote: str
    start: int
    end: int
    section_path: str = ""
    sheet_name: str | None = None
    row_number: int | None = None
    page_label: str = ""
    document_name: str = ""

    @property
    def locator(self) -> str:
        """The place for people, as by :func:`locator`."""
        place = (self.file_name, self.page_number, self.sheet_name, self.row_number, self.section_path)
        return locator(*place, self.page_label)

    @property
    def place(self) -> str:
        """The whole place for people, as by :func:`whole_place`."""
        place = (self.file_name, self.page_number, self.sheet_name, self.row_number, self.section_path)
        return whole_place(*place, self.page_label, self.document_name)

    @property
    def inline(self) -> str:
        """The short form behind a sentence: ``[§ section, p. N]`` or ``[sheet S, row N]``, else the file's name."""
        section = f"§ {self.section_path.rsplit(' > ', 1)[-1]}" if self.section_path else ""
        page = page_place(self.page_number, self.page_label) if self.page_number is not None else ""
        sheet = f"sheet {self.sheet_name}" if self.sheet_name and self.row_number is not None else ""
        row = f"row {self.row_number}" if self.row_number is not None else ""
        parts = [sheet, row] if row else [section, page]
        return f"[{', '.join(filter(None, parts)) or self.file_name}]"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, without a text where it was declined or failed. ``nearest_fact`` is shown with it,
    and says otherwise than a doubtful answer. ``is_withheld``: contradicted or outdated, kept from the customer.
    """

    question_id: str
    status: AnswerStatus
    text: str | None = None
    verdict: Verdict | None = None
    confidence: float | None = None
    decline_reason: DeclineReason | None = None
    detail: str = ""
    generator: str = ""
    citations: tuple[Citation, ...] = ()
    nearest_fact: Citation | None = None
    proposed_verdict: Verdict | None = None
    verdict_probability: float | None = None
    draft_probability: float | None = None
    is_withheld: bool = False


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """A place that answers a gold question; ``page_number`` is None for a sheet's row or a web page."""

    file_name: str
    page_number: int | None
    sheet_name: str | None = None
    row_number: int | None = None


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its known answer and the places that hold it. If it is not ``is_labelled``, nobody has stated if
    it can be answered. ``questionnaire`` names the source of the question. Measurements leave out the documents
    ``held_out``.
    """

    question_id: str
    question: str
    answerable: bool
    answer: str | None = None
    verdict: Verdict | None = None
    evidence: tuple[GoldEvidence, ...] = ()
    is_labelled: bool = True
    questionnaire: str | None = None
    held_out: tuple[str, ...] = ()
