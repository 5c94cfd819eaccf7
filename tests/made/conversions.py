"""Documents converted from bytes, checked as every converted document must be."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.conversion.document.assembly import PageBlocks
from tasks.conversion.document.serialization import (
    assemble,
    document_row,
    documents_from_rows,
    element_rows,
    from_json,
    line_rows,
    page_rows,
)
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.records import Document, DocumentKind, SourceFile
from tests.made.source_files import source_of


def assembled(
    source: SourceFile, kind: DocumentKind, pages: Iterable[PageBlocks], metadata_title: str | None = None
) -> Document:
    """The document of those pages."""
    document = from_json(b"".join(assemble(source, kind, pages, metadata_title)))
    assert isinstance(document, Document)
    return document


def convert_bytes(name: str, data: bytes) -> Document:
    """The document that a file is converted to, with its offsets and rows checked."""
    document = convert(source_of(name, data), data, unstructured_reader)
    check_offsets(document)
    check_rows(document, len(data))
    return document


def check_rows(document: Document, size_bytes: int) -> None:
    """The lake's rows are the document, whatever its format: chunks are cut from what comes back of them."""
    row = document_row("corpus", "file:///", document, size_bytes, None)
    parts = (list(rows("corpus", document)) for rows in (page_rows, element_rows, line_rows))
    assert list(documents_from_rows([row], *parts)) == [document]


def check_offsets(document: Document) -> None:
    """Assert the invariants of every document, whatever its format."""
    position = 0
    for page in document.pages:
        assert position <= page.start <= page.end <= len(document.text)
        position = page.end
    position = 0
    for element in document.elements:
        if element.start is None or element.end is None:
            assert element.kind in ("header", "footer") and element.end is None
            continue
        assert document.text[element.start : element.end] == element.text
        assert element.text.strip() and position <= element.start < element.end
        position = element.end
        assert any(
            page.start <= element.start
            and element.end <= page.end
            and (page.page_number, page.sheet_name) == (element.page_number, element.sheet_name)
            for page in document.pages
        )
    covered = sum(len(e.text) for e in document.elements if e.start is not None)
    assert covered == len("".join(document.text.split("\n"))) + sum(
        e.text.count("\n") for e in document.elements if e.start is not None
    )
