"""Tables whose shape is loose: levels in columns, rows merged for each question, far answers, and no heads at all."""

from __future__ import annotations

from openpyxl.styles import Border, Side

from tests.made.questionnaire_layouts.form import Form, Layout

_OUTLINE = (
    (1, "Do you develop the software that you would supply?"),
    (2, "Is each change of its source code reviewed by a second person?"),
    (2, "Are libraries of third parties checked for known weaknesses?"),
    (3, "How often, and with which tool?"),
    (3, "Within what time are weaknesses removed that were found in this way?"),
    (1, "Is the software tested by people other than its developers?"),
    (2, "Is data of customers used in tests?"),
    (1, "Are releases signed?"),
)


def indented() -> Layout:
    """The deeper a question, the further right the column that it stands in; the answers share one column."""
    form = Form("indented_columns", "secure development outline.xlsx")
    page = form.page("SDLC")
    page.widths(A=4, B=4, C=4, D=60, E=14, F=40)
    page.section(1, "A1:F1", A="Secure development")
    page.head(3, A="Question", E="Answer", F="Explanation")
    page.merge("A3:D3")
    page.section(4, A="Development and release")
    for row, (level, text) in enumerate(_OUTLINE, start=5):
        page.ask(row, "ABC"[level - 1], text, "E", comment="F")
        page.merge(f"{'ABC'[level - 1]}{row}:D{row}")
    return form.layout()


_TALL = (
    ("4.1", "The Contractor shall report on the service each month, in the form of Annex D."),
    ("4.2", "The Contractor shall take part in the yearly emergency exercise of the Agency."),
    ("4.3", "The Contractor shall name a deputy for each key person."),
    ("4.4", "The Contractor shall hand over all documents in English within ten days of a request."),
)


def tall_rows() -> Layout:
    """Three rows for each requirement, merged but for a column of labels and one of values."""
    form = Form("tall_rows", "Statement of compliance.xlsx")
    page = form.page("Compliance")
    page.widths(A=8, B=60, C=18, D=60)
    page.head(1, A="Para.", B="Requirement", C="Tenderer's statement")
    page.merge("C1:D1")
    for number, (ident, text) in enumerate(_TALL):
        row = 2 + 3 * number
        page.ask(row, "B", text, f"D{row}", comment=f"D{row + 1}", A=ident)
        page.merge(f"A{row}:A{row + 2}", f"B{row}:B{row + 2}")
        for below, label in enumerate(("Compliant (Y/N)", "Explanation", "Reference to offer")):
            page.refuse(row + below, C=label)
        page.choose(f"D{row}", "Y", "N")
    return form.layout()


_WIDE = (
    ("Security roles are assigned, and the people who hold them know it.", "A.5.2", "GOV-1", "§ 30 (2) 1", "ID.AM-6"),
    ("Incidents are reported to the customer without undue delay.", "A.5.24", "IR-3", "§ 32", "RS.CO-2"),
    ("Systems are restored from backups in an order agreed beforehand.", "A.8.13", "BC-2", "§ 30 (2) 3", "RC.RP-1"),
    ("Cryptography follows a written concept.", "A.8.24", "CR-1", "§ 30 (2) 8", "PR.DS-1"),
    ("Physical access to production systems is logged.", "A.7.2", "PH-4", "§ 30 (2) 10", "PR.AC-2"),
)


def wide_mappings() -> Layout:
    """Statements to be declared on, four columns of mappings and a date after them, and the declaration far right."""
    form = Form("wide_mappings", "NIS2 supplier declaration.xlsx")
    page = form.page("Declaration")
    page.head(
        2,
        B="Lfd.",
        C="Control objective",
        D="ISO 27001:2022 Annex A",
        E="Internal catalogue",
        F="BSIG-E",
        G="NIST CSF 1.1",
        H="In force since",
        I="Criticality",
        L="Supplier's declaration",
        M="Evidence",
    )
    for row, (text, iso, own, law, nist) in enumerate(_WIDE, start=3):
        page.ask(row, "C", text, "L", comment="M", B=row - 2, D=iso, E=own, F=law, G=nist, H="2025-01-01", I="high")
    page.choose("L3:L7", "Fulfilled", "Partly fulfilled", "Not fulfilled")
    return form.layout()


_LISTED = (
    "Is there an on-call service at weekends?",
    "Is the service desk certified to a standard?",
    "Can tickets be opened by e-mail?",
    "Are satisfaction surveys sent after each ticket?",
)
_PROMPTED = (
    "How many tickets does your desk close in a month?",
    "What is the mean time until a first answer?",
    "To whom can we escalate?",
)


def headless() -> Layout:
    """No heads: what is an answer's cell is told by a list of choices, or by the prompt within it."""
    form = Form("headless", "servicedesk.xlsx")
    page = form.page("Yes or no")
    line = Side(style="thin")
    for row, text in enumerate(_LISTED, start=2):
        page.ask(row, "B", text, "C", A=row - 1)
        page.sheet[f"C{row}"].border = Border(line, line, line, line)
    page.choose("C2:C5", "Yes", "No")
    page = form.page("Figures")
    for row, text in enumerate(_PROMPTED, start=2):
        page.ask(row, "B", text, "D", placeholder="[your answer]", A=f"{row - 1}.")
        page.merge(f"B{row}:C{row}")
    return form.layout()
