"""Tables whose cells stand in the middle or at the foot of rows that rules part."""

from __future__ import annotations

import io
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from tasks.conversion.layout.page import Line
from tasks.conversion.pdf.ruled_rows import may_be_ruled
from tasks.records import Document
from tests.made.conversions import convert_bytes

ROWS = [
    ["ID", "Requirement", "Our answer", "Met"],
    [
        "R1",
        "The supplier shall encrypt all data at rest with a key of at least 256 bits and rotate it.",
        "All data is encrypted with AES-256; keys rotate every ninety days and lie in a module that two officers open.",
        "Yes",
    ],
    ["R2", "The supplier shall test the restore of backups.", "Not tested so far.", "No"],
    [
        "R3",
        "The supplier shall report breaches of personal data to the customer within 24 hours after it has found them.",
        "Within 72 hours.",
        "Partly",
    ],
    ["R4", "Logs.", "Logs of access are kept for ninety days and given to the customer on request as files.", "Yes"],
]
NORMAL = getSampleStyleSheet()["Normal"]


def printed(rows: list[list[str]], *style: tuple[Any, ...], padding: int = 6) -> Document:
    told = [[Paragraph(cell, NORMAL) if len(cell) > 12 else cell for cell in row] for row in rows]
    table = Table(told, colWidths=[20 + padding, 190, 190, 50], repeatRows=1)
    sides = [(f"{side}PADDING", (0, 0), (-1, -1), padding) for side in ("LEFT", "RIGHT")]
    table.setStyle(TableStyle([*sides, *style]))
    out = io.BytesIO()
    SimpleDocTemplate(out).build([Paragraph("What is asked for:", NORMAL), table])
    return convert_bytes("a.pdf", out.getvalue())


GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)


def tables(document: Document) -> list[str]:
    return [element.text for element in document.elements if element.kind == "table"]


@pytest.mark.parametrize("padding", [2, 6])
@pytest.mark.parametrize("place", ["TOP", "MIDDLE", "BOTTOM"])
def test_the_cells_of_a_row_are_told_together(place: str, padding: int) -> None:
    document = printed(ROWS, GRID, ("VALIGN", (0, 0), (-1, -1), place), padding=padding)
    assert tables(document) == ["\n".join(" | ".join(row) for row in ROWS)]
    assert document.text.startswith("What is asked for:\n")


def test_a_table_over_several_pages() -> None:
    things = ("access", "backups", "logs", "keys", "staff", "sites", "tests")
    rows = [
        [f"C{number}", f"It is said how {(f'{things[number % 7]} ' * 12).strip()} are told.", "Quarterly.", "Yes"]
        for number in range(1, 61)
    ]
    document = printed([ROWS[0], *rows], GRID, ("VALIGN", (0, 0), (-1, -1), "MIDDLE"))
    heading, *said = [" | ".join(row) for row in [ROWS[0], *rows]]
    read = [line for table in tables(document) for line in table.split("\n")]
    assert len(document.pages) > 2 and [line for line in read if line != heading] == said
    assert all(table.startswith(heading) for table in tables(document))


@pytest.mark.parametrize("place", ["MIDDLE", "BOTTOM"])
def test_a_cell_over_several_rows_belongs_to_the_first_of_them(place: str) -> None:
    rows = [*ROWS[:2], ["", *ROWS[2][1:]], *ROWS[3:]]
    document = printed(rows, GRID, ("VALIGN", (0, 0), (-1, -1), place), ("SPAN", (0, 1), (0, 2)))
    rows[2][0] = "–"
    assert tables(document) == ["\n".join(" | ".join(row) for row in rows)]


def test_headings_over_columns_and_tiers_over_rows_stay_with_their_figures() -> None:
    rows = [
        ["Tier", "Priority", "Response", "", "Resolution", ""],
        ["", "", "8x5", "24x7", "8x5", "24x7"],
        ["Gold", "P1", "30 min", "15 min", "4 h", "2 h"],
        ["", "P2", "2 h", "1 h", "16 h", "8 h"],
        ["Silver", "P1", "2 h", "1 h", "16 h", "8 h"],
        ["", "P2", "8 h", "4 h", "4 days", "2 days"],
    ]
    spans = [(0, 0, 0, 1), (1, 0, 1, 1), (2, 0, 3, 0), (4, 0, 5, 0), (0, 2, 0, 3), (0, 4, 0, 5)]
    table = Table(rows, colWidths=[60] * 6, rowHeights=24)
    centred = [("ALIGN", (0, 0), (-1, -1), "CENTER"), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    table.setStyle(TableStyle([GRID, *centred, *(("SPAN", span[:2], span[2:]) for span in spans)]))
    out = io.BytesIO()
    SimpleDocTemplate(out).build([table])
    assert tables(convert_bytes("a.pdf", out.getvalue())) == [
        "Tier | Priority | Response | Response | Resolution | Resolution\n– | – | 8x5 | 24x7 | 8x5 | 24x7\n"
        "Gold | P1 | 30 min | 15 min | 4 h | 2 h\n– | P2 | 2 h | 1 h | 16 h | 8 h\n"
        "Silver | P1 | 2 h | 1 h | 16 h | 8 h\n– | P2 | 8 h | 4 h | 4 days | 2 days"
    ]


def test_words_stand_where_they_are_printed() -> None:
    document = printed(ROWS, GRID, ("VALIGN", (0, 0), (-1, -1), "MIDDLE"))
    (first,) = (line.box for line in document.lines if document.text[line.start : line.end] == "R1")
    said = [(document.text[line.start : line.end], line.box) for line in document.lines]
    (beside,) = (box for text, box in said if text.startswith("The supplier shall encrypt"))
    assert first.top > beside.top + 2


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], False),
        ([Line("a", 60, 90, 700, 700, 10), Line("b", 60, 90, 686, 686, 10)], False),
        ([Line(text, x, x + 30, y, y, 10) for text, x, y in (("a", 60, 700), ("b", 90, 706), ("c", 120, 712))], True),
        ([Line("a b", 60, 120, 700, 706, 10), Line("c d", 60, 120, 680, 686, 10)], True),
    ],
)
def test_only_lines_that_climb_to_the_right_are_looked_at(lines: list[Line], said: bool) -> None:
    assert may_be_ruled(lines) == said
