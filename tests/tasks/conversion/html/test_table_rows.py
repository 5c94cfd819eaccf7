"""The text of a table with merged cells."""

from __future__ import annotations

import pytest

from tasks.conversion.document.assembly import Block
from tasks.conversion.html.table_rows import as_printed, as_read, marked_rows_of, rows_of, unmarked
from tasks.conversion.word.rendered_pages import place_blocks

HEAD = "<tr><th>Service<th>Gold<th>Silver<th>Bronze</tr>"
SAID = "Service | Gold | Silver | Bronze"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("<tr><td>RTO<td colspan=2>4 hours<td>24 hours", ["RTO | 4 hours | 4 hours | 24 hours"]),
        ("<tr><td>RTO<td colspan=3>4 hours", ["RTO | 4 hours | 4 hours | 4 hours"]),
        ("<tr><td>RTO<td colspan=2><td>24 hours", ["RTO | – | – | 24 hours"]),
        ("<tr><td colspan=4>Recovery", ["Recovery"]),
        ("<tr></tr><tr><td>RTO<td>1 hour", ["RTO | 1 hour"]),
        ("<tr><td colspan=4 rowspan=2>Recovery<tr></tr>", ["Recovery"]),
        (
            "<tr><td rowspan=3>RTO<td colspan=2 rowspan=2>4 hours<td>24 hours<tr><td>1 day<tr><td>1<td>2<td>3",
            ["RTO | 4 hours | 4 hours | 24 hours", "RTO | 4 hours | 4 hours | 1 day", "RTO | 1 | 2 | 3"],
        ),
    ],
)
def test_a_merged_cell_is_said_below_each_heading_and_in_each_row(rows: str, expected: list[str]) -> None:
    assert rows_of(f"<table>{HEAD}{rows}</table>").split("\n") == [SAID, *expected]


def test_one_heading_over_two_columns_has_what_spans_both_once() -> None:
    head = "<tr><th>Service<th colspan=2>In place<th>No</tr>"
    rows = "<tr><td>RTO<td colspan=2>4 hours<td>no<tr><td>RPO<td>1 hour<td>always<td>no"
    assert rows_of(f"<table>{head}{rows}</table>").split("\n") == [
        "Service | In place | No",
        "RTO | 4 hours | no",
        "RPO | 1 hour | always | no",
    ]


def test_a_head_of_two_rows_counts_as_one() -> None:
    head = "<tr><th rowspan=2>Service<th colspan=2>Plans<th rowspan=2>Owner<tr><th>Gold<th>Silver"
    assert rows_of(f"<table>{head}<tr><td>RTO<td colspan=2>4 hours<td>CISO</table>").split("\n") == [
        "Service | Plans | Plans | Owner",
        "Service | Gold | Silver | Owner",
        "RTO | 4 hours | 4 hours | CISO",
    ]


def test_a_row_over_all_headings_leaves_each_heading_over_its_own() -> None:
    head = "<tr><th rowspan=2>Priority<th colspan=2>Response<th colspan=2>Resolution"
    names = "<tr><th>Business hours<th>24x7<th>Business hours<th>24x7"
    rows = "<tr><td>P1<td>15 min<td>30 min<td>4 h<td>8 h<tr><td>P2<td colspan=4>next day"
    assert rows_of(f"<table>{head}{names}{rows}</table>").split("\n") == [
        "Priority | Response | Response | Resolution | Resolution",
        "Priority | Business hours | 24x7 | Business hours | 24x7",
        "P1 | 15 min | 30 min | 4 h | 8 h",
        "P2 | next day | next day | next day | next day",
    ]


def test_the_rows_of_a_form_and_long_texts_are_not_repeated() -> None:
    form = "<tr><td colspan=3>Name<td colspan=7>Jane<tr><td colspan=5>Address<td colspan=5>Lisbon"
    assert rows_of(f"<table>{form}</table>").split("\n") == ["Name | Jane", "Address | Lisbon"]
    long = "It is as said. " * 30
    rows = f"<tr><td>RTO<td colspan=3>{long}<tr><td rowspan=2>{long}<td>a<td>b<td>c<tr><td>d<td>e<td>f"
    found = rows_of(f"<table>{HEAD}{rows}</table>")
    assert found.count(long.strip()) == 2 and found.endswith("– | d | e | f")


def test_a_merged_cell_is_looked_for_once_on_the_pages_and_read_in_each_row() -> None:
    rows = "<tr><td rowspan=2>RTO<td colspan=2>4 hours<td>a<tr><td>1 hour<td>2 hours<td>b"
    block = Block("table", marked_rows_of(f"<table>{HEAD}{rows}</table>"))
    printed = as_printed(block)
    assert printed.text.split("\n") == [SAID, "RTO | 4 hours | a", "1 hour | 2 hours | b"]
    aside = Block("paragraph", "Between them.")
    placed = place_blocks([printed, aside, printed], [SAID + "RTO 4 hours a", f"1 hour 2 hours b {aside.text}", SAID])
    first, second, _ = as_read(placed, [block, aside, block])
    assert [one.text for one in first] == [f"{SAID}\nRTO | 4 hours | 4 hours | a"]
    assert [one.text for one in second][:2] == ["RTO | 1 hour | 2 hours | b", aside.text]
    assert unmarked(block).text == rows_of(f"<table>{HEAD}{rows}</table>")


def test_a_mark_in_a_merged_cell_has_the_name_of_each_column() -> None:
    found = rows_of("<table><tr><th>Item<th>Gold<th>Silver<tr><td>Backups<td colspan=2>x</table>")
    assert found.split("\n")[1] == "Backups | Gold: x | Silver: x"


def test_a_row_that_is_parted_stays_as_it_is_printed_and_the_next_is_read() -> None:
    rows = "<tr><td>RPO<td>one hour by day<td>two hours<td>a<tr><td>RTO<td colspan=2>4 hours<td>b"
    table = Block("table", marked_rows_of(f"<table>{HEAD}{rows}</table>"))
    pieces = [f"{SAID}\nRPO | one hour", "by day | two hours | a\nRTO | 4 hours | b"]
    placed = as_read([[table._replace(text=piece)] for piece in pieces], [table])
    assert [block.text for (block,) in placed] == [
        f"{SAID}\nRPO | one hour",
        "by day | two hours | a\nRTO | 4 hours | 4 hours | b",
    ]
