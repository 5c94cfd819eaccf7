"""Tables of slides whose cells go over several columns or rows."""

from __future__ import annotations

import io

import pptx

from tests.made.conversions import convert_bytes

ROWS = [
    ["Priority", "Response", "", "Owner"],
    ["", "Office hours", "Night", ""],
    ["P1", "15 min", "30 min", "Duty manager"],
    ["P2", "1 h", "", ""],
]


def test_what_a_merged_cell_says_stands_below_each_heading_and_in_each_row() -> None:
    deck = pptx.Presentation()
    table = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(4, 4, 0, 0, 4_000_000, 2_000_000).table
    for at, row in enumerate(ROWS):
        for column, said in enumerate(row):
            table.cell(at, column).text = said
    for first, last in (((0, 1), (0, 2)), ((0, 0), (1, 0)), ((0, 3), (1, 3)), ((3, 1), (3, 2))):
        table.cell(*first).merge(table.cell(*last))
    out = io.BytesIO()
    deck.save(out)
    (element,) = convert_bytes("deck.pptx", out.getvalue()).elements
    assert element.text.splitlines() == [
        "Priority | Response | Response | Owner",
        "Priority | Office hours | Night | Owner",
        "P1 | 15 min | 30 min | Duty manager",
        "P2 | 1 h | 1 h | –",
    ]
    assert element.html is not None and not {"\ufdd2", "\ufdd3"} & {*element.html}
