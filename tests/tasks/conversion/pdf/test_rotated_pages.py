"""Pages whose text runs sideways or upside down."""

from __future__ import annotations

import io
from collections.abc import Callable

import pypdfium2
import pytest
from reportlab.pdfgen import canvas

from tasks.conversion.pdf.page_text import View
from tasks.records import Document
from tests.made.conversions import convert_bytes

LINES = (
    "The service keeps logs for Ninety days in a store that",
    "Administrators cannot change. Every access to the Store is",
    "Logged and reviewed by the Security Team of the company and",
    "Reported to the Board. Backups are kept for 35 days in two",
    "Regions of the European Union and Tested every Quarter.",
)
ROWS = (
    ("Control", "Owner", "Tested"),
    ("Backups", "Ann", "March"),
    ("Restores", "Bob", "April"),
    ("Logs", "Cid", "May"),
)
WAYS: dict[int, tuple[float, float]] = {0: (0, 0), 90: (595, 0), 180: (595, 842), -90: (0, 842)}


def page(angle: int, draw: Callable[[canvas.Canvas], None], turns: int = 0) -> Document:
    """A page with what is drawn at an angle, in degrees against the clock, displayed after quarter turns with it."""
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.translate(*WAYS[angle])
    pdf.rotate(angle)
    draw(pdf)
    pdf.showPage()
    pdf.save()
    turned = pypdfium2.PdfDocument(out.getvalue())
    turned[0].set_rotation(90 * turns)
    out = io.BytesIO()
    turned.save(out)
    return convert_bytes("page.pdf", out.getvalue())


def paragraph(pdf: canvas.Canvas, y: float = 500) -> None:
    for at, line in enumerate(LINES):
        pdf.drawString(72, y - 14 * at, line)


def table(pdf: canvas.Canvas) -> None:
    for at, row in enumerate(ROWS):
        for x, cell in zip((72, 250, 420), row, strict=True):
            pdf.drawString(x, 540 - 18 * at, cell)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("angle", WAYS)
def test_a_paragraph_is_one_and_its_boxes_are_where_it_is_displayed(angle: int, turns: int) -> None:
    document = page(angle, paragraph, turns)
    assert [element.text for element in document.elements] == [" ".join(LINES)]
    (shown,) = document.pages
    assert (shown.width_pt, shown.height_pt) == ((842, 595) if turns % 2 else (595, 842))
    is_upright = (turns * 90 - angle) % 360 in (0, 180)
    for line in document.lines:
        left, top, right, bottom = line.box
        assert 0 <= left < right <= (shown.width_pt or 0) and 0 <= top < bottom <= (shown.height_pt or 0)
        assert (right - left > bottom - top) == is_upright


@pytest.mark.parametrize("angle", [0, 90, -90])
def test_a_table_is_one_and_what_follows_it_stands_after_it(angle: int) -> None:
    def draw(pdf: canvas.Canvas) -> None:
        table(pdf)
        paragraph(pdf, 400)

    document = page(angle, draw)
    assert [(element.kind, element.text) for element in document.elements] == [
        ("table", "\n".join(" | ".join(row) for row in ROWS)),
        ("paragraph", " ".join(LINES)),
    ]


def test_a_line_set_sideways_beside_a_text_moves_nothing() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        paragraph(pdf)
        pdf.saveState()
        pdf.translate(30, 300)
        pdf.rotate(90)
        pdf.drawString(0, 0, "Confidential copy")
        pdf.restoreState()

    texts = [element.text for element in page(0, draw).elements]
    assert " ".join(LINES) in texts and len(texts) == 2


def test_a_mark_on_a_page_set_sideways_is_taken_for_no_label_s() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        paragraph(pdf)
        pdf.acroForm.checkbox(name="a", x=80, y=100, size=12, checked=True)

    assert [element.text for element in page(90, draw).elements] == [" ".join(LINES), "☒"]


@pytest.mark.parametrize("turns", range(4))
def test_a_point_as_displayed_is_found_again_on_the_page(turns: int) -> None:
    view = View(10.0, 20.0, 110.0, 320.0, turns)
    assert view.own(*view.show(37.0, 81.0)) == (37.0, 81.0)
    assert view.show(*view.own(5.0, 7.0)) == (5.0, 7.0)
