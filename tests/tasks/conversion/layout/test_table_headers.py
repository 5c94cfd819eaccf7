"""Headings of printed tables that stand over several columns."""

from __future__ import annotations

import io

import pytest
from reportlab.lib import colors
from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

from tasks.conversion.document.placed_text import PlacedText
from tasks.conversion.layout.table_columns import with_empty_cells
from tasks.conversion.layout.table_headers import Column, TableCell, over_columns
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf

ROWS = [
    ["Severity", "Standard", "", "Premium", ""],
    ["", "Response", "Resolution", "Response", "Resolution"],
    ["Critical", "4 h", "24 h", "15 min", "4 h"],
    ["High", "8 h", "48 h", "1 h", "8 h"],
]
SAID = (
    "Response | Resolution | Response | Resolution\nCritical | 4 h | 24 h | 15 min | 4 h\nHigh | 8 h | 48 h | 1 h | 8 h"
)
SPANS = [("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("SPAN", (0, 0), (0, 1))]


def tables(align: str, place: str, rows: list[list[str]], *style: tuple[object, ...]) -> list[str]:
    table = Table(rows, colWidths=[80, 90, 90, 90, 90][: len(rows[0])])
    styles = [("ALIGN", (0, 0), (-1, 1), align), ("VALIGN", (0, 0), (-1, -1), place), *style]
    table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), *styles]))
    out = io.BytesIO()
    SimpleDocTemplate(out).build([table])
    return [element.text for element in convert_bytes("a.pdf", out.getvalue()).elements if element.kind == "table"]


@pytest.mark.parametrize("align", ["CENTER", "LEFT"])
def test_a_heading_over_two_columns_is_said_over_each(align: str) -> None:
    assert tables(align, "TOP", ROWS, *SPANS) == [f"Severity | Standard | Standard | Premium | Premium\n– | {SAID}"]


def test_the_first_column_may_have_its_heading_in_the_middle_of_both_rows() -> None:
    assert tables("CENTER", "MIDDLE", ROWS, *SPANS) == [f"– | Standard | Standard | Premium | Premium\n– | {SAID}"]


def test_a_heading_in_the_middle_of_two_rows_is_none_of_the_line_that_it_is_drawn_with(make_pdf: MakePdf) -> None:
    columns = [72, 180, 260, 340, 420]
    rows = [zip(columns, row, strict=True) for row in ROWS[1:]]
    body = [(x, 686 - 16 * at, cell) for at, row in enumerate(rows) for x, cell in row if cell]
    page = [(72, 694, "Severity"), (218, 702, "Standard"), (380, 702, "Premium"), *body]
    tables = [e.text for e in convert_bytes("a.pdf", make_pdf([page])).elements if e.kind == "table"]
    assert tables == [f"– | Standard | Standard | Premium | Premium\n– | {SAID}"]


def test_a_value_a_little_higher_than_its_label_stays_with_it(make_pdf: MakePdf) -> None:
    assert convert_bytes("a.pdf", make_pdf([[(72, 700, "Duplicates allowed"), (260, 704, "Yes")]])).text == (
        "Duplicates allowed Yes"
    )


def test_a_heading_that_is_missing_is_not_made_up() -> None:
    rows = [["Item", "", "Price"], ["Licence", "a seat", "10"], ["Support", "a year", "400"]]
    assert tables("LEFT", "TOP", rows) == ["Item | – | Price\nLicence | a seat | 10\nSupport | a year | 400"]


def cells(*given: tuple[float, float, str]) -> list[TableCell]:
    return [TableCell(left, right, PlacedText(text)) for left, right, text in given]


def test_groups_of_columns_may_differ_in_size() -> None:
    columns = [Column(0, 40), Column(100, 140), Column(200, 240), Column(300, 340), Column(400, 440)]
    head = cells((5, 35, "Plan"), (210, 230, "Europe"), (405, 435, "Asia"))
    said = over_columns(head, columns, [])
    assert said is not None
    assert [one.text for one in said] == ["Plan", "Europe", "Europe", "Europe", "Asia"]


@pytest.mark.parametrize(
    "head",
    [
        cells((100, 140, "a"), (200, 240, "b"), (300, 340, "c"), (400, 440, "d")),
        cells((0, 40, "whole")),
        cells((100, 130, "left"), (300, 330, "left")),
        cells((60, 480, "far"), (490, 520, "off")),
    ],
    ids=["one a column", "one cell", "may be over one column each", "not above columns"],
)
def test_other_rows_are_none(head: list[TableCell]) -> None:
    columns = [Column(0, 40), Column(100, 140), Column(200, 240), Column(300, 340), Column(400, 440)]
    below = cells((0, 20, "v"), (100, 120, "w"), (200, 220, "x"), (300, 320, "y"), (400, 420, "z"))
    assert over_columns(head, columns, below) is None


def test_a_table_right_below_another_with_other_columns_is_one_of_its_own() -> None:
    first = [cells((0, 40, f"a{at}"), (100, 140, "b"), (200, 240, "c"), (300, 340, "d")) for at in range(3)]
    second = [cells((0, 40, f"e{at}"), (60, 90, "f"), (150, 190, "g"), (260, 280, "h")) for at in range(3)]
    told = with_empty_cells([*first, *second, second[0][:1] + second[0][2:]])
    assert [len(row) for row in told] == [4] * 7
    assert [text.text for text in told[-1]] == ["e0", "–", "g", "h"]


def test_a_long_table_whose_widest_row_comes_late_is_read_in_one_go() -> None:
    narrow = cells(*((40.0 * at, 40.0 * at + 20, "x") for at in range(8)))
    wide = cells(*((40.0 * at, 40.0 * at + 20, "x") for at in range(11)))
    told = with_empty_cells([*[narrow] * 3000, wide])
    assert {len(row) for row in told} == {11}
