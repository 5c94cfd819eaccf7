"""Stages for pages: build the page finders' matrices, and render a cited page."""

from __future__ import annotations

from configs.settings import Settings
from tasks.pages.finders.page_cache import PageCache
from tasks.pages.finders.storage import fit_file
from tasks.pages.originals import Originals
from tasks.pages.pictures.highlight import boxes_of
from tasks.pages.pictures.page_lookup import Place, page_of, place_at, span_of, title_of
from tasks.pages.pictures.page_painting import paint
from tasks.records import Document
from tasks.references import Converted
from tasks.runtime.stage import stage
from tasks.sources.listing import read_file, why_unreadable
from tasks.storage.document_rows import DocumentRows
from tasks.storage.lake import Lake


@stage("index the pages of {converted.corpus}")
def index_pages(converted: Converted, settings: Settings) -> Converted:
    """Put the page finder's matrices of each document into the cache; returns ``converted`` unchanged."""
    lake = Lake(settings.home)
    cache = PageCache(lake)
    for row in DocumentRows(lake).document_rows(converted.corpus, converted.key) or []:
        if row["status"] == "indexed" and cache.page_matrices(row["document_id"]) is None:
            document = cache.document(row["document_id"])
            if isinstance(document, Document):
                cache.put_page_matrices(row["document_id"], fit_file(document).to_bytes())
    return converted


@stage("page {number} of {document_id}")
def picture_of_page(
    document_id: str, number: int, settings: Settings, start: int | None, end: int | None, quote: str | None
) -> bytes:
    """Render a page of a document as a PNG, with the part ``[start, end)`` of its text, or the quote, marked.

    A PDF is rendered as it is, any other document from its text. Raises NoSuchPage if there is no such document, page
    or quote, PageGone if the document was changed or removed, SourceChanged if its file was modified since, Terminal if
    the page cannot be rendered, and what reading from its store raises.
    """
    lake = Lake(settings.home)
    originals = Originals(lake, read_file, why_unreadable)
    row = originals.row(document_id)
    document = originals.document(row)
    page = page_of(document, number)
    span = span_of(document, page, start, end, quote)
    data = originals.data(row)
    if document.kind == "pdf":
        boxes = [box for on, box in boxes_of(document.lines, *span, document.text) if on == page.page_number]
        return paint(data, number - 1, boxes)
    from tasks.pages.pictures.text_page import text_page  # a question whose pages nobody looks at needs no reportlab

    text = document.text[page.start : page.end]
    marked = [max(0, offset - page.start) for offset in span]
    return paint(text_page(title_of(document, page, number), text, *marked), 0, [])


@stage("where {document_id} has a character")
def place_of_character(document_id: str, start: int, settings: Settings) -> Place:
    """The page number (sheets and the like are counted) and the section of the character at ``start`` of a document.

    Raises NoSuchPage and PageGone as :func:`picture_of_page`.
    """
    lake = Lake(settings.home)
    originals = Originals(lake, read_file, why_unreadable)
    return place_at(originals.document(originals.row(document_id)), start)
