"""PDFs that somebody has filled in."""

from __future__ import annotations

import io

import pypdfium2
import pytest
from reportlab.pdfgen import canvas

from tasks.records import Document
from tests.made.conversions import check_offsets, convert_bytes

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


def lines_of(document: Document) -> list[str]:
    check_offsets(document)
    return document.text.split("\n")


LABELS = ("Company name", "Company number", "Year founded", "Contact person")
VALUES = ("Corvane Ltd", "08123456", "2009", "Ada Brook, Head of Bids")


def form_beside(columns: int, height: float = 18.0) -> bytes:
    """Each of LABELS with a field of VALUES to its right, in so many columns, all labels drawn first."""
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    places = [(60 + 270 * (at % columns), 760 - 30 * (at // columns)) for at in range(len(LABELS))]
    for label, (x, y) in zip(LABELS, places, strict=True):
        pdf.drawString(x, y, label)
    for value, (x, y) in zip(VALUES, places, strict=True):
        pdf.acroForm.textfield(name=value, x=x + 100, y=y + 13 - height, width=150, height=height, value=value)
    pdf.showPage()
    pdf.save()
    return out.getvalue()


@pytest.mark.parametrize("height", [18.0, 28.0])
def test_a_field_beside_its_label_is_a_cell_of_its_row(height: float) -> None:
    rows = [f"{label} | {value}" for label, value in zip(LABELS, VALUES, strict=True)]
    document = convert_bytes("form.pdf", form_beside(1, height))
    assert lines_of(document) == rows
    assert [element.kind for element in document.elements] == ["table"]


def test_fields_of_two_columns_stay_with_their_own_labels() -> None:
    said = convert_bytes("form.pdf", form_beside(2)).text.replace(" | ", " ")
    for label, value in zip(LABELS, VALUES, strict=True):
        assert f"{label} {value}" in said


def test_a_field_on_a_printed_blank_takes_its_place() -> None:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 760, "We, ____________________ of ____________________, hold the certificate named below.")
    pdf.drawString(60, 720, "Signed on ____________________ by the director ____________________ and witnessed.")
    for at, value in enumerate(("Corvane Ltd", "Leeds")):
        pdf.acroForm.textfield(name=value, x=86 + 136 * at, y=756, width=115, height=18, value=value)
    pdf.acroForm.textfield(name="day", x=112, y=716, width=115, height=18, value="3 March 2026")
    pdf.showPage()
    pdf.save()
    first, *others = lines_of(convert_bytes("form.pdf", out.getvalue()))
    assert first == "We, Corvane Ltd of Leeds , hold the certificate named below."
    said = " ".join(others)
    assert "Signed on ____" in said and said.endswith("3 March 2026"), "of two blanks it is not known which is filled"


def test_a_tall_field_below_its_label_takes_no_label_of_another_column() -> None:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    pdf.drawString(60, 760, "Describe how you encrypt")
    pdf.drawString(340, 740, "Date of the last test")
    pdf.acroForm.textfield(name="how", x=60, y=655, width=220, height=100, value="AES-256 for all data at rest.")
    pdf.acroForm.textfield(name="day", x=340, y=715, width=120, height=18, value="3 March 2026")
    pdf.showPage()
    pdf.save()
    said = convert_bytes("form.pdf", out.getvalue()).text
    assert "how you encrypt\nAES-256 for all data at rest." in said
    assert said.index("Date of the last test") < said.index("3 March 2026")
