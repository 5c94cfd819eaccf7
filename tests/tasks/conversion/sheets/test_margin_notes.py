"""Notes that stand in the header of a table, and head nothing."""

from __future__ import annotations

import pytest

from tasks.conversion.sheets.row_blocks import read_rows
from tasks.spreadsheets.row import SheetRow

NOTE = "Prices valid until 30 June 2025, excl. VAT"
Row = tuple[str, ...]


def texts(*rows: Row) -> list[tuple[str, int | None, str]]:
    blocks = read_rows([SheetRow(number, cells) for number, cells in enumerate(rows, start=1)])
    return [(block.kind, block.row_number, block.text) for block in blocks]


BASIC, PRO = ("row", 2, "Service: Basic; Price: 100"), ("row", 3, "Service: Pro; Price: 200")


@pytest.mark.parametrize(
    ("header", "notes"),
    [
        (("Service", "Price", "", NOTE), [NOTE]),
        (("Service", "Price", NOTE), [NOTE]),
        (("Service", "Price", "", "", "Valid until June", "", "Excluding VAT"), ["Valid until June", "Excluding VAT"]),
        (("Service", "Price"), []),
        (("Service", "Price", "Notes of sales"), []),
        (("Service", "Price", "", "Notes"), []),
        (("Service", "Price", "", "Confidential"), ["Confidential"]),
    ],
    ids=["apart", "at length", "several", "none", "a heading that heads nothing", "a heading of one word", "a word"],
)
def test_a_note_in_the_header_is_a_row_of_its_own(header: Row, notes: list[str]) -> None:
    got = texts(header, ("Basic", "100"), ("Pro", "200"))
    assert got == [BASIC, PRO, *(("row", 1, note) for note in notes)]


def test_a_note_below_which_something_stands_is_a_heading() -> None:
    assert texts(("Service", "Price", "", NOTE), ("Basic", "100", "", "Yes"), ("Pro", "200"))[0] == (
        "row",
        2,
        f"Service: Basic; Price: 100; {NOTE}: Yes",
    )


def test_a_note_beside_the_header_of_a_questionnaire() -> None:
    head = ("ID", "Question", "Answer", "Comment", "", "Answer in English, please")
    asked = ("1", "Do you encrypt data at rest?", "Yes")
    assert texts(head, asked, ("2", "Is access to data logged?")) == [
        ("row", 2, "Do you encrypt data at rest?\nAnswer: Yes\nID: 1"),
        ("question", 3, "Is access to data logged?\nID: 2"),
        ("row", 1, "Answer in English, please"),
    ]
    assert len(texts(("ID", "Question", "Answer", "", "Comments on your answer"), asked)) == 1
