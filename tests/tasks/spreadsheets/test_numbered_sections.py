"""Sections that are numbered as the questions below them are."""

from __future__ import annotations

import pytest

from tasks.conversion.sheets.row_blocks import read_rows
from tasks.spreadsheets.row import SheetRow

MFA, RIGHTS, REST = "Do you enforce MFA?", "Do you review rights?", "Do you encrypt at rest?"
Row = tuple[str, ...]


def read(*rows: Row) -> list[tuple[str, str]]:
    header = ("No", "Question", "Answer")
    blocks = read_rows([SheetRow(number, cells) for number, cells in enumerate((header, *rows), start=1)])
    return [(block.kind, block.text.partition("\n")[0]) for block in blocks]


@pytest.mark.parametrize(
    ("section", "first", "second"),
    [("1", "1.1", "1.2"), ("2.", "2.1", "2.2"), ("A", "A1", "A2"), ("AC", "AC-1", "AC-2"), ("1", "1a", "1b")],
)
def test_a_section_with_a_number_is_a_title(section: str, first: str, second: str) -> None:
    got = read((section, "Access control"), (first, MFA, "Yes"), (second, RIGHTS, ""), ("9", "Encryption"))
    assert got == [
        ("title", f"{section} Access control"),
        ("row", MFA),
        ("question", RIGHTS),
        ("question", "Encryption"),
    ]


def test_sections_within_sections_are_titles() -> None:
    got = read(("1", "Access"), ("1.1", "Passwords"), ("1.1.1", MFA, "Yes"), ("2", "Encryption"), ("2.1", REST, "Yes"))
    assert [text for kind, text in got if kind == "title"] == ["1 Access", "1.1 Passwords", "2 Encryption"]


@pytest.mark.parametrize(
    ("row", "number"),
    [
        (("1", "Access control"), "2"),
        (("1", "Access control"), "10"),
        (("1", "Access control", "Yes"), "1.1"),
        (("1", "Is access controlled?"), "1.1"),
        (("1", "Describe your access control"), "1.1"),
        (("1", "Access shall be controlled."), "1.1"),
    ],
    ids=["the next number", "the tenth", "answered", "a question", "asks", "a sentence"],
)
def test_what_is_no_section(row: Row, number: str) -> None:
    got = read(row, (number, MFA, "Yes"), ("20", RIGHTS, "Quarterly"))
    assert "title" not in [kind for kind, _ in got]
    assert len(got) == 3
