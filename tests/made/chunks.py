"""Documents and chunks made of a few texts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tasks.records import Chunk, Document, Element, Page, PageSpan, content_id


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def document_of(pages: Sequence[str], rows: Sequence[str] = (), title: str = "A title") -> Document:
    """Numbered pages of prose, one paragraph each, and, after them, a sheet of rows; a line break between all."""
    text, made, elements = "", [], []
    for number, page in enumerate(pages, start=1):
        start, text = len(text), f"{text}{page}"
        made.append(Page(number, start, len(text), "native"))
        if page.strip():
            elements.append(Element("paragraph", page, start, len(text), number, section_path=f"Section {number}"))
        text += "\n"
    start = len(text)
    for number, row in enumerate(rows, start=1):
        at, text = len(text), f"{text}{row}"
        elements.append(Element("row", row, at, len(text), None, sheet_name="Sheet", row_number=number))
        text += "\n"
    if rows:
        made.append(Page(None, start, len(text), "none", sheet_name="Sheet"))
    name = "made.pdf" if not rows else "made.xlsx"
    digest = sha(text)
    return Document(
        document_id=content_id("document", name, digest),
        file_name=name,
        content_sha256=digest,
        kind="pdf" if not rows else "xlsx",
        title=title,
        text=text,
        pages=tuple(made),
        elements=tuple(elements),
    )


def chunk_of(
    text: str,
    *,
    file_name: str = "made.pdf",
    page_number: int | None = 1,
    ordinal: int = 0,
    start: int = 0,
    row_number: int | None = None,
    sheet_name: str | None = None,
) -> Chunk:
    """A chunk on one page, or on none."""
    document_id = content_id("document", file_name)
    return Chunk(
        chunk_id=content_id("chunk", document_id, start, ordinal, text, str(page_number), str(row_number)),
        document_id=document_id,
        file_name=file_name,
        content_sha256=sha(file_name),
        kind="pdf" if page_number is not None else "xlsx",
        ordinal=ordinal,
        start=start,
        end=start + len(text),
        text=text,
        context="",
        token_count=max(1, len(text.split())),
        page_spans=(PageSpan(page_number, start, start + len(text)),),
        sheet_name=sheet_name,
        row_number=row_number,
    )
