"""Sheets made for paper: heads repeated on each page, and scores that end in sums."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_PAGES = (
    (
        "Is personal data collected only for purposes that are written down?",
        "Is a record of processing activities kept?",
        "Are people told about the processing when their data is collected?",
        "Is consent recorded in such a way that it can be proved?",
    ),
    (
        "Are requests for access answered within a month?",
        "Can a person's data be exported in a common format?",
        "Is data erased once it is no longer needed?",
        "Is erasure carried through to processors?",
    ),
    (
        "Is an assessment of impact made before high-risk processing begins?",
        "Is there a contract with each processor?",
        "Are transfers to third countries based on an adequacy decision or on standard clauses?",
    ),
)


def pages() -> Layout:
    """The title, the heads and a footer come back on each of three pages."""
    form = Form("printed_pages", "GDPR checklist print.xlsx")
    page = form.page("Checklist")
    row, number = 1, 1
    for sheet, questions in enumerate(_PAGES, start=1):
        page.refuse(row, f"A{row}:E{row}", A="Checklist on the protection of personal data")
        page.refuse(row + 1, A=f"Form DP-12 – page {sheet} of {len(_PAGES)}")
        page.head(row + 2, A="No.", B="Question", C="Yes", D="No", E="Explanation")
        row += 3
        for text in questions:
            page.ask(row, "B", text, "E", verdicts={"yes": "C", "no": "D"}, A=number)
            row, number = row + 1, number + 1
        page.refuse(row, f"A{row}:E{row}", A="Please turn over. Have you answered all questions on this page?")
        row += 2
    page.sheet.print_title_rows = "1:3"
    return form.layout()


_SCORED = (
    ("Maturity of the vulnerability process", "How do you set priorities among weaknesses that were found?", 3),
    ("Maturity of the incident process", "How are incidents classified, and who is told at which level?", 3),
    ("Maturity of supplier control", "How do you check what your suppliers promise?", 2),
    ("Maturity of change control", "How are changes tested and approved before they go live?", 2),
)


def scores() -> Layout:
    """Two heads with line breaks, self-scores from 0 to 5, formulas at the right, and totals with a verdict."""
    form = Form("scored", "Maturity_self_assessment.xlsx")
    page = form.page("Self-assessment")
    page.widths(A=5, B=28, C=55, D=55, E=12, F=10, G=10)
    page.refuse(1, A="Self-assessment of maturity")
    page.formula(2, "A", '="Progress: "&COUNTA(D5:D8)&"/4"', "Progress: 0/4")
    page.head(
        4,
        A="#",
        B="Capability",
        C="Question",
        D="Vendor\nresponse",
        E="Buyer's score\n(0–5)",
        F="Weight",
        G="Result",
    )
    for row, (capability, text, weight) in enumerate(_SCORED, start=5):
        page.ask(row, "C", text, "D", F=weight)
        page.formula(row, "A", "=ROW()-4", row - 4)
        page.refuse(row, B=capability)
        page.formula(row, "G", f"=E{row}*F{row}", 0)
    page.refuse(9, C="Total")
    page.formula(9, "G", "=SUM(G5:G8)", 0)
    page.refuse(10, C="Highest possible total")
    page.formula(10, "G", "=5*SUM(F5:F8)", 50)
    page.refuse(11, C="Is the supplier mature enough?")
    page.formula(11, "G", '=IF(G9>=30,"PASS","FAIL")', "FAIL")
    page.refuse(13, C="Signature of the assessor")
    return form.layout()
