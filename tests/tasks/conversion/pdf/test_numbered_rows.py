"""Tables whose first column is a number, and lists, headings and contents, which have numbers and are no tables."""

from __future__ import annotations

import io
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from tasks.records import Document
from tests.made.conversions import convert_bytes

NORMAL = getSampleStyleSheet()["Normal"]
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
HEAD = ["Ref", "Requirement", "Response"]
SHORT = [
    ["Encrypt data at rest", "AES-256"],
    ["Test backups", "Quarterly"],
    ["Report breaches", "Within a day"],
    ["Name a contact", "See the annex"],
]
WRAPPED = [
    SHORT[0],
    [
        "Keep logs of access for one year, and give them to the customer",
        "Thirteen months, in a store that nobody can alter",
    ],
    SHORT[1],
    ["Screen all staff before hiring, and again every three years", "Yes, by an agency in each of the countries"],
]
NUMBERS = [
    ["1", "2", "3", "4"],
    ["8", "9", "10", "11"],
    ["1.", "2.", "3.", "4."],
    ["1)", "2)", "3)", "4)"],
    ["1.1", "1.2", "1.3", "1.4"],
    ["4.2.8", "4.2.9", "4.2.10", "4.2.11"],
    ["(a)", "(b)", "(c)", "(d)"],
    ["a.", "b.", "c.", "d."],
]


def rows_of(numbers: list[str], cells: list[list[str]]) -> list[list[str]]:
    return [[number, *own] for number, own in zip(numbers, cells, strict=True)]


def set_by_paragraphs(rows: list[list[str]], *style: tuple[Any, ...]) -> Document:
    widths = [45, *([190] * (len(rows[0]) - 1))]
    table = Table([[Paragraph(cell, NORMAL) for cell in row] for row in rows], colWidths=widths)
    table.setStyle(TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP"), *style]))
    out = io.BytesIO()
    SimpleDocTemplate(out).build([table])
    return convert_bytes("a.pdf", out.getvalue())


def drawn(*lines: tuple[tuple[float, str], ...], pitch: float = 16, top: float = 760) -> Document:
    """A page with those texts at those places from the left, a line each."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.setFont("Helvetica", 10)
    for at, line in enumerate(lines):
        for x, text in line:
            page.drawString(x, top - at * pitch, text)
    page.save()
    return convert_bytes("a.pdf", out.getvalue())


def tables(document: Document) -> list[str]:
    return [element.text for element in document.elements if element.kind == "table"]


def told(rows: list[list[str]]) -> list[str]:
    return ["\n".join(" | ".join(row) for row in rows)]


@pytest.mark.parametrize("style", [(GRID,), ()], ids=["ruled", "plain"])
@pytest.mark.parametrize("cells", [SHORT, WRAPPED], ids=["short", "wrapped"])
@pytest.mark.parametrize("numbers", NUMBERS, ids=lambda numbers: numbers[0])
def test_a_number_is_a_cell_of_its_row(
    numbers: list[str], cells: list[list[str]], style: tuple[tuple[Any, ...], ...]
) -> None:
    rows = rows_of(numbers, cells)
    assert tables(set_by_paragraphs([HEAD, *rows], *style)) == told([HEAD, *rows])
    assert tables(set_by_paragraphs(rows, *style)) == told(rows)


@pytest.mark.parametrize("numbers", NUMBERS, ids=lambda numbers: numbers[0])
def test_rules_or_a_heading_tell_two_columns(numbers: list[str]) -> None:
    rows = [row[:2] for row in rows_of(numbers, WRAPPED)]
    assert tables(set_by_paragraphs(rows, GRID)) == told(rows)
    assert tables(set_by_paragraphs([["No.", "Requirement"], *rows])) == told([["No.", "Requirement"], *rows])


def test_a_table_over_several_pages() -> None:
    rows = [[str(number), f"Control {number} is in place", "Yes"] for number in range(1, 121)]
    document = set_by_paragraphs([HEAD, *rows], GRID)
    assert len(document.pages) > 2
    assert "\n".join(tables(document)) == told([HEAD, *rows])[0]


def test_cells_that_are_drawn_in_boxes() -> None:
    rows = [HEAD, *rows_of(["1", "2", "3", "4"], SHORT)]
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.setFont("Helvetica", 9)
    for at, row in enumerate(rows):
        for x, width, cell in zip((50, 90, 300), (40, 210, 200), row, strict=True):
            page.rect(x, 760 - 16 * at, width, 16)
            page.drawString(x + 3, 765 - 16 * at, cell)
    page.save()
    assert tables(convert_bytes("a.pdf", out.getvalue())) == told(rows)


def test_a_row_without_a_number_and_a_second_table() -> None:
    places = (60, 100, 300)
    rows = [
        *(
            [*HEAD],
            ["1", "Logs", "Kept for a year"],
            ["2", "Keys", "Changed each quarter"],
            ["All", "Staff", "Screened"],
        ),
        *(["Step", "Person", "Within"], ["1", "Duty lead", "At once"], ["2", "Director", "An hour"]),
    ]
    lines = [tuple(zip(places, row, strict=True)) for row in rows]
    assert "\n".join(tables(drawn(*lines))) == told(rows)[0]


def test_numbers_that_follow_on_one_another_are_kept_before_small_letters() -> None:
    formats = ["yyyy", "mmm", "mm/dd", "dd", "hours", "minutes", "seconds", "weeks"]
    rows = [["Code", "Format", "Example"], *([str(at), said, f"As {said}"] for at, said in enumerate(formats))]
    assert tables(drawn(*(tuple(zip((60, 120, 300), row, strict=True)) for row in rows))) == told(rows)


@pytest.mark.parametrize(
    "lines",
    [
        [((60, f"{number}."), (84, f"Item {number} of a list")) for number in range(1, 6)],
        [((60, f"{number}"), (84, f"Heading {number}")) for number in range(1, 6)],
        [((60, f"4.{number}"), (100, f"Roles {number}")) for number in range(1, 6)],
        [((60, f"({letter})"), (90, f"the point {letter};")) for letter in "abcde"],
        [((60, "The supplier shall, and so shall all of its own:"),), *([((60, "1."), (84, "Keep logs"))] * 3)],
    ],
    ids=["list", "headings", "headings below others", "letters", "below a sentence"],
)
def test_a_list_and_headings_are_no_table(lines: list[tuple[tuple[float, str], ...]]) -> None:
    assert not tables(drawn(*lines))


def test_a_list_below_a_heading_that_goes_over_its_numbers_stays_in_its_cell() -> None:
    rows = [(f"{number}.", f"Requirement {number}", "Yes") for number in range(1, 6)]
    lines = [tuple(zip((60, 84, 300), row, strict=True)) for row in rows]
    document = drawn(((60, "All that is required"), (300, "Met")), *lines)
    assert tables(document) == told(
        [["All that is required", "Met"], *([f"{number} {said}", met] for number, said, met in rows)]
    )


@pytest.mark.parametrize("dots", [" . . . . . . . . . . . . . . ", ""])
def test_a_contents_keeps_its_numbers_beside_its_titles(dots: str) -> None:
    lines = [((60, str(number)), (90, f"The part {number}{dots}"), (400, str(3 * number))) for number in range(1, 7)]
    document = drawn(*lines)
    assert all(f"{number} The part {number}" in document.text for number in range(1, 7))


def test_lists_beside_one_another_keep_their_numbers() -> None:
    lines = [
        ((60, f"{number}."), (84, f"Item {number}"), (300, f"{number + 6}."), (324, f"Item {number + 6}"))
        for number in range(1, 7)
    ]
    document = drawn(*lines)
    assert all(f"{number}. Item {number}" in document.text for number in range(1, 7))
