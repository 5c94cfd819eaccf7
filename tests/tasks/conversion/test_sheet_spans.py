"""Headers of two rows, the first of which has headings that reach over several columns."""

from __future__ import annotations

import pytest

from tasks.conversion.sheet_row import SheetRow
from tasks.conversion.tables import read_rows

ENCRYPT = "Do you encrypt data at rest?"
MFA = "Is MFA enforced for admins?"


def read(*rows: tuple[str, ...]) -> list[tuple[str, str]]:
    blocks = read_rows([SheetRow(number, cells) for number, cells in enumerate(rows, start=1)])
    return [(block.kind, block.text) for block in blocks]


@pytest.mark.parametrize("key", ["", "Question"])
def test_what_is_answered_for_each_of_several_products_has_no_single_answer(key: str) -> None:
    got = read(
        ("No", "Question", "Answer", "", "", "Comments"),
        ("", key, "Product A", "Product B", "Product C"),
        ("1", ENCRYPT, "Yes", "No", "Yes", "AES"),
        ("2", MFA, "", "", ""),
    )
    assert got == [
        ("row", f"{ENCRYPT}\nComments: AES\nNo: 1\nProduct A: Yes\nProduct B: No\nProduct C: Yes"),
        ("question", f"{MFA}\nNo: 2"),
    ]


def test_one_column_beside_comments_below_a_heading_of_answers_is_the_answer() -> None:
    got = read(
        ("No", "Question", "Vendor response", ""),
        ("", "", "Status quo", "Comments"),
        ("1", ENCRYPT, "Yes", "AES"),
        ("2", MFA, "", ""),
    )
    assert got == [("row", f"{ENCRYPT}\nAnswer: Yes\nComments: AES\nNo: 1"), ("question", f"{MFA}\nNo: 2")]


def test_answers_of_two_years_below_years() -> None:
    got = read(
        ("ID", "Question", "2023", "", "2024", ""),
        ("", "", "Answer", "Comment", "Answer", "Comment"),
        ("1", ENCRYPT, "No", "planned", "Yes", "AES"),
        ("2", MFA, "Yes", "for all", "", ""),
    )
    assert got == [
        ("row", f"{ENCRYPT}\nAnswer: Yes\nComments: AES\nID: 1\n2023 Answer: No\n2023 Comment: planned"),
        ("question", f"{MFA}\nID: 2\n2023 Answer: Yes\n2023 Comment: for all"),
    ]


@pytest.mark.parametrize("key", ["", "Severity"])
@pytest.mark.parametrize("names", [("Response", "Resolution"), ("Business hours", "At night")])
def test_the_headings_of_a_table_in_two_rows_are_joined(key: str, names: tuple[str, str]) -> None:
    first, second = names
    got = read(
        ("Severity", "Standard", "", "Premium", ""),
        (key, first, second, first, second),
        ("Critical", "4 h", "24 h", "15 min", "4 h"),
        ("High", "8 h", "48 h", "1 h", ""),
    )
    assert got == [
        (
            "row",
            f"Severity: Critical; Standard {first}: 4 h; Standard {second}: 24 h; Premium {first}: 15 min; "
            f"Premium {second}: 4 h",
        ),
        ("row", f"Severity: High; Standard {first}: 8 h; Standard {second}: 48 h; Premium {first}: 1 h"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # A column has no heading.
        (("Plan", "Price", "", "Region"), ("Basic", "ten euros", "a month", "Ireland"), ("Pro", "20", "a year", "US")),
        (("Name", "Value", ""), ("Uptime", "high", "measured"), ("Support", "8 h", "by email")),
        # What stands below the first heading is a record's.
        (("Region", "Data centre", ""), ("EU", "", ""), ("", "Frankfurt", "Dublin"), ("US", "Dallas", "")),
    ],
)
def test_a_record_is_no_second_row_of_headings(rows: tuple[tuple[str, ...], ...]) -> None:
    assert len(read(*rows)) == len(rows) - 1
