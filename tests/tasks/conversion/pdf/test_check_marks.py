"""Check boxes and radio buttons of PDF forms: an empty one must never read as set."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pypdf
import pypdfium2
import pytest
from pypdf.generic import NameObject
from reportlab.pdfgen import canvas

from tests.made.conversions import check_offsets, convert_bytes
from tests.made.pdfs import letter_by_letter

Draw = Callable[[canvas.Canvas], None]


def form(draw: Draw) -> bytes:
    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.setFont("Helvetica", 11)
    draw(pdf)
    pdf.showPage()
    pdf.save()
    return out.getvalue()


def box(pdf: canvas.Canvas, x: float, y: float, is_set: bool = False, size: float = 12, **more: Any) -> None:
    pdf.acroForm.checkbox(name=f"box {x} {y}", x=x, y=y - 2, size=size, checked=is_set, **more)


def row(pdf: canvas.Canvas, y: float, *parts: tuple[float, str | bool]) -> None:
    """Words, and boxes that are set or not, each from its x on."""
    for x, part in parts:
        if isinstance(part, str):
            pdf.drawString(x, y, part)
        else:
            box(pdf, x, y, part)


def texts(data: bytes) -> list[str]:
    document = convert_bytes("form.pdf", data)
    check_offsets(document)
    for element in document.elements:
        assert element.box is not None
        assert 0 <= element.box.left <= element.box.right and 0 <= element.box.top <= element.box.bottom
    return [element.text for element in document.elements]


def changed(data: bytes, change: Callable[[Any], object]) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    annotations: Any = writer.pages[0]["/Annots"]
    for annotation in annotations:
        change(annotation.get_object())
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def yes_no(pdf: canvas.Canvas) -> None:
    row(pdf, 760, (60, "Do you encrypt backups?"))
    row(pdf, 740, (60, True), (78, "Yes"), (130, False), (148, "No"))


def test_a_mark_stands_before_the_label_that_follows_it() -> None:
    assert texts(form(yes_no)) == ["Do you encrypt backups?", "☒ Yes ☐ No"]


def test_on_the_line_of_what_is_asked() -> None:
    parts: tuple[tuple[float, str | bool], ...] = ((60, "Do you log access?"), (190, False), (208, "Yes"))
    assert texts(form(lambda pdf: row(pdf, 760, *parts, (250, True), (268, "No")))) == ["Do you log access? ☐ Yes ☒ No"]


def test_a_line_ends_after_a_mark_that_follows_its_label() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        row(pdf, 760, (60, "Yes"), (84, False), (130, "No"), (150, True))
        row(pdf, 740, (60, "ISO 27001"), (130, True))
        row(pdf, 726, (60, "SOC 2"), (130, False))

    assert texts(form(draw)) == ["Yes ☐", "No ☒", "ISO 27001 ☒", "SOC 2 ☐"]


def test_marks_in_columns_stand_in_the_table_s_cells() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        row(pdf, 760, (60, "Control"), (300, "Yes"), (360, "No"))
        row(pdf, 742, (60, "Backups are encrypted"), (302, True), (362, False))
        row(pdf, 724, (60, "Restores are tested"), (302, False), (362, True))

    assert texts(form(draw)) == [
        "Control | Yes | No\nBackups are encrypted | ☒ | ☐\nRestores are tested | ☐ | ☒",
    ]


@pytest.mark.parametrize("chosen", ["yes", "no", None])
def test_of_radio_buttons_the_chosen_one_alone_is_set(chosen: str | None) -> None:
    def draw(pdf: canvas.Canvas) -> None:
        for x, value in ((60, "yes"), (130, "no")):
            pdf.acroForm.radio(name="r", value=value, x=x, y=738, size=12, selected=value == chosen)
            pdf.drawString(x + 18, 740, value.title())

    marks = {value: "☒" if value == chosen else "☐" for value in ("yes", "no")}
    assert texts(form(draw)) == [f"{marks['yes']} Yes {marks['no']} No"]


def test_what_is_printed_under_a_mark_gives_way_to_it() -> None:
    """As forms have it that were printed before: the words go on through the boxes."""

    def draw(pdf: canvas.Canvas) -> None:
        pdf.drawString(60, 760, "Certified: __ Yes __ No __ In part")
        for before, is_set in (("", False), ("__ Yes ", True), ("__ Yes __ No ", False)):
            x = 60 + pdf.stringWidth("Certified: " + before, "Helvetica", 11)
            box(pdf, x + 1, 760, is_set, size=10)

    assert texts(form(draw)) == ["Certified: ☐ Yes ☒ No ☐ In part"]


def test_marks_above_their_labels_stand_in_one_line() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        row(pdf, 760, (60, "How mature is it?"))
        row(pdf, 735, (60, False), (110, True), (160, False))
        row(pdf, 715, (60, "Low"), (110, "Fair"), (160, "High"))

    assert texts(form(draw)) == ["How mature is it?", "☐ | ☒ | ☐\nLow | Fair | High"]


def test_marks_belong_to_their_own_column() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        for at, (left, right) in enumerate([(True, False), (False, True)]):
            row(pdf, 760 - 40 * at, (60, left), (78, f"Left {at}"), (320, right), (338, f"Right {at}"))

    got = " ".join(texts(form(draw)))
    assert all(one in got for one in ("☒ Left 0", "☐ Right 0", "☐ Left 1", "☒ Right 1"))


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_on_a_turned_page_marks_are_as_many_and_as_set(turns: int) -> None:
    turned = pypdfium2.PdfDocument(form(yes_no))
    turned[0].set_rotation(90 * turns)
    out = io.BytesIO()
    turned.save(out)
    got = " ".join(texts(out.getvalue()))
    assert (got.count("☒"), got.count("☐")) == (1, 1)


def test_a_page_drawn_sideways_and_turned_upright_reads_as_it_is_shown() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        # reportlab's fields are not turned with what is drawn: their places are given as on the sheet.
        pdf.saveState()
        pdf.translate(595, 0)
        pdf.rotate(90)
        row(pdf, 300, (60, "Do you log access?"), (208, "Yes"), (268, "No"))
        pdf.restoreState()
        pdf.acroForm.checkbox(name="yes", x=285, y=190, size=12, checked=False)
        pdf.acroForm.checkbox(name="no", x=285, y=250, size=12, checked=True)

    turned = pypdfium2.PdfDocument(form(draw))
    turned[0].set_rotation(90)
    out = io.BytesIO()
    turned.save(out)
    assert texts(out.getvalue()) == ["Do you log access? ☐ Yes ☒ No"]


@pytest.mark.parametrize(
    "change",
    [
        lambda annotation: annotation.pop("/AS"),
        lambda annotation: annotation.update({NameObject("/AS"): NameObject("/Off")}),
        lambda annotation: annotation.update({NameObject("/V"): NameObject("/Off")}),
    ],
    ids=["shows nothing", "counts and does not show", "shows and does not count"],
)
def test_where_the_file_contradicts_itself_nothing_is_said_to_be_set(change: Callable[[Any], object]) -> None:
    got = texts(changed(form(lambda pdf: row(pdf, 760, (60, True), (78, "Yes"))), change))
    assert got == ["Yes"]


def test_a_mark_that_nobody_sees_is_not_read() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        box(pdf, 60, 760, True, annotationFlags="hidden")
        pdf.drawString(78, 760, "Yes")

    assert texts(form(draw)) == ["Yes"]


def test_a_mark_right_behind_a_letter_spaced_word() -> None:
    def draw(pdf: canvas.Canvas) -> None:
        for x, y, letter, font, size in letter_by_letter(60, 700, "ENCRYPTED", 0.2):
            pdf.setFont(font, size)
            pdf.drawString(x, y, letter)
        box(pdf, 146, 700, True, size=5)
        pdf.drawString(152, 700, "or not")

    assert texts(form(draw)) == ["ENCRYPTED ☒ or not"]
