"""Headers of two rows, the first of which has headings that reach over several columns."""

from __future__ import annotations

import pytest

from tasks.conversion.sheets.row_blocks import read_rows
from tasks.spreadsheets.row import SheetRow

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
    ("header", "first", "second", "said"),
    [
        pytest.param(
            (("Priority", "Response", "", "Resolution"), ("", "Business hours", "24x7", "Business hours", "24x7")),
            ("P1", "15 min", "30 min", "4 h", "8 h"),
            ("P4", "", "next day", "", "10 days"),
            "Priority: P4; Response 24x7: next day; Resolution 24x7: 10 days",
            id="hours of service",
        ),
        pytest.param(
            (
                ("Edition", "Price per user and month"),
                ("Edition", "1-50 users", "51-250 users", "251+ users"),
            ),
            ("Business", "9.5", "8.5", "7.5"),
            ("Enterprise", "14", "12.5", ""),
            "Edition: Enterprise; Price per user and month 1-50 users: 14; Price per user and month 51-250 users: 12.5",
            id="volumes",
        ),
        pytest.param(
            (("Edition", "Discount", "", "Support"), ("", "1 year", "3 years", "")),
            ("Business", "5%", "12%", "8x5"),
            ("Enterprise", "7%", "15%", "24x7"),
            "Edition: Enterprise; Discount 1 year: 7%; Discount 3 years: 15%; Support: 24x7",
            id="terms",
        ),
        pytest.param(
            (("Priority", "Response", "", "Credit"), ("Priority", "Day", "Night", "% of fee")),
            ("P1", "15 min", "30 min", "10"),
            ("P2", "1 h", "2 h", "5"),
            "Priority: P2; Response Day: 1 h; Response Night: 2 h; Credit % of fee: 5",
            id="one column below a heading",
        ),
        pytest.param(
            (
                ("Item", "Unit", "Subscription", "", "Services", "Valid from"),
                ("Item", "Unit", "Monthly", "Yearly", "Day rate", "Valid from"),
            ),
            ("Starter", "per user", "4.90 €", "49 €", "950.00", "2026-01-01"),
            ("Setup", "once", "", "", "free", "2026-02-01"),
            "Item: Setup; Unit: once; Services Day rate: free; Valid from: 2026-02-01",
            id="headings that reach down",
        ),
        pytest.param(
            (("Site", "Floor", "Power", "PUE"), ("", "m²", "MW", "")),
            ("Berlin", "1200", "4.5", "1.25"),
            ("Dublin", "900", "3", "1.3"),
            "Site: Dublin; Floor m²: 900; Power MW: 3; PUE: 1.3",
            id="units",
        ),
        pytest.param(
            (("", "2024", "", "2025", ""), ("Metric", "H1", "H2", "H1", "H2")),
            ("Revenue", "16.1", "19.0", "18.2", "20.2"),
            ("EBIT", "0.3", "0.5", "0.9", ""),
            "Metric: EBIT; 2024 H1: 0.3; 2024 H2: 0.5; 2025 H1: 0.9",
            id="nothing above the names",
        ),
        pytest.param(
            (
                ("Service", "Prices 2026 (EUR)"),
                ("Service", "Standard", "", "Premium"),
                ("Service", "Monthly", "Yearly", "Monthly", "Yearly"),
            ),
            ("Backup", "10", "100", "20", "200"),
            ("Archive", "5", "", "", "90"),
            "Service: Archive; Prices 2026 (EUR) Standard Monthly: 5; Prices 2026 (EUR) Premium Yearly: 90",
            id="three rows",
        ),
    ],
)
@pytest.mark.parametrize("title", [True, False])
def test_figures_below_headings_in_several_rows_have_all_of_them(
    title: bool, header: tuple[tuple[str, ...], ...], first: tuple[str, ...], second: tuple[str, ...], said: str
) -> None:
    above = [("Price list 2026",)] if title else []
    got = read(*above, *header, first, second)
    assert got[: len(above)] == [("title", "Price list 2026")] * len(above)
    assert len(got) == len(above) + 2 and got[-1] == ("row", said)


def test_a_title_stands_above_both_rows_of_headings() -> None:
    rows = (
        (1, ("Acme price list 2026",)),
        (3, ("Item", "Unit", "Subscription", "", "Services", "Valid from")),
        (4, ("Item", "Unit", "Monthly", "Yearly", "Day rate", "Valid from")),
        (5, ("Starter", "per user", "4.90 €", "49 €", "950.00", "2026-01-01")),
        (6, ("Enterprise", "flat", "2,900 €", "29,000 €", "1,250.50", "2026-02-01")),
    )
    got = read_rows([SheetRow(number, cells) for number, cells in rows])
    assert [(block.kind, block.text) for block in got[:2]] == [
        ("title", "Acme price list 2026"),
        (
            "row",
            "Item: Starter; Unit: per user; Subscription Monthly: 4.90 €; Subscription Yearly: 49 €; "
            "Services Day rate: 950.00; Valid from: 2026-01-01",
        ),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # A column has no heading.
        (("Plan", "Price", "", "Region"), ("Basic", "ten euros", "a month", "Ireland"), ("Pro", "20", "a year", "US")),
        (("Name", "Value", ""), ("Uptime", "high", "measured"), ("Support", "8 h", "by email")),
        (("Host", "CPU", "RAM", ""), ("srv1", "8", "64", "GB"), ("srv2", "4", "32", "GB")),
        # What stands below the first heading is a record's.
        (("Region", "Data centre", ""), ("EU", "", ""), ("", "Frankfurt", "Dublin"), ("US", "Dallas", "")),
        (("Category", "Service", "Fee"), ("", "Small VM", "20"), ("", "Large VM", "80")),
        # What a record without a name holds are figures as below.
        (("Severity", "Standard", "", "Premium", ""), ("", "4 h", "24 h", "1 h", "4 h"), ("Low", "8 h", "", "2 h", "")),
    ],
)
def test_a_record_is_no_second_row_of_headings(rows: tuple[tuple[str, ...], ...]) -> None:
    assert len(read(*rows)) == len(rows) - 1
