"""PDFs that somebody has filled in."""

from __future__ import annotations

import io

import pypdfium2
import pytest
from reportlab.pdfgen import canvas

from tasks.records import Document
from tests.tasks.conversion.conftest import check_offsets, convert_bytes

ASKED = ("Legal name of the supplier", "Do you encrypt backups?", "How often are restores tested?")
FILLED = ("Corvane Systems Ltd", "Yes, with AES-256.", "Every quarter, and after each change.")


def filled_form(columns: int = 1, hidden: bool = False) -> bytes:
    """A page with each of ASKED, and below it a field with one of FILLED; in the second column all of it again."""
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    for column in range(columns):
        for row, (asked, filled) in enumerate(zip(ASKED, FILLED, strict=True)):
            x, y = 60 + 260 * column, 760 - 70 * row
            pdf.setFont("Helvetica", 11)
            pdf.drawString(x, y, f"{asked} {column}" if column else asked)
            flags = {"annotationFlags": "hidden"} if hidden else {}
            value = f"{filled} {column}" if column else filled
            pdf.acroForm.textfield(
                name=f"field {column} {row}", x=x, y=y - 30, width=220, height=20, value=value, fontSize=9, **flags
            )
    pdf.acroForm.choice(name="country", x=60, y=400, width=90, height=20, options=["Portugal", "Spain"], value="Spain")
    pdf.showPage()
    pdf.save()
    return out.getvalue()


def texts(document: Document) -> list[str]:
    check_offsets(document)
    return [element.text for element in document.elements]


def test_what_is_filled_in_stands_below_what_is_asked() -> None:
    pairs = [text for pair in zip(ASKED, FILLED, strict=True) for text in pair]
    assert texts(convert_bytes("form.pdf", filled_form())) == [*pairs, "Spain"]


def test_columns_are_not_mixed() -> None:
    got = " ".join(texts(convert_bytes("form.pdf", filled_form(columns=2))))
    for asked, filled in zip(ASKED, FILLED, strict=True):
        assert f"{asked} {filled}" in got and f"{asked} 1 {filled} 1" in got


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_of_a_turned_page_all_of_it_is_there_within_the_page(turns: int) -> None:
    turned = pypdfium2.PdfDocument(filled_form())
    turned[0].set_rotation(90 * turns)
    out = io.BytesIO()
    turned.save(out)
    document = convert_bytes("form.pdf", out.getvalue())
    assert {*FILLED, "Spain"} <= set("\n".join(texts(document)).split("\n"))
    (page,) = document.pages
    width, height = page.width_pt or 0, page.height_pt or 0
    assert (width, height) == ((842, 595) if turns % 2 else (595, 842))
    for element in document.elements:
        assert element.box is not None
        assert 0 <= element.box.left <= element.box.right <= width
        assert 0 <= element.box.top <= element.box.bottom <= height


def test_a_field_that_nobody_sees_is_not_read() -> None:
    assert texts(convert_bytes("form.pdf", filled_form(hidden=True))) == [*ASKED, "Spain"]


def test_a_password_is_not_read() -> None:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.drawString(60, 760, "Portal password:")
    pdf.acroForm.textfield(name="p", x=160, y=752, width=220, height=20, value="hunter2", fieldFlags="password")
    pdf.showPage()
    pdf.save()
    assert texts(convert_bytes("form.pdf", out.getvalue())) == ["Portal password:"]


def test_free_text_on_a_page_without_a_form_is_read() -> None:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.drawString(60, 760, "Approved by:")
    pdf.freeTextAnnotation("J. Ferreira, 3 March 2026", "/Helv 9 Tf", Rect=(140, 752, 330, 772), relative=0)
    pdf.showPage()
    pdf.save()
    assert " ".join(texts(convert_bytes("signed.pdf", out.getvalue()))) == "Approved by: J. Ferreira, 3 March 2026"
