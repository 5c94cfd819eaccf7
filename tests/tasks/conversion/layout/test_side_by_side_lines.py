"""A few lines set side by side, drawn line by line, and the small tables that look like them."""

from __future__ import annotations

import pytest
from reportlab.lib.utils import simpleSplit

from tasks.text.characters import fold
from tests.made.columns import LEFT, RIGHT, THIRD, across, in_order
from tests.made.conversions import convert_bytes
from tests.made.pdfs import MakePdf
from tests.made.placed_text import check_places

Columns = list[list[str]]


def wrapped(words: list[str], count: int) -> list[str]:
    """The first lines of what ``words`` say, each as long as it can be in a column of 150 points."""
    lines: list[str] = simpleSplit(" ".join(words), "Helvetica", 7, 150)
    return lines[:count]


OPENING = (60, 760, "What stands here runs over both columns of the page, as the opening of a text does.")
CLOSING = (60, 560, "What stands here runs over both columns of the page again, and closes what they say.")

BY_COLUMN: dict[str, Columns] = {
    "three lines": [LEFT[:3], RIGHT[:3]],
    "four and three": [LEFT[:4], RIGHT[:3]],
    "three and five": [LEFT[:3], RIGHT[:5]],
    "three columns": [wrapped(LEFT, 4), wrapped(RIGHT, 4), wrapped(THIRD, 4)],
    "places to sign": [
        ["For the Supplier", "Name: Ann Lee", "Title: Director", "Date: 4 May 2026", "______________"],
        ["For the Customer", "Name: Jo Marsh", "Title: Head of Law", "Date: 6 May 2026", "______________"],
    ],
}


@pytest.mark.parametrize("name", BY_COLUMN)
@pytest.mark.parametrize("wrapped", [True, False], ids=["in a text", "alone"])
def test_read_column_by_column(make_pdf: MakePdf, name: str, wrapped: bool) -> None:
    columns = BY_COLUMN[name]
    block = across(columns, step=480 / len(columns), size=10 if len(columns) < 3 else 7)
    data = make_pdf([[OPENING, *block, CLOSING] if wrapped else block])
    document = convert_bytes("a.pdf", data)
    pieces = [" ".join(column) for column in columns]
    assert in_order(document.text, *((OPENING[2], *pieces, CLOSING[2]) if wrapped else pieces))
    check_places(document, data)


def test_a_table_on_the_same_page_stays_one(make_pdf: MakePdf) -> None:
    table = across([["Control", "Backups", "Access"], ["Owner", "Platform team", "Security"]], top=600)
    text = convert_bytes("a.pdf", make_pdf([[*across(BY_COLUMN["places to sign"]), *table]])).elements
    assert [e.text for e in text if e.kind == "table"] == [
        "Control | Owner\nBackups | Platform team\nAccess | Security"
    ]


BY_ROW: dict[str, Columns] = {
    "words": [["Control", "Backups", "Access", "Keys"], ["Owner", "Platform team", "Security", "Security"]],
    "words and numbers": [["Edition", "Core", "Plus", "Enterprise"], ["Hours", "9 to 17", "7 to 19", "0 to 24"]],
    "numbers": [["Retention", "30 days", "60 days", "None"], ["Answer", "4 hours", "8 hours", "None"]],
    "numbers of both kinds": [["Version", "4.1", "4.2", "4.3"], ["Day", "9 April", "15 May", "6 June"]],
    "labels of fields": [["Name:", "Title:", "Date:"], ["Ann Lee", "Director", "4 May 2026"]],
    "fields in turn": [["Name: Ann Lee", "Town: Leeds", "Room: B"], ["Title: Director", "Country: UK", "Floor: C"]],
    "steps in small letters": [
        ["customer data encrypted at rest", "keys kept apart", "logs kept for seven years in all"],
        ["yes, with keys of their own", "yes, in hardware that we own", "yes, in another region"],
    ],
    "whole sentences": [
        ["The data are encrypted at rest.", "The keys are kept apart.", "The logs are kept for years."],
        ["It is tested once in a quarter.", "They are rotated by a service.", "They are read by auditors."],
    ],
    "sentences beside words": [LEFT[:4], ["Yes", "No", "In part", "Yes"]],
    "what is alike in a row": [
        ["Severity", "P1 critical", "P2 high", "4 hours or less"],
        ["Response", "Within 15 minutes", "Within 1 hour", "24 hours"],
    ],
    "numbers that go with numbers": [
        ["Log", "Access", "Backup 2", "3 drafts"],
        ["Kept", "Twelve months", "Up to 35 days", "10 years"],
    ],
    "a label in one row": [["Note: first", "Access", "12 keys"], ["Note: second", "Security", "3 years"]],
    "addresses": [
        ["Corvane Systems Ltd", "12 Wharf Street", "Leeds LS1 4HR", "United Kingdom"],
        ["Larkfield Mutual", "4 Park Row", "London EC2A 1AA", "United Kingdom"],
    ],
}


@pytest.mark.parametrize("name", BY_ROW)
def test_tables_are_read_across(make_pdf: MakePdf, name: str) -> None:
    left, right = BY_ROW[name]
    text = convert_bytes("a.pdf", make_pdf([[OPENING, *across([left, right]), CLOSING]])).text
    read = fold(text.replace("|", " "))
    assert [one + other for one, other in zip(left, right, strict=True) if fold(one + other) not in read] == []


def test_the_cells_of_a_tables_rows_stay_in_them(make_pdf: MakePdf) -> None:
    """A row of three lines, drawn line by line, above one of a single line."""
    rows = [[LEFT[:3], RIGHT[:3]], [["Access is reviewed"], ["Once in a quarter"]]]
    items = [item for i, row in enumerate(rows) for item in across(row, top=700 - 54 * i)]
    elements = convert_bytes("a.pdf", make_pdf([items])).elements
    expected = "\n".join(" | ".join(map(" ".join, row)) for row in rows)
    assert [e.text for e in elements if e.kind == "table"] == [expected]
