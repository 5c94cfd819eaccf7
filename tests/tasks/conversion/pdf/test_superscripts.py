"""Digits that a PDF prints raised, and the lines that they part."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from tests.made.conversions import convert_bytes

Run = tuple[str, float, float]
"""A text, how far it is raised, and its type size."""


def printed(lines: Iterable[Iterable[Run]], size: tuple[float, float] = (595.0, 842.0)) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=size)
    for number, runs in enumerate(lines):
        text = canvas.beginText(60, 760 - 14 * number)
        for said, rise, type_size in runs:
            text.setFont("Helvetica", type_size)
            text.setRise(rise)
            text.textOut(said)
        canvas.drawText(text)
    canvas.save()
    return out.getvalue()


def words(*runs: str | Run) -> list[Run]:
    return [(run, 0, 11) if isinstance(run, str) else run for run in runs]


def raised(text: str) -> Run:
    return (text, 4, 7)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            words("Uptime is 99.9 % over 10", raised("3"), " hours, and a response takes 4", raised("1"), " hours."),
            "Uptime is 99.9 % over 10³ hours, and a response takes 4¹ hours.",
        ),
        (words("We answer within 24 hours.", raised("12"), " So it is."), "We answer within 24 hours.¹² So it is."),
        (words("A key space of 2", raised("256"), " is enough."), "A key space of 2²⁵⁶ is enough."),
        (words("At most 10", raised("-9"), ", and no more."), "At most 10⁻⁹, and no more."),
        (words("It takes 8 hours", raised("1,2"), " at most."), "It takes 8 hours¹,² at most."),
        (words("It takes 8", raised("2)"), " hours at most."), "It takes 8²) hours at most."),
        (words("On an area of 40 m", raised("2")), "On an area of 40 m²"),
    ],
    ids=["hours", "a sentence's end", "a power", "a sign", "two notes", "a bracket", "the end of a line"],
)
def test_raised_digits_are_written_raised(runs: list[Run], said: str) -> None:
    assert [element.text for element in convert_bytes("a.pdf", printed([runs])).elements] == [said]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (words("CO", ("2", -2, 7), " is offset by 12 trees."), "CO2 is offset by 12 trees."),
        (words("On the 1", raised("st"), " of May it ends."), "On the 1st of May it ends."),
        (words("By ", ("ISO27001", 0, 8), " and 24/7."), "By ISO27001 and 24/7."),
        (words("Version 12", (".5", 4, 11), " of it."), "Version 12.5 of it."),
    ],
    ids=["lowered", "an ordinal", "small type", "no smaller type"],
)
def test_other_digits_stay_in_one_line(runs: list[Run], said: str) -> None:
    assert [element.text for element in convert_bytes("a.pdf", printed([runs])).elements] == [said]


def test_a_paragraph_goes_on_behind_a_line_that_ends_raised() -> None:
    lines = [words("The time to recover all data of a customer is 8", raised("1")), words("hours at the very most.")]
    text = "The time to recover all data of a customer is 8¹ hours at the very most."
    assert convert_bytes("a.pdf", printed(lines)).text == text


def test_a_paragraph_ends_with_what_is_parted_from_its_line() -> None:
    lines = [words("The time to recover all data of a customer is in each case"), words("4", raised("1"))]
    text = "The time to recover all data of a customer is in each case 4¹"
    assert convert_bytes("a.pdf", printed(lines)).text == text


def test_what_was_printed_is_found_where_it_stands() -> None:
    runs = words("We answer in 4", raised("1"), " hours.")
    (element,) = convert_bytes("a.pdf", printed([runs])).elements
    assert element.text == "We answer in 4¹ hours." and element.box is not None
    assert element.box.left == 60 and element.box.right > 160


def test_a_turned_page_and_one_with_text_beyond_its_edge() -> None:
    lines = [words("Over 10", raised("3"), " hours and"), words("4", raised("1"), " days."), [("x" * 200, 0.0, 11.0)]]
    writer = PdfWriter()
    for page in PdfReader(io.BytesIO(printed(lines))).pages:
        page.mediabox.lower_left = (10, 10)
        writer.add_page(page)
    out = io.BytesIO()
    writer.write(out)
    text = convert_bytes("a.pdf", out.getvalue()).text
    assert "10³" in text and "4¹" in text
