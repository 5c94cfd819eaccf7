"""Pictures of pages: PNGs that another library reads, marks where the quote is printed, and files that break them."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image
from reportlab.lib.colors import white
from reportlab.pdfgen.canvas import Canvas

from tasks.errors import Terminal
from tasks.pages.pictures.page_lookup import NoSuchPage, Place, number_at, page_of, place_at, span_of
from tasks.pages.pictures.page_painter import MARK, MAX_PIXELS, WIDTH_PX, mark, paint_page
from tasks.pages.pictures.page_painting import paint
from tasks.pages.pictures.png import png_of
from tasks.pages.pictures.text_page import text_page
from tasks.records import Box
from tests.made.chunks import document_of


def pixels_of(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as picture:
        picture.load()
        assert picture.mode == "RGB"
        return np.asarray(picture)


def marked(pixels: np.ndarray) -> np.ndarray:
    return np.argwhere((pixels == MARK).all(axis=2))


def pdf_of(width: float = 400, height: float = 300, pages: int = 1) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(width, height), invariant=True)
    for number in range(pages):
        canvas.drawString(40, height - 60, f"Page {number + 1}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_what_is_filled_into_a_form_is_painted() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(400, 300))
    look = {"borderWidth": 0, "fillColor": white, "borderColor": white}
    canvas.acroForm.textfield(name="name", x=40, y=200, width=300, height=40, value="Corvane Systems", **look)
    canvas.showPage()
    canvas.save()
    pixels = pixels_of(paint_page(buffer.getvalue(), 0, []))
    field = pixels[int(0.22 * len(pixels)) : int(0.32 * len(pixels))]
    assert (field < 100).all(axis=2).any()


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))))
def test_another_library_reads_the_same_pixels(pixels: np.ndarray) -> None:
    assert np.array_equal(pixels_of(png_of(pixels)), pixels)


@pytest.mark.parametrize("shape", [(0, 3, 3), (3, 3), (3, 3, 4)])
def test_what_is_no_picture(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="shape"):
        png_of(np.zeros(shape, np.uint8))


def test_a_box_is_marked_where_it_is() -> None:
    pixels = pixels_of(paint_page(pdf_of(pages=2), 1, [(40, 100, 120, 120)]))
    scale = WIDTH_PX / 400
    assert pixels.shape == (round(300 * scale), WIDTH_PX, 3)
    (top, left), (bottom, right) = marked(pixels).min(axis=0), marked(pixels).max(axis=0)
    assert np.abs(np.array([left, top, right, bottom]) / scale - (40, 100, 120, 120)).max() < 2.5
    unmarked = pixels_of(paint_page(pdf_of(pages=2), 1, []))
    assert not len(marked(unmarked)) and (unmarked < 100).any(), "the print is there"


def test_print_under_a_mark_stays_black_and_what_lies_outside_is_no_error() -> None:
    pixels = np.full((10, 10, 3), 255, np.uint8)
    pixels[5, 5] = 0
    mark(pixels, (2, 2, 8, 8), 0)
    mark(pixels, (-50, -50, -20, -20), 3)
    mark(pixels, (90, 90, 120, 120), 3)
    assert pixels[5, 5].tolist() == [0, 0, 0] and len(marked(pixels)) == 35


def test_a_page_of_metres_is_painted_small() -> None:
    pixels = pixels_of(paint_page(pdf_of(100, 14_000), 0, []))
    assert pixels.shape[0] * pixels.shape[1] <= MAX_PIXELS * 1.01


def test_the_process_paints_and_says_why_it_cannot() -> None:
    box = Box(40, 100, 120, 120)
    assert paint(pdf_of(), 0, [box]) == paint_page(pdf_of(), 0, [box])
    for data, index in ((b"no PDF", 0), (pdf_of(), 7), (b"", 0)):
        with pytest.raises(Terminal, match=r"cannot be painted .*: open the document itself"):
            paint(data, index, [])


def test_a_text_s_page_marks_the_quote_alone() -> None:
    text = "\n".join(f"Row {number} | says something that is long enough for a row" for number in range(400))
    start = text.index("Row 317")
    end = text.index("\n", start)
    whole = pixels_of(paint_page(text_page("answers.xlsx, sheet Answers", text, start, end), 0, []))
    found = (np.abs(whole.astype(int) - np.array([255, 230, 77])) < 4).all(axis=2)
    rows = np.flatnonzero(found.any(axis=1))
    assert 10 < len(rows) < 40 and rows[-1] - rows[0] == len(rows) - 1, "one line is marked"
    plain = pixels_of(paint_page(text_page("answers.xlsx", text), 0, []))
    assert not np.array_equal(whole, plain) and not (np.abs(plain.astype(int) - [255, 230, 77]) < 4).all(axis=2).any()


@pytest.mark.parametrize("text", ["", "x" * 20_000, "Шифруются 備份 \t\x00\u2011 – “…”", "a " * 5000, "\n" * 3000])
def test_any_text_gives_a_page(text: str) -> None:
    pixels = pixels_of(paint_page(text_page("name", text, 10, min(len(text), 15_000)), 0, []))
    assert (pixels < 100).any()


def test_an_accent_that_the_font_lacks_costs_the_accent_alone() -> None:
    assert text_page("name", "Gdańsk") == text_page("name", "Gdansk") != text_page("name", "Gda備sk")


def test_where_a_quote_stands() -> None:
    document = document_of(["All data is\nencrypted here.", "Nothing else."], ["Ref | Answer"])
    first, second = page_of(document, 1), page_of(document, 2)
    begin, end = span_of(document, first, None, None, "data is encrypted")
    assert document.text[begin:end] == "data is\nencrypted"
    assert span_of(document, second, second.start - 5, second.start + 3, None) == (second.start, second.start + 3)
    assert span_of(document, first, None, None, None) == span_of(document, first, None, None, " ") == (0, 0)
    assert [number_at(document, page.start) for page in document.pages] == [1, 2, 3], "a sheet is counted"
    assert page_of(document, 3).sheet_name == "Sheet"
    assert place_at(document, second.start + 4) == Place(2, "Section 2")
    assert place_at(replace(document, elements=()), second.start) == Place(2, "")
    for number in (0, 4):
        with pytest.raises(NoSuchPage, match="has no page"):
            page_of(document, number)
    with pytest.raises(NoSuchPage, match="does not hold the quote"):
        span_of(document, second, None, None, "data is encrypted")
    with pytest.raises(NoSuchPage, match="not on that page"):
        span_of(document, second, 0, 5, None)
    with pytest.raises(NoSuchPage, match="no character"):
        number_at(document, 10_000)
