"""Lines that a PDF draws after others that stand below them."""

from __future__ import annotations

import pytest

from tasks.conversion.layout.drawing_order import in_place
from tasks.conversion.layout.page import Line
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf

LINES = [
    "Customer data is kept in Frankfurt and",
    "in Dublin. Backups are kept for",
    "thirty days and are encrypted with keys",
    "that the customer may bring. Support",
    "answers within four hours on any day.",
]
ORDERS = [
    (0, 1, 3, 4, 2),
    (0, 3, 4, 1, 2),
    (1, 2, 3, 4, 0),
    (4, 3, 2, 1, 0),
    (1, 0, 3, 2, 4),
]


@pytest.mark.parametrize("order", ORDERS, ids=["one", "two", "the first", "all from below", "in turn"])
def test_a_line_that_is_drawn_late_stands_in_its_place(make_pdf: MakePdf, order: tuple[int, ...]) -> None:
    page = [(100, 700 - 14 * at, LINES[at], "Helvetica", 11) for at in order]
    assert convert_bytes("a.pdf", make_pdf([page])).text == " ".join(LINES)


def test_what_is_filled_into_blanks_stands_in_them(make_pdf: MakePdf) -> None:
    page = [
        (60, 760, "The supplier answers critical incidents within"),
        (340, 760, "hours and high ones within"),
        (60, 744, "hours, and pays a credit of"),
        (240, 744, "percent of the fee for each failure."),
        (312, 760, "four"),
        (490, 760, "eight"),
        (212, 744, "ten"),
    ]
    text = (
        "The supplier answers critical incidents within four hours and high ones within eight hours, and pays a credit"
        " of ten percent of the fee for each failure."
    )
    assert convert_bytes("a.pdf", make_pdf([[(*one, "Helvetica", 11) for one in page]])).text == text


def test_values_between_labels_are_cells(make_pdf: MakePdf) -> None:
    labels = [(x, 760 - 24 * row, f"{name}:") for row in range(2) for x, name in ((60, "Name"), (300, "Date"))]
    values = [(x, 760 - 24 * row, said) for row in range(2) for x, said in ((140, "Acme"), (380, "2026"))]
    page = [(*one, "Helvetica", 11) for one in (*labels, *values)]
    assert convert_bytes("a.pdf", make_pdf([page])).text == "Name: | Acme | Date: | 2026\nName: | Acme | Date: | 2026"


def column(x: float, top: float, size: float = 11.0) -> list[Line]:
    heights = [top - 14 * number for number in range(8)]
    return [Line(f"line at {x} and {y}", x, x + 150, y, y, size) for y in heights]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        column(60, 700),
        [*column(60, 700), *column(300, 700)],
        [*column(60, 700), *column(300, 703), *column(60, 500), *column(300, 500)],
        [*column(60, 500), *column(60, 700)],
        [*column(60, 700)[1:], column(60, 700, 16.0)[0]],
        [Line("no place"), *column(60, 700)],
    ],
    ids=["none", "one", "two columns", "two twice", "the lower half first", "other type", "no place"],
)
def test_all_else_stays_in_the_order_of_the_file(lines: list[Line]) -> None:
    assert list(in_place(lines)) == lines
