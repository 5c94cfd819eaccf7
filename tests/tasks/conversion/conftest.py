"""Files made on the spot, and where the real ones are."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.conversion.document.serialization import (
    document_row,
    documents_from_rows,
    element_rows,
    line_rows,
    page_rows,
)
from tasks.conversion.files.convert import convert
from tasks.conversion.office import unstructured_reader
from tasks.records import Document, SourceFile

REPO_ROOT = Path(__file__).resolve().parents[3]
DATA = REPO_ROOT.parent / "shared" / "data"


def source_of(name: str, data: bytes) -> SourceFile:
    return SourceFile(name, name, len(data), hashlib.sha256(data).hexdigest())


def convert_bytes(name: str, data: bytes) -> Document:
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
    """What must hold for every document, whatever its format."""
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


@pytest.fixture(scope="session")
def data_folder() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the real documents are not here ({DATA})")
    return DATA


MakePdf = Callable[..., bytes]


@pytest.fixture(scope="session")
def make_pdf() -> MakePdf:
    """A PDF of pages, each a list of (x, y, text) or (x, y, text, font, size)."""

    def make(pages: list[list[tuple[object, ...]]], title: str = "", encrypt: object = None) -> bytes:
        from reportlab.pdfgen import canvas

        out = io.BytesIO()
        pdf = canvas.Canvas(out, pagesize=(595, 842), encrypt=encrypt)
        if title:
            pdf.setTitle(title)
        for page in pages:
            for x, y, text, *font in page:
                pdf.setFont(*(font or ("Helvetica", 11)))
                pdf.drawString(x, y, text)
            pdf.showPage()
        pdf.save()
        return out.getvalue()

    return make
