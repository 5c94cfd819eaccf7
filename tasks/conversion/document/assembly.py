"""Assembly of a :class:`~tasks.records.Document` from blocks on pages: offsets, section paths and the title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import NamedTuple, TypedDict

from tasks.conversion.document.placed_text import Part
from tasks.records import Document, DocumentKind, ElementKind, Page, SourceFile, TextSource
from tasks.text.language_detection import detect_language

BLOCK_SEPARATOR = "\n"
PAGE_SEPARATOR = "\n\n"
COVER_SEPARATOR = " – "
_SECTION_SEPARATOR = " > "
MAX_COVER_LINES = 4

_PLACEHOLDER = re.compile(
    r"untitled.*|\(?anonymous\)?|\(?unspecified\)?|(document|presentation|book|slide|doc)\s*\d*|title|"
    r"(microsoft|power ?point|word|excel)\b.*|.*\.(docx?|pptx?|xlsx?|pdf|indd|rtf|odt|tmp|md|html?)|"
    r"word document|template",
    re.IGNORECASE,
)
_SECTION_NUMBER = re.compile(r"\d{1,2}\.(?:\d{1,2}\.?)*\s+\S")


class Block(NamedTuple):
    """An element of a page before it has offsets in the document. ``level`` ranks titles: a smaller level is higher.

    ``section`` is a section that the block names itself (a questionnaire's category column), below the titles.
    ``parts`` are the places where its text is printed, with offsets in ``text``.
    """

    kind: ElementKind
    text: str
    level: tuple[int, int] = (0, 0)
    html: str | None = None
    row_number: int | None = None
    section: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """A page's blocks in reading order. ``asides`` (headers, footers) are not part of the document's text.

    ``label`` is the printed page number; width and height are in points, as displayed. ``uncomputed`` is the number of
    formulas of a sheet that have no value in the file, None where it is unknown.
    """

    page_number: int | None
    text_source: TextSource
    blocks: tuple[Block, ...]
    asides: tuple[Block, ...] = ()
    sheet_name: str | None = None
    label: str | None = None
    width_pt: float | None = None
    height_pt: float | None = None
    uncomputed: int | None = None


def is_sensible_title(title: str | None) -> bool:
    """Tell if a file's metadata title is usable: not empty, no program's default, no file name."""
    text = (title or "").strip()
    return len(text) >= 4 and any(c.isalpha() for c in text) and not _PLACEHOLDER.fullmatch(text)


Sides = tuple[float, ...]


class ElementFields(TypedDict):
    """The fields of an :class:`~tasks.records.Element`: a frozen record takes three times as long to create and four
    times as long to serialize.
    """

    kind: ElementKind
    text: str
    start: int | None
    end: int | None
    page_number: int | None
    section_path: str
    sheet_name: str | None
    row_number: int | None
    html: str | None
    box: Sides | None


class Assembled(NamedTuple):
    """A page as a part of its document: its text after the separator, and its records' fields, with boxes as tuples."""

    text: str
    page: Page
    elements: list[ElementFields]
    lines: list[tuple[int, int, int, Sides]]


class Assembly:
    """Builder of a document: takes its pages one at a time and keeps none of them in memory."""

    def __init__(self, source: SourceFile, kind: DocumentKind) -> None:
        self._source, self._kind = source, kind
        self._first: PageBlocks | None = None
        self._titles: list[tuple[tuple[int, int], str]] = []
        self._above = ""
        self._sheet_name: str | None = None
        self._position = 0
        self._is_empty = True

    def add(self, page: PageBlocks) -> Assembled:
        """Add the next page and return it with its offsets in the document. Blocks without text are left out."""
        text: list[str] = []
        elements = _asides(page, "header")
        lines: list[tuple[int, int, int, Sides]] = []
        separator = "" if self._is_empty else PAGE_SEPARATOR
        self._is_empty = False
        start = position = self._position + len(separator)
        if self._begins_anew(page):
            self._titles.clear()
            self._above = ""
        self._sheet_name = page.sheet_name
        titles = self._titles
        for block in page.blocks:
            kind, said, level = block.kind, block.text, block.level
            if not said.strip():
                continue
            if position > start:
                text.append(BLOCK_SEPARATOR)
                position += len(BLOCK_SEPARATOR)
            if kind == "title":
                while titles and titles[-1][0] >= level:
                    titles.pop()
                self._above = _SECTION_SEPARATOR.join(title for _, title in titles)
            end = position + len(said)
            text.append(said)
            section = _SECTION_SEPARATOR.join(filter(None, (self._above, block.section)))
            elements.append(_element(page, block, position, end, section))
            if page.page_number is not None:
                lines += [(page.page_number, position + a, position + b, (*box,)) for a, b, box in block.parts]
            position = end
            if kind == "title":
                titles.append((level, said.replace("\n", " ")))
                self._above = _SECTION_SEPARATOR.join(title for _, title in titles)
        elements += _asides(page, "footer")
        own = "".join(text)
        record = Page(
            page.page_number,
            start,
            position,
            page.text_source,
            page.sheet_name,
            page.label,
            page.width_pt,
            page.height_pt,
            detect_language(own),
            page.uncomputed,
        )
        self._position = position
        if self._first is None and any(block.text for block in page.blocks):
            self._first = page
        return Assembled(separator + own, record, elements, lines)

    def _begins_anew(self, page: PageBlocks) -> bool:
        """Tell if ``page`` begins a section of its own: another sheet, or a slide that has a title."""
        if page.sheet_name != self._sheet_name:
            return True
        # A slide without a title continues the topic of the slide before it.
        return self._kind == "pptx" and any(b.kind == "title" and b.text.strip() for b in page.blocks)

    def document(self, metadata_title: str | None, own_date: date | None) -> Document:
        """The document of the pages added so far, still without its text and records.

        Its title is the metadata's where usable, else the first title on the first page with text (all of its titles
        where that page is a cover, with nothing but titles), else the file's stem.
        """
        source = self._source
        return Document(
            source.document_id,
            source.file_name,
            source.content_sha256,
            self._kind,
            _title(source, self._first, metadata_title),
            text="",
            pages=(),
            elements=(),
            document_date=own_date,
        )


def _sides(parts: Sequence[Part]) -> Sides | None:
    """The smallest box around all parts, as a plain tuple of its sides; None for no parts."""
    if len(parts) < 2:
        return (*parts[0].box,) if parts else None
    lefts, tops, rights, bottoms = zip(*[box for _, _, box in parts], strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _element(page: PageBlocks, block: Block, start: int | None, end: int | None, section_path: str) -> ElementFields:
    return {
        "kind": block.kind,
        "text": block.text,
        "start": start,
        "end": end,
        "page_number": page.page_number,
        "section_path": section_path,
        "sheet_name": page.sheet_name,
        "row_number": block.row_number,
        "html": block.html,
        "box": _sides(block.parts),
    }


def _asides(page: PageBlocks, kind: ElementKind) -> list[ElementFields]:
    """The page's headers or footers, which have no offsets."""
    return [_element(page, block, None, None, "") for block in page.asides if block.kind == kind and block.text]


def _title(source: SourceFile, first: PageBlocks | None, metadata_title: str | None) -> str:
    if metadata_title and is_sensible_title(metadata_title):
        return " ".join(metadata_title.split())
    blocks = [block for block in first.blocks if block.text] if first else []
    titles = [block.text.replace("\n", " ") for block in blocks if block.kind == "title"]
    if titles and len(titles) == len(blocks) <= MAX_COVER_LINES:
        # A cover page: its first line is often the company's name, the same on all of its documents.
        return COVER_SEPARATOR.join(titles)
    if titles and not _SECTION_NUMBER.match(titles[0]):
        return titles[0]
    # A numbered title ("1. Scope") is a section of the document, not its title.
    return PurePosixPath(source.file_name).stem or source.file_name
