"""Pictures beside a page's own few words, and what is told where they were not read."""

from __future__ import annotations

import io

import pptx
import pytest

from tasks.conversion.document.placed_text import Part
from tasks.conversion.document.serialization import document_row, to_json
from tasks.conversion.files.convert import convert
from tasks.conversion.files.reconversion import has_unread_pages
from tasks.conversion.layout.page import Line, PageReader
from tasks.conversion.ocr.tesseract import find_ocr
from tasks.conversion.office import unstructured_reader
from tasks.conversion.pdf.reader import has_scans
from tasks.errors import ConversionError
from tasks.records import Box
from tests.made.conversions import check_offsets, convert_bytes
from tests.made.scans import NATIVE, PICTURED, STAMP, needs_tesseract, pdf_of, picture, stamped
from tests.made.source_files import source_of

FOOTER = "Contoso Ltd, certificates 2025"
CAPTION = "Figure 3: the certificate of our data centre"


def failing(*_: object) -> list[Line]:
    raise ConversionError("p. 1: tesseract failed")


@pytest.mark.parametrize(
    ("ocr", "is_told"),
    [(None, True), (lambda *_: [], True), (failing, True), (lambda *_: [Line("Smudge")], False)],
    ids=["no OCR", "nothing found", "fails", "no more words found"],
)
def test_a_stamp_stays_and_it_is_told_where_the_picture_was_not_read(ocr: PageReader | None, is_told: bool) -> None:
    data = stamped()
    document = convert(source_of("a.pdf", data), data, unstructured_reader, ocr)
    assert document.text == STAMP and document.pages[0].text_source == ("none" if is_told else "native")
    said = "a.pdf: no text could be read in the pictures on p. 1: install tesseract, or where it is, scan them anew"
    assert document_row("default", "a", document, len(data))["reason"] == (said if is_told else None)
    assert has_unread_pages(to_json(document)) is is_told


def pasted(width: float, *stamps: tuple[float, str]) -> bytes:
    """A page with a picture of a page at so much of its width, and lines of text at so many points from its foot."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    pdf = canvas.Canvas(out, pagesize=(595, 842))
    pdf.drawImage(ImageReader(picture(PICTURED)), 297 * (1 - width), 400 * (1 - width), 595 * width, 842 * width)
    for y, text in stamps:
        pdf.drawString(72, y, text)
    pdf.showPage()
    pdf.save()
    return out.getvalue()


@needs_tesseract
@pytest.mark.parametrize("width", [0.76, 0.7, 0.5])
def test_a_scan_at_the_width_of_the_text_above_a_footer(width: float) -> None:
    data = pasted(width, (800, CAPTION), (30, FOOTER))
    document = convert(source_of("a.pdf", data), data, unstructured_reader, find_ocr())
    check_offsets(document)
    assert [page.text_source for page in document.pages] == ["ocr"]
    assert document.text == "\n".join([CAPTION, " ".join(PICTURED), FOOTER])


def test_a_file_of_scans_above_footers_is_one_of_scans() -> None:
    assert has_scans(pasted(0.7, (30, FOOTER))) and has_scans(pdf_of(PICTURED))
    assert not has_scans(pasted(0.3, (30, FOOTER))) and not has_scans(pdf_of(NATIVE))
    assert not has_scans(pasted(0.7, *((30 + 12 * line, CAPTION) for line in range(20))))


def test_what_ocr_makes_of_a_page_s_own_words_is_left_out() -> None:
    data = pasted(0.7, (800, CAPTION), (400, "Approved."), (30, FOOTER))

    def line(text: str, y: float, right: float) -> Line:
        box = Box(72, 842 - y - 8, right, 842 - y + 2)
        return Line(text, 72, right, y, y, 10, parts=(Part(0, len(text), box),))

    def ocr(*_: object) -> list[Line]:
        return [
            line("Flgure 3: the certiflcate of our data centre", 800, 300),
            line(PICTURED[0], 600, 340),
            line(PICTURED[1], 580, 340),
            line(PICTURED[2] + " Approved.", 400, 340),
            line("C0ntoso Ltd, certif1cates 2O25", 30, 230),
        ]

    document = convert(source_of("a.pdf", data), data, unstructured_reader, ocr)
    assert document.text.split() == " ".join([CAPTION, *PICTURED, "Approved.", FOOTER]).split()


def test_an_own_line_stands_where_it_is_among_those_of_the_picture() -> None:
    data = pasted(0.7, (500, "Second half:"))

    def ocr(*_: object) -> list[Line]:
        boxes = [Box(72, top, 340, top + 10) for top in (200, 400)]
        return [
            Line(text, 72, 340, 842 - box.bottom, 842 - box.bottom, 10, parts=(Part(0, len(text), box),))
            for text, box in zip(PICTURED, boxes, strict=False)
        ]

    document = convert(source_of("a.pdf", data), data, unstructured_reader, ocr)
    assert document.text.split("\n") == [PICTURED[0], "Second half:", PICTURED[1]]


def test_a_document_says_which_pages_have_pictures_that_were_not_read_beside_a_few_words() -> None:
    from pypdf import PdfWriter

    made = PdfWriter()
    for data in (pdf_of(NATIVE), pasted(0.7, (30, FOOTER)), pdf_of(PICTURED)):
        made.append(io.BytesIO(data))
    out = io.BytesIO()
    made.write(out)
    data = out.getvalue()
    document = convert(source_of("a.pdf", data), data, unstructured_reader)
    assert document.text == f"{NATIVE}\n\n{FOOTER}\n\n"
    assert (
        document_row("default", "a", document, len(data))["reason"]
        == "a.pdf: no text could be read on p. 3 and in the pictures on p. 2: install tesseract, or where it is, scan "
        "them anew"
    )


@pytest.mark.parametrize(("inches", "text", "is_told"), [(6, "", True), (1, "", False), (6, "Our certificate", False)])
def test_a_slide_that_is_a_picture_is_told(inches: int, text: str, is_told: bool) -> None:
    deck = pptx.Presentation()
    for said in (NATIVE, text, "hidden"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        assert slide.shapes.title is not None
        slide.shapes.title.text = said
    shown, hidden = list(deck.slides)[1:]
    image = io.BytesIO()
    picture(PICTURED).save(image, "PNG")
    for slide in (shown, hidden):
        slide.shapes.add_picture(image, 0, 0, pptx.util.Inches(inches))
    hidden._element.set("show", "0")
    out = io.BytesIO()
    deck.save(out)
    document = convert_bytes("a.pptx", out.getvalue())
    said = "a.pptx: no text could be read on slide 2, of pictures: save it as .pdf, whose pages tesseract reads"
    assert document_row("default", "a", document, 1)["reason"] == (said if is_told else None)
