"""Letter-spaced words of a PDF, drawn one letter at a time, and lines of single letters that are none."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tasks.conversion.pdf.reader import read_pdf, read_sheets
from tasks.records import Document
from tests.made.conversions import convert_bytes
from tests.made.pdfs import letter_by_letter, pdf_of_pages
from tests.made.placed_text import check_places

BODY = 60, 600, "All data at rest is encrypted by keys that are kept apart from it."


def read(*drawn: tuple[object, ...]) -> Document:
    return convert_bytes("a.pdf", pdf_of_pages([drawn]))


@pytest.mark.parametrize("gap", [0.15, 0.2, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("font", ["Helvetica", "Times-Bold", "Courier"])
def test_headings_are_read_as_their_words(font: str, gap: float) -> None:
    headings = ["ENCRYPTION AT REST", "Backup Policy", "SECURITY", "Section 12: Risk & Control"]
    drawn = [letter_by_letter(60, 760 - 40 * at, text, gap, font, 14) for at, text in enumerate(headings)]
    document = read(*(letter for heading in drawn for letter in heading), BODY)
    assert [element.text for element in document.elements] == [*headings, BODY[2]]


def test_blanks_that_are_drawn_part_words_too() -> None:
    blanks = [(60 + 9 * at, 700, " ", "Helvetica", 11) for at in (9, 14)]
    assert read(*letter_by_letter(60, 700, "RETENTION OF DATA", 0.3), *blanks, BODY).text.startswith(
        "RETENTION OF DATA\n"
    )


@pytest.mark.parametrize("blank", ["", " "], ids=["gaps", "blanks"])
def test_a_spaced_word_among_others(blank: str) -> None:
    x = 60 + stringWidth("Keys are ", "Helvetica", 11) + (0 if blank else 3)
    drawn = [(60, 700, f"Keys are{blank}"), *letter_by_letter(x, 700, "never", 0.25)]
    assert read(*drawn, (x + 48, 700, "kept beside the data.")).text == "Keys are never kept beside the data."


def test_words_far_apart_are_no_cells_but_a_value_beside_its_label_is() -> None:
    heading = letter_by_letter(60, 700, "DATA RETENTION", 0.6)
    row = [*letter_by_letter(60, 660, "OWNER", 0.3), (300, 660, "Head of Security")]
    lines = read_pdf("a.pdf", pdf_of_pages([[*heading, *row]])).pages[0].lines
    assert [(line.text, [cell.text for cell in line.cells]) for line in lines] == [
        ("DATA RETENTION", []),
        ("OWNER Head of Security", ["OWNER", "Head of Security"]),
    ]


def test_words_of_a_line_without_blanks_are_not_joined() -> None:
    x, drawn = 60.0, []
    for word in "We Make It Great and Plan B is No C or D for us".split():
        drawn.append((x, 700, word))
        x += stringWidth(word, "Helvetica", 11) + 0.19 * 11
    assert read(*drawn).text == "We Make It Great and Plan B is No C or D for us"


def test_short_words_beside_a_spaced_word_of_their_line() -> None:
    drawn = [*letter_by_letter(60, 700, "REVIEWER", 0.3), *letter_by_letter(300, 700, "DUE", 0.3)]
    (line,) = read_pdf("a.pdf", pdf_of_pages([drawn])).pages[0].lines
    assert [cell.text for cell in line.cells] == ["REVIEWER", "DUE"]


def test_letters_below_each_other_are_codes_though_their_columns_differ() -> None:
    drawn = letter_by_letter(60, 700, "MTWTFS", 0.4, size=10)
    places = [x for x, *_ in drawn]
    above = [(x, 714, letter, "Helvetica", 10) for x, letter in zip(places, "RACISV", strict=True)]
    same = letter_by_letter(60, 714, "MTWTFS", 0.4, size=10)
    said = [read(*others, *drawn, BODY).text.removesuffix(BODY[2]).split() for others in ([], same, above)]
    assert said == [["MTWTFS"], ["MTWTFS", "MTWTFS"], [*"RACISV", *"MTWTFS"]]


def cells(letters: str, pitch: float, y: float = 700) -> list[tuple[object, ...]]:
    """Each letter at the left of a narrow cell."""
    return [(60 + pitch * at, y, letter, "Helvetica", 10) for at, letter in enumerate(letters)]


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (cells("RACI", 11), "R A C I"),
        (cells("YNPYN", 12), "Y N P Y N"),
        (cells("SMTWTFS", 13), "S M T W T F S"),
        (letter_by_letter(60, 700, "YNYNNY", 0.4), "Y N Y N N Y"),
        (letter_by_letter(60, 700, "ABCDEFGH", 0.3), "A B C D E F G H"),
        (letter_by_letter(60, 700, "20261129", 0.3), "2 0 2 6 1 1 2 9"),
        (letter_by_letter(60, 700, "a=b+cxd", 0.3), "a = b + c x d"),
        ([(60, 700, "J."), (71, 700, "R."), (84, 700, "R."), (97, 700, "Tolkien")], "J. R. R. Tolkien"),
        ([(60, 700, "E N C R Y P T I O N")], "E N C R Y P T I O N"),
        ([(60, 700, "Angles at"), *letter_by_letter(109, 700, "PQXZ", 0.25), (154, 700, "are right")], "P Q X Z"),
    ],
    ids=["cells", "answers", "days", "two answers", "alphabet", "digits", "formula", "initials", "typed", "names"],
)
def test_letters_that_are_no_word_stay_apart(drawn: list[tuple[object, ...]], said: str) -> None:
    assert said in read(*drawn).text


def test_words_are_found_where_they_stand() -> None:
    data = pdf_of_pages([[*letter_by_letter(60, 700, "ENCRYPTION AT REST", 0.3, size=18), BODY]])
    assert check_places(convert_bytes("a.pdf", data), data) == 2


def test_a_turned_page() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842))
    canvas.rotate(90)
    for number in range(3):
        for x, y, letter, font, size in letter_by_letter(100, -100 - 40 * number, "ENCRYPTION AT REST", 0.3):
            canvas.setFont(font, size)
            canvas.drawString(x, y, letter)
    canvas.save()
    writer = PdfWriter()
    for angle in (0, 90):
        page = PdfReader(io.BytesIO(out.getvalue())).pages[0]
        writer.add_page(page.rotate(angle))
    turned = io.BytesIO()
    writer.write(turned)
    document = convert_bytes("a.pdf", turned.getvalue())
    assert document.text.count("ENCRYPTION AT REST") == 6


def test_the_plain_text_of_a_page_has_the_words() -> None:
    (sheet,) = read_sheets(pdf_of_pages([[*letter_by_letter(60, 700, "ENCRYPTION AT REST", 0.3), BODY]]))
    assert sheet.text.split("\r\n")[0] == "ENCRYPTION AT REST"
