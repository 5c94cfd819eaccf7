"""The day that a file itself tells, of real files."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from email.message import EmailMessage

import docx
import pptx
import pytest
from reportlab.pdfgen import canvas

from tasks.conversion.document.serialization import document_row, documents_from_rows, from_json, page_rows, to_json
from tasks.conversion.files.file_dates import own_date
from tasks.records import DocumentKind
from tests.made.conversions import convert_bytes

DAY = datetime(2021, 5, 6, 23, tzinfo=UTC)


def made(kind: str) -> bytes:
    buffer = io.BytesIO()
    if kind == "pdf":
        pdf = canvas.Canvas(buffer, invariant=True)
        pdf.drawString(50, 700, "A sentence of some words.")
        pdf.save()
        return buffer.getvalue().replace(b"D:20000101000000", b"D:20210506230000")
    if kind == "docx":
        document = docx.Document()
        document.add_paragraph("A sentence of some words.")
        document.core_properties.modified = DAY.replace(tzinfo=None)
        document.save(buffer)
    elif kind == "pptx":
        slides = pptx.Presentation()
        slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "A sentence of some words."
        slides.core_properties.modified = DAY.replace(tzinfo=None)
        slides.save(buffer)
    else:
        mail = EmailMessage()
        mail["Subject"], mail["Date"] = "A subject", "Thu, 06 May 2021 23:00:00 +0200"
        mail.set_content("A sentence of some words.")
        return bytes(mail)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx", "eml"])
def test_each_kind_tells_its_day_which_stays_with_the_document(kind: DocumentKind) -> None:
    data = made(kind)
    assert own_date(kind, f"a.{kind}", data) == DAY.date()
    document = convert_bytes(f"a.{kind}", data)
    assert document.document_date == DAY.date()
    assert from_json(to_json(document)) == document
    row = document_row("c", "s", document, len(data), date(2022, 1, 1))
    assert (row["document_date"], row["file_date"]) == (DAY.date(), date(2022, 1, 1))
    (again,) = documents_from_rows([row], list(page_rows("c", document)), [], [])
    assert again.document_date == DAY.date()


@pytest.mark.parametrize(
    ("kind", "data"), [("pdf", b"%PDF-1.4 cut"), ("docx", b"PK"), ("eml", b"Date: soon\n\nText"), ("txt", b"2021")]
)
def test_what_tells_no_day_has_none(kind: DocumentKind, data: bytes) -> None:
    assert own_date(kind, f"a.{kind}", data) is None
