"""Tables below each other on one sheet, with no empty row between, and what only looks like a second one."""

from __future__ import annotations

import pytest

from tasks.conversion.sheets.row_blocks import read_rows
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.table_boundaries import tables_of

Rows = tuple[tuple[str, ...], ...]


def sheet(*rows: tuple[str, ...]) -> list[SheetRow]:
    return [SheetRow(number, cells) for number, cells in enumerate(rows, start=1) if any(cells)]


def texts(*rows: tuple[str, ...]) -> list[str]:
    return [block.text for block in read_rows(sheet(*rows))]


QUESTIONS = (("ID", "Question", "Answer", "Comment"), ("1", "Do you encrypt data?", "Yes", "AES"))


def test_a_header_in_another_order_holds_for_what_is_below_it() -> None:
    assert texts(*QUESTIONS, ("ID", "Question", "Comment", "Answer"), ("3", "Do you have MFA?", "admins", "No")) == [
        "Do you encrypt data?\nAnswer: Yes\nComments: AES\nID: 1",
        "Do you have MFA?\nAnswer: No\nComments: admins\nID: 3",
    ]


@pytest.mark.parametrize(
    "header",
    [
        ("ID", "Question", "Previous answer", "Answer"),
        ("Ref", "Requirement", "Guidance", "Response"),
        ("Nr", "Frage", "Kommentar", "Antwort"),
    ],
)
def test_another_header_of_questions_holds_for_what_is_below_it(header: tuple[str, ...]) -> None:
    got = texts(*QUESTIONS, header, ("3", "Do you have a firewall at each site?", "No", "Yes"))
    assert got[1].startswith("Do you have a firewall at each site?\nAnswer: Yes\n")


def test_another_table_right_below_a_questionnaire() -> None:
    got = texts(
        *QUESTIONS,
        ("Asset", "Owner", "Classification"),
        ("Customer data", "Anna", "Secret"),
        ("Wiki", "Bob", "Internal"),
    )
    assert got[1:] == [
        "Asset: Customer data; Owner: Anna; Classification: Secret",
        "Asset: Wiki; Owner: Bob; Classification: Internal",
    ]


@pytest.mark.parametrize("between", [(), (("Certificates",),), ((), ("Certificates",))])
def test_two_lists_below_each_other_have_their_own_headings(between: Rows) -> None:
    got = texts(
        ("Region", "Data centre", "Tier"),
        ("EU", "Frankfurt", "4"),
        ("US", "Dallas", "3"),
        *between,
        ("Certificate", "Valid until", "Auditor"),
        ("ISO 27001", "2027-05-01", "TUV"),
        ("SOC 2", "2026-09-01", "EY"),
    )
    assert got == [
        "Region: EU; Data centre: Frankfurt; Tier: 4",
        "Region: US; Data centre: Dallas; Tier: 3",
        *(["Certificates"] if between else []),
        "Certificate: ISO 27001; Valid until: 2027-05-01; Auditor: TUV",
        "Certificate: SOC 2; Valid until: 2026-09-01; Auditor: EY",
    ]


@pytest.mark.parametrize("title", [(), ("Staff",)])
def test_figures_below_an_empty_row_have_the_years_above_them(title: tuple[str, ...]) -> None:
    got = texts(
        ("EUR m", "FY24", "FY25"),
        ("Revenue", "35.1", "38.4"),
        ("EBIT", "0.8", "2.1"),
        (),
        title,
        ("Head count", "FY25", "FY26 (plan)"),
        ("Berlin", "210", "220"),
        ("Dublin", "146", "192"),
    )
    assert got[:2] == ["EUR m: Revenue; FY24: 35.1; FY25: 38.4", "EUR m: EBIT; FY24: 0.8; FY25: 2.1"]
    assert got[2:] == [
        *title,
        "Head count: Berlin; FY25: 210; FY26 (plan): 220",
        "Head count: Dublin; FY25: 146; FY26 (plan): 192",
    ]


@pytest.mark.parametrize("editions", [("Business", "Enterprise"), ("Business", "Enterprise", "Campus")])
def test_figures_below_an_empty_row_have_both_rows_of_their_headings(editions: tuple[str, ...]) -> None:
    got = texts(
        ("Edition", "Price per user", ""),
        ("", "1-50 users", "51-250 users"),
        ("Business", "9.50 €", "8.50 €"),
        ("Enterprise", "14.00 €", "12.50 €"),
        (),
        ("Edition", "Discount", ""),
        ("", "1 year", "3 years"),
        *((edition, "5%", "12%") for edition in editions),
    )
    assert got == [
        "Edition: Business; Price per user 1-50 users: 9.50 €; Price per user 51-250 users: 8.50 €",
        "Edition: Enterprise; Price per user 1-50 users: 14.00 €; Price per user 51-250 users: 12.50 €",
        *(f"Edition: {edition}; Discount 1 year: 5%; Discount 3 years: 12%" for edition in editions),
    ]


def test_records_below_an_empty_row_keep_their_headings() -> None:
    rows = (("P3", "1 day", "8 h"), ("P4", "5 days", "2 days"))
    got = texts(("Severity", "8x5", "24x7"), ("P1", "4 h", "30 min"), ("P2", "8 h", "1 h"), (), *rows)
    assert got[2:] == [f"Severity: {name}; 8x5: {day}; 24x7: {night}" for name, day, night in rows]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            (
                ("Field", "Type", "Description"),
                ("ID", "Number", "Counts the records"),
                ("Name", "Type", "Title"),
                ("Owner", "Status", "Value"),
                ("Colour", "Text", "As it is printed"),
            ),
            id="a list of fields",
        ),
        pytest.param(
            (("Source", "Target"), ("Login", "Account"), ("Name", "Title"), ("Mail address", "Email"), ("X", "Y")),
            id="fields to fields",
        ),
        pytest.param(
            (
                ("Contact", "Department", "Role"),
                ("Anna", "Service", "Owner"),
                ("Bob", "Sales", "Manager"),
                ("Cid", "Sales", "Owner"),
            ),
            id="people",
        ),
        pytest.param(
            (
                ("Feature", "Basic", "Pro"),
                ("Single sign-on", "no", "yes"),
                ("Support", "email", "phone"),
                ("Storage", "10 GB", "100 GB"),
                ("Users", "5", "50"),
            ),
            id="numbers below words",
        ),
        pytest.param(
            (*QUESTIONS, ("ID", "Access control", "Answer", "Comment"), ("2", "Is MFA enforced?", "Yes", "")),
            id="a section",
        ),
        pytest.param(
            (*QUESTIONS, QUESTIONS[0], ("2", "Is MFA enforced?", "Yes", "")),
            id="the header again",
        ),
        pytest.param(
            (
                ("Vendor name", "Acme", "Contact"),
                ("Status", "Final", "Version"),
                *QUESTIONS,
                ("2", "Is MFA enforced?", "Yes", "For all staff"),
            ),
            id="what is said of the document",
        ),
        pytest.param(
            (
                ("ID", "Question", "2023", "2024"),
                ("ID", "Question", "Answer", "Comment"),
                ("1", "Do you encrypt data?", "Yes", "AES"),
            ),
            id="two rows of headings",
        ),
        pytest.param(
            (
                ("ID", "Requirement", "Response", "Comment"),
                ("1", "Single sign-on", "Yes", "SAML"),
                ("2", "Name of the hosting provider", "AWS", "Region Ireland"),
                ("3", "Country", "Ireland", "Owner: Anna"),
                ("4", "Version", "4", "Date of release: May"),
            ),
            id="short questions",
        ),
    ],
)
def test_a_record_begins_no_table(rows: Rows) -> None:
    assert len(tables_of(sheet(*rows))) == 1
