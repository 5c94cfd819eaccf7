from __future__ import annotations

import io

import openpyxl
import pytest
from openpyxl.styles import Font

from tasks.conversion.sheets.reader import read_csv, read_workbook
from tasks.conversion.sheets.row_blocks import read_rows
from tasks.spreadsheets.header_words import reads_as_question
from tasks.spreadsheets.layout import find_layout
from tasks.spreadsheets.row import SheetRow


def sheet(*rows: tuple[str, ...]) -> list[SheetRow]:
    return [SheetRow(number, cells) for number, cells in enumerate(rows, start=1) if any(cells)]


def test_a_past_questionnaire() -> None:
    rows = sheet(
        ("Acme security questionnaire",),
        (),
        ("ID", "Category", "Question", "Answer", "Comments"),
        ("Access control",),
        ("1", "IAM", "Do you enforce MFA?", "Yes", "For all staff.\nSince 2020."),
        ("2", "IAM", "Describe your password policy.", "14 characters", ""),
        ("3", "IAM", "Do you rotate keys?", "", ""),
    )
    blocks = read_rows(rows)
    assert [(b.kind, b.row_number, b.text, b.section) for b in blocks] == [
        ("title", 1, "Acme security questionnaire", ""),
        ("title", 4, "Access control", ""),
        ("row", 5, "Do you enforce MFA?\nAnswer: Yes\nComments: For all staff.\nSince 2020.\nID: 1", "IAM"),
        ("row", 6, "Describe your password policy.\nAnswer: 14 characters\nID: 2", "IAM"),
        ("question", 7, "Do you rotate keys?\nID: 3", "IAM"),
    ]


def test_what_an_unknown_column_says_may_be_the_answer() -> None:
    rows = sheet(
        ("ID", "Question", "Response", "Priority", "Supplier position"),
        ("1", "Do you rotate keys?", "", "High", ""),
        ("2", "Do you enforce MFA?", "", "High", "For all staff."),
    )
    assert [(block.kind, block.row_number) for block in read_rows(rows)] == [("question", 2), ("row", 3)]


FILLED = ("Ref", "Question", "Answer", "Comments", "bidfolio citations", "Bidfolio Status")


def test_drafts_of_bidfolio_are_no_answers_until_somebody_approves_them() -> None:
    rows = sheet(
        FILLED,
        ("1", "Do you enforce MFA?", "Yes", "For all staff.", "Policy.pdf, p. 3", "needs review: the evidence is thin"),
        ("2", "Do you rotate keys?", "Yes", "", "Policy.pdf, p. 4", "answered"),
        ("3", "Do you log access?", "Yes", "For a year.", "Policy.pdf, p. 5", ""),
        ("4", "Do you test backups?", "Yes", "Monthly.", "Policy.pdf, p. 6", "Approved by J. Doe"),
    )
    assert [(block.kind, block.row_number, block.text) for block in read_rows(rows)] == [
        ("question", 2, "Do you enforce MFA?"),
        ("question", 3, "Do you rotate keys?"),
        ("row", 4, "Do you log access?\nAnswer: Yes\nComments: For a year.\nRef: 3"),
        ("row", 5, "Do you test backups?\nAnswer: Yes\nComments: Monthly.\nRef: 4"),
    ]


def test_drafts_in_a_sheet_that_reads_as_no_questionnaire_are_left_out() -> None:
    rows = sheet(
        ("Item", "Value", "bidfolio answer", "bidfolio status"),
        ("MFA", "12", "Yes. For all staff.", "answered"),
        ("Keys", "13", "Yes. Every year.", "approved"),
    )
    texts = [block.text for block in read_rows(rows)]
    assert len(texts) == 1 and "Keys" in texts[0] and "approved" not in texts[0]


def test_marks_in_columns_of_choices() -> None:
    rows = sheet(
        ("Control ID", "Consensus Assessment Questions", "Yes", "No", "N/A", "Notes"),
        ("AIS-01", "Do you use standards for secure development?", "x", "", "", "OWASP"),
        ("AIS-02", "Do you run open mail relays anywhere?", "", "X", "", ""),
    )
    assert [block.text for block in read_rows(rows)] == [
        "Do you use standards for secure development?\nAnswer: Yes\nComments: OWASP\nControl ID: AIS-01",
        "Do you run open mail relays anywhere?\nAnswer: No\nControl ID: AIS-02",
    ]


def test_a_general_table_names_its_cells() -> None:
    rows = sheet(
        ("System", "Owner", "RTO (hours)"),
        ("Billing", "Finance", "4"),
        ("Mail", "", "8"),
    )
    assert [(b.kind, b.text) for b in read_rows(rows)] == [
        ("row", "System: Billing; Owner: Finance; RTO (hours): 4"),
        ("row", "System: Mail; RTO (hours): 8"),
    ]


def test_rows_without_a_header() -> None:
    assert [block.text for block in read_rows(sheet(("1", "2"), ("3", "4")))] == ["1 | 2", "3 | 4"]
    assert read_rows([]) == []


def test_a_repeated_header_is_left_out() -> None:
    header = ("Question", "Answer")
    rows = sheet(header, ("Do you log access?", "Yes"), header, ("Do you test backups?", "Yes"))
    assert [block.row_number for block in read_rows(rows)] == [2, 4]


def test_a_blank_questionnaire_is_still_read() -> None:
    rows = sheet(("Nr", "Question", "Response"), ("1", "Do you encrypt?", ""), ("2", "Where is data kept?", ""))
    layout = find_layout(rows)
    assert layout is not None and (layout.question, layout.answer) == (1, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do you?", True),
        ("Describe your backup process", True),
        ("Backups are made daily.", False),
        ("", False),
    ],
)
def test_reads_as_question(text: str, expected: bool) -> None:
    assert reads_as_question(text) is expected


def test_what_stands_alone_beside_a_formula_without_a_value_is_no_title() -> None:
    """Programs that compute nothing write such workbooks."""
    book = openpyxl.Workbook()
    for cells in (["Item", "Total"], ["Price a year", "=1+2"], ["Support"], ["Seats", 5]):
        book.active.append(cells)
    book.active["A3"].font = Font(bold=True)
    out = io.BytesIO()
    book.save(out)
    got = [(block.kind, block.text) for block in read_rows(read_workbook("a.xlsx", out.getvalue())[0][0].rows)]
    assert got == [("row", "Item: Price a year"), ("title", "Support"), ("row", "Item: Seats; Total: 5")]


def test_a_second_table_below_an_empty_row_has_its_own_header() -> None:
    rows = sheet(
        ("Item", "Yes", "No"),
        ("Escrow", "x", ""),
        ("", "", ""),
        ("Prices", "", ""),
        ("Product", "Price", "Unit"),
        ("Licence", "100", ""),
        ("Support", "", "year"),
    )
    assert [block.text for block in read_rows(rows)] == [
        "Item: Escrow; Yes: x",
        "Prices",
        "Product: Licence; Price: 100",
        "Product: Support; Unit: year",
    ]


def test_a_questionnaire_goes_on_below_an_empty_row() -> None:
    rows = sheet(
        ("Ref", "Question", "Answer"),
        ("1", "Do you encrypt backups?", "Yes"),
        ("", "", ""),
        ("Operations", "", ""),
        ("2", "Describe the status of your services", "A page"),
        ("3", "Do you test restores?", "Quarterly"),
    )
    assert [block.text.partition("\n")[0] for block in read_rows(rows)] == [
        "Do you encrypt backups?",
        "Operations",
        "Describe the status of your services",
        "Do you test restores?",
    ]


def test_years_may_be_headings() -> None:
    rows = sheet(("Service", "2024", "2025"), ("Gold", "", "3"), ("Silver", "2", ""))
    assert [block.text for block in read_rows(rows)] == ["Service: Gold; 2025: 3", "Service: Silver; 2024: 2"]


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        (("Metric", "FY23", "FY24", "FY25 (plan)"), ("Revenue", "31.2", "35.1", "38.4"), ("EBIT", "-1.2", "0.8", "2")),
        (("EUR m", "2024", "2025"), ("Revenue", "35.1", "38.4"), ("Staff (FTE)", "356", "412")),
        (("", "2024", "2025"), ("Revenue", "35.1", "38.4"), ("EBIT", "(1.2)", "0.8")),
        (("EUR m", "2023/24", "2024/25"), ("Revenue", "35.1", "38.4"), ("EBIT", "(1.2)", "0.8")),
        (("Key figures", "FY24", "FY25"), ("Revenue", "TEUR 35,100", "TEUR 38,400"), ("EBIT", "US$ 800", "US$ 2,100")),
        (("Site", "Q1 2025", "Q2 2025"), ("Berlin", "99.98%", "99.95%"), ("Dublin", "99.9%", "99.99%")),
        (("Edition", "1 year", "3 years"), ("Business", "5%", "12%"), ("Enterprise", "7%", "15%")),
        (("Edition", "1-50 users", "51-250 users"), ("Business", "9.50 €", "8.50 €"), ("Enterprise", "14 €", "12 €")),
        (("Severity", "8x5", "24x7"), ("P1", "4 h", "30 min"), ("P2", "8 h", "1 h")),
        (("", "Gold", "Silver"), ("Response time", "4 h", "8 h"), ("Time to resolve", "1 day", "2 days")),
        (("Level", "8x5", "24/7"), ("Response", "4 h", "30 min"), ("Resolution", "8 h", "2 h")),
        (("Edition", "8/5", "24/7"), ("Business", "EUR 100", "EUR 300"), ("Enterprise", "EUR 200", "EUR 500")),
        (("Metric", "FY24", "FY25"), ("Rank", "4 of 20", "2 of 20"), ("Margin", "12%", "13%")),
    ],
)
@pytest.mark.parametrize("title", [True, False])
def test_headings_may_hold_digits(
    title: bool, header: tuple[str, ...], first: tuple[str, ...], second: tuple[str, ...]
) -> None:
    above = [("Key figures", *("" for _ in header[1:]))] if title else []
    named = [
        "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True))
        for cells in (first, second)
    ]
    got = read_rows(sheet(*above, header, first, second))
    assert [(block.kind, block.text) for block in got] == [
        *([("title", "Key figures")] if title else []),
        *(("row", text) for text in named),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        (("P1", "4 h", "30 min"), ("P2", "8 h", "1 h")),
        (("Response", "4 h", "30 min"), ("Resolution", "8 h", "4 h")),
        (("Service desk", "EUR 4", "EUR 5"), ("Hosting", "EUR 200", "EUR 500"), ("Licences", "EUR 9", "EUR 10")),
        (("Berlin", "Tier 3", "4.5 MW"), ("Dublin", "Tier 4", "3 MW")),
        (("ISO 27001", "valid", "2027-05-01"), ("SOC 2", "valid", "2026-09-01")),
        (("Starter", "4.90 €", "10 users"), ("Business", "9.50 €", "50 users"), ("Enterprise", "29 €", "unlimited")),
        (("Acme", "Main St 1", "ISO 27001"), ("Beta", "Oak Rd 5", "SOC 2")),
        (("Q1 2025", "99.98%", "99.9%"), ("Q2 2025", "99.9%", "99.7%")),
        (("Revenue", "2010", "3.4"), ("EBIT", "1500", "2")),
        (("Backup", "30 days", "20 GB"), ("Mailboxes", "500", "40%"), ("Journal", "10 years", "2 TB")),
        (("Anna Berg", "Since 2019", "Berlin 2"), ("Jon Ek", "Since 2021", "Berlin 3")),
    ],
)
def test_records_with_digits_have_no_header(rows: tuple[tuple[str, ...], ...]) -> None:
    assert [block.text for block in read_rows(sheet(*rows))] == [" | ".join(cells) for cells in rows]


@pytest.mark.parametrize(
    ("earlier", "latest"),
    [
        ("Previous Answer", "Current Answer"),
        ("2024 Answer", "2025 Answer"),
        ("Response FY24", "Response FY25"),
        ("Last year's response", "Response"),
        ("Answer (old)", "Answer (new)"),
        ("Response 2024", "Updated response"),
        ("Answer", "Final answer"),
        ("Answer 2024", "Answer"),
        ("Answer", "2025 Answer"),
        ("Prior response", "This year's response"),
    ],
)
def test_the_latest_of_several_answers_is_the_answer(earlier: str, latest: str) -> None:
    name = "Answer (column B)" if earlier == "Answer" else earlier
    asked = "Do you run a bug bounty?"
    rows = sheet(("Question", earlier, latest), (asked, "No", "Yes, since 2025"), (asked, "No", ""), (asked, "", "Yes"))
    assert [(block.kind, block.text) for block in read_rows(rows)] == [
        ("row", f"{asked}\nAnswer: Yes, since 2025\n{name}: No"),
        ("question", f"{asked}\n{name}: No"),
        ("row", f"{asked}\nAnswer: Yes"),
    ]


def test_the_latest_answer_may_stand_first() -> None:
    rows = sheet(("Question", "2025 Answer", "2024 Answer"), ("Do you log access?", "Yes", "No"))
    assert read_rows(rows)[0].text == "Do you log access?\nAnswer: Yes\n2024 Answer: No"


def test_a_comment_on_an_earlier_answer_is_none_on_the_latest() -> None:
    head = ("Question", "Previous Answer", "Notes", "Current Answer", "Comments", "Last year")
    rows = sheet(
        head,
        ("Do you log access?", "No", "Planned.", "Yes", "In a SIEM.", "No"),
        ("Do you test backups?", "No", "Planned.", "", "", "No"),
    )
    assert [(block.kind, block.text) for block in read_rows(rows)] == [
        (
            "row",
            "Do you log access?\nAnswer: Yes\nComments: In a SIEM.\n"
            "Previous Answer: No\nNotes: Planned.\nLast year: No",
        ),
        ("question", "Do you test backups?\nPrevious Answer: No\nNotes: Planned.\nLast year: No"),
    ]


def test_a_comment_beside_an_earlier_answer_answers_nothing() -> None:
    rows = sheet(
        ("Question", "2024 Answer", "2025 Answer", "Comments", "Source"),
        ("Do you log access?", "No", "", "Planned.", "Wiki"),
        ("Do you test backups?", "", "", "Each month.", ""),
    )
    assert [block.kind for block in read_rows(rows)] == ["question", "row"]


def test_an_earlier_answer_alone_is_no_answer() -> None:
    rows = sheet(("Question", "Previous Answer", "Comments"), ("Do you log access?", "No", "Planned."))
    assert [(block.kind, block.text) for block in read_rows(rows)] == [
        ("question", "Do you log access?\nPrevious Answer: No\nComments (column C): Planned.")
    ]


def test_answers_of_one_time_are_none_of_them_earlier() -> None:
    """The last 12 months are no time before, and a standard's year tells nothing of its answer."""
    rows = sheet(
        ("Question", "Response (last 12 months)", "ISO 27001:2022 compliance"),
        ("Do you log access?", "", "Full"),
    )
    assert [block.kind for block in read_rows(rows)] == ["row"]


@pytest.mark.parametrize(
    ("header", "cells", "said"),
    [
        (("No", "Question", "Yes", "No"), ("1", "", "X"), "Answer: No\nNo: 1"),
        (("No", "Question", "Yes", "N/A"), ("2", "X", ""), "Answer: Yes\nNo: 2"),
        (("No", "Requirement", "Yes", "No"), ("1", "x", ""), "Answer: Yes\nNo: 1"),
        (("Nr", "Question", "0", "1", "2"), ("7", "", "", "X"), "Answer: 2\nNr: 7"),
        (
            ("#", "Question", "Response", "Comments", "Comments"),
            ("1", "No", "Planned.", "weak"),
            "Answer: No\nComments: Planned.\n#: 1\nComments (column E): weak",
        ),
        (("ID", "Question", "Answer", "Answer"), ("1", "Yes", "ok"), "Answer: Yes\nID: 1\nAnswer (column D): ok"),
    ],
)
def test_headings_may_be_equal_or_numbers(header: tuple[str, ...], cells: tuple[str, ...], said: str) -> None:
    asked = "Do you have a plan for disasters?"
    rows = sheet(header, (cells[0], asked, *cells[1:]), ("9", "Is it tested with your customers?"))
    assert read_rows(rows)[0].text == f"{asked}\n{said}"


def test_grades_of_which_few_have_marks() -> None:
    rows = sheet(
        ("Question", "0", "1", "2", "3"),
        ("How mature is patching?", "", "", "X", ""),
        ("How mature is logging?", "", "", "", "X"),
    )
    assert [block.text for block in read_rows(rows)] == [
        "How mature is patching?\nAnswer: 2",
        "How mature is logging?\nAnswer: 3",
    ]


def test_of_equal_headings_those_below_the_latest_group_are_the_answer() -> None:
    rows = sheet(
        ("", "2024", "", "2025", ""),
        ("Question", "Yes", "No", "Yes", "No"),
        ("Do you log access?", "", "x", "x", ""),
        ("Do you test backups?", "", "x", "", ""),
    )
    assert [(block.kind, block.text) for block in read_rows(rows)][1:] == [
        ("row", "Do you log access?\nAnswer: Yes\n2024 No: x"),
        ("question", "Do you test backups?\n2024 No: x"),
    ]


def test_a_row_of_equal_values_is_no_header() -> None:
    rows = sheet(
        ("Metric", "Spring", "Autumn"),
        ("Open questions", "low", "low"),
        ("Risks", "low", "high"),
        ("Costs", "1", "2"),
    )
    assert [block.text for block in read_rows(rows)] == [
        "Metric: Open questions; Spring: low; Autumn: low",
        "Metric: Risks; Spring: low; Autumn: high",
        "Metric: Costs; Spring: 1; Autumn: 2",
    ]


def test_without_a_header_an_empty_cell_keeps_columns_apart() -> None:
    rows = sheet(
        ("1", "", "x", "", ""),
        ("2", "", "", "", "x"),
        ("", "", "x", "", ""),
    )
    assert [block.text for block in read_rows(rows)] == ["1 | x", "2 | – | x", "x"]


def test_a_formula_without_its_value_is_not_said_to_be_empty() -> None:
    rows = [SheetRow(1, ("1", "2", "3")), SheetRow(2, ("1", "", "3"), is_partial=True)]
    assert [block.text for block in read_rows(rows)] == ["1 | 2 | 3", "1 | 3"]


def test_labels_with_their_values_have_no_header() -> None:
    rows = sheet(
        ("Vendor profile", ""),
        ("Vendor name", "Acme GmbH"),
        ("Address:", "Main St 1"),
        ("Legal", ""),
        ("Contact", "Jane Roe"),
        ("Employees", "1200"),
    )
    assert [(block.kind, block.text) for block in read_rows(rows)] == [
        ("title", "Vendor profile"),
        ("row", "Vendor name: Acme GmbH"),
        ("row", "Address: Main St 1"),
        ("title", "Legal"),
        ("row", "Contact: Jane Roe"),
        ("row", "Employees: 1200"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        (("Field", "Value"), ("Company", "Acme"), ("Employees", "1200")),
        (("Name", "Description"), ("Vendor name", "who sells it"), ("Contact", "who is called in 24 hours")),
        (("Country", "Capital"), ("France", "Paris (75000)"), ("Norway", "Oslo (0001)")),
        (("Customer", "Sector"), ("Bank Alpha", "Finance (private)"), ("City of Oslo", "Public (since 2019)")),
        (("System", "Owner"), ("Billing", "Finance"), ("Mail", "IT")),
    ],
)
def test_two_columns_below_a_header_are_no_labels(rows: tuple[tuple[str, str], ...]) -> None:
    (first, second), *below = rows
    assert [b.text for b in read_rows(sheet(*rows))] == [f"{first}: {one}; {second}: {two}" for one, two in below]


def test_lines_of_an_answer_without_a_question_belong_to_the_question_above() -> None:
    rows = sheet(
        ("Nr", "Question", "Answer", "Comments"),
        ("1", "Which certificates do you hold?", "ISO 27001", ""),
        ("", "", "SOC 2 Type II", "since 2020"),
        ("2", "How do you back up?", "We copy all data daily", ""),
        ("", "", "to a second site.", ""),
        ("3", "Who audits you?", "", ""),
        ("", "", "TUV", ""),
        ("", "", "", ""),
        ("", "", "Seen by the board.", ""),
        ("Total", "", "3", ""),
    )
    assert [(block.row_number, block.text) for block in read_rows(rows)] == [
        (2, "Which certificates do you hold?\nAnswer: ISO 27001; SOC 2 Type II\nComments: since 2020\nNr: 1"),
        (4, "How do you back up?\nAnswer: We copy all data daily to a second site.\nNr: 2"),
        (6, "Who audits you?\nAnswer: TUV\nNr: 3"),
        (9, "Answer: Seen by the board."),
        (10, "Nr: Total; Answer: 3"),
    ]


def test_a_line_of_an_earlier_answer_is_none_of_the_latest() -> None:
    rows = sheet(
        ("Question", "Previous answer", "Answer"),
        ("Which certificates do you hold?", "ISO 9001", "ISO 27001"),
        ("", "ISO 14001", ""),
    )
    assert [block.text for block in read_rows(rows)] == [
        "Which certificates do you hold?\nAnswer: ISO 27001\nPrevious answer: ISO 9001; ISO 14001"
    ]


def test_a_draft_takes_no_further_lines() -> None:
    rows = sheet(
        ("Question", "Answer", "bidfolio status"),
        ("Which certificates do you hold?", "ISO 9001", "answered"),
        ("", "ISO 27001", ""),
    )
    assert ("question", "Which certificates do you hold?") in [(block.kind, block.text) for block in read_rows(rows)]


def test_a_question_is_read_with_what_leads_in_to_it() -> None:
    rows = sheet(
        ("Nr", "Question", "Answer"),
        ("1", "Regarding backups:", ""),
        ("1a", "are they encrypted?", "Yes"),
        ("1.b", "Are they off site?", "No"),
        ("2", "Regarding logs:", ""),
        ("a)", "Are they encrypted?", "No"),
        ("21", "Do you have a security officer?", "Yes"),
        ("22", "Please answer the following questions:", ""),
        ("22a", "Do you insure risks?", "Yes"),
    )
    assert [(block.kind, block.text.partition("\nNr")[0]) for block in read_rows(rows)] == [
        ("question", "Regarding backups:"),
        ("row", "Regarding backups: are they encrypted?\nAnswer: Yes"),
        ("row", "Regarding backups: Are they off site?\nAnswer: No"),
        ("question", "Regarding logs:"),
        ("row", "Regarding logs: Are they encrypted?\nAnswer: No"),
        ("row", "Do you have a security officer?\nAnswer: Yes"),
        ("question", "Please answer the following questions:"),
        ("row", "Do you insure risks?\nAnswer: Yes"),
    ]


def test_rows_without_any_question_are_not_all_one_answer() -> None:
    lines = [("", f"line {number}") for number in range(20_000)]
    blocks = read_rows(sheet(("Question", "Answer"), ("Which certificates do you hold?", "ISO 27001"), *lines))
    assert max(len(block.text) for block in blocks) < 1000 and len(blocks) > 19_000


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_tells_the_delimiter_is_no_title(line: str) -> None:
    rows = read_csv(f"{line}\r\nQuestion;Answer\r\nDo you encrypt data, and how?;Yes, with AES\r\n")
    assert [(row.number, row.cells) for row in rows] == [
        (2, ("Question", "Answer")),
        (3, ("Do you encrypt data, and how?", "Yes, with AES")),
    ]
