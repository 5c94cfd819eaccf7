"""Requirement matrices of public tenders, in English."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_FUNCTIONAL = (
    (
        "FR-001",
        "The solution shall allow users to sign in by the Authority's identity provider over OpenID Connect.",
        "M",
    ),
    ("FR-002", "The solution shall keep a log of each change to a case, with the time and the user.", "M"),
    ("FR-003", "The solution should offer an interface in at least two official languages.", "D"),
    ("FR-004", "The Tenderer must migrate all open cases from the current system before acceptance.", "M"),
    ("FR-005", "The solution should send reminders of deadlines by e-mail.", "D"),
)
_TECHNICAL = (
    ("TR-001", "All data shall be stored within the European Economic Area.", "M"),
    ("TR-002", "Availability of the service shall be no less than 99.5 % in each calendar month.", "M"),
    ("TR-003", "The solution is expected to expose its data through a documented REST interface.", "D"),
    ("TR-004", "Web pages conform to level AA of the accessibility guidelines, version 2.1 or later.", "M"),
)
_PRICES = (
    ("Licence per named user and year", 250),
    ("Implementation, lump sum", 1),
    ("Day rate of a senior consultant", 40),
    ("Training course for up to 12 people. How many days?", 3),
)
_TERMS = (
    ("Mandatory (M)", "A requirement that must be met in full; a tender that fails one is excluded."),
    ("Desirable (D)", "A requirement that earns points when met."),
    ("Solution", "The software and services that the Tenderer shall deliver under the contract."),
)


def matrix() -> Layout:
    """Merged heads over Y, P and N to tick, sections within the table, a price schedule and a sheet of terms."""
    form = Form("tender_matrix", "Annex C - Requirements matrix.xlsx")
    page = form.page("Cover")
    page.refuse(3, C="Annex C – Requirements matrix")
    for row, text in enumerate(("Name of tenderer", "Address", "Signature and date"), start=5):
        page.lead(row, C=text)
    page = form.page("Terms")
    page.head(1, A="Term", B="Definition")
    for row, (term, meaning) in enumerate(_TERMS, start=2):
        page.refuse(row, A=term, B=meaning)
    _requirements(form.page("Requirements"))
    _prices(form.page("Price schedule"))
    return form.layout()


def _requirements(page: Page) -> None:
    page.widths(A=10, B=70, C=6, D=5, E=5, F=5, G=50)
    page.refuse(
        1, A="Y = complies fully; P = complies in part; N = does not comply. Mark one box in each row with an x."
    )
    page.head(3, A="Req. no.", B="Requirement", C="M/D", D="Compliance", G="Remarks / reference to tender")
    page.head(4, D="Y", E="P", F="N")
    page.merge("A3:A4", "B3:B4", "C3:C4", "D3:F3", "G3:G4")
    row = 5
    for title, requirements in (("1 Functional requirements", _FUNCTIONAL), ("2 Technical requirements", _TECHNICAL)):
        page.section(row, f"A{row}:G{row}", A=title)
        first = row + 1
        for row, (number, text, kind) in enumerate(requirements, start=first):
            page.ask(row, "B", text, "G", verdicts={"yes": "D", "partial": "E", "no": "F"}, A=number, C=kind)
        row += 1
    page.choose(f"D6:F{row - 1}", "x")


def _prices(page: Page) -> None:
    page.head(2, A="Item", B="Description", C="Quantity", D="Unit price (EUR)", E="Total (EUR)")
    for row, (text, quantity) in enumerate(_PRICES, start=3):
        page.refuse(row, B=text)
        page.say(row, A=row - 2, C=quantity)
        page.formula(row, "E", f"=C{row}*D{row}", 0)
    row = 3 + len(_PRICES)
    page.refuse(row, A="Total price excluding VAT")
    page.formula(row, "E", f"=SUM(E3:E{row - 1})", 0)


_LOTS = (
    ("Q-1", "Describe your approach to taking over the service from the incumbent.", 20, "2 pages"),
    ("Q-2", "Explain how you will staff the service desk outside of office hours.", 15, "1 page"),
    ("Q-3", "Set out the measures by which you will cut the carbon emissions of deliveries.", 10, "1 page"),
    ("Q-4", "Which risks do you see in the first six months, and how will you treat them?", 15, "1 page"),
)
_GATES = (
    ("G-1", "The tenderer holds liability insurance of at least EUR 2 million for each claim."),
    ("G-2", "The tenderer accepts the draft contract without reservations."),
    ("G-3", "The tenderer has delivered at least three comparable projects since 2022."),
)


def two_tables() -> Layout:
    """Two tables below each other, with different columns at different places, and points in between."""
    form = Form("tender_two_tables", "RFT 26-118 response form.xlsx")
    page = form.page("Response form")
    page.section(1, A="Part A – Pass or fail")
    page.head(2, A="No.", B="Criterion", E="Confirmed? (Yes/No)")
    page.merge("B2:D2")
    for row, (number, text) in enumerate(_GATES, start=3):
        page.ask(row, "B", text, "E", A=number)
        page.merge(f"B{row}:D{row}")
    page.refuse(6, A="A “No” in Part A leads to exclusion. Any questions? Use the portal.")
    page.section(9, A="Part B – Quality")
    page.head(10, A="Ref.", B="Points", C="Max. length", D="Question", E="Tenderer's response")
    for row, (number, text, points, length) in enumerate(_LOTS, start=11):
        page.ask(row, "D", text, "E", A=number, B=points, C=length)
    page.refuse(16, A="Sum")
    page.formula(16, "B", "=SUM(B11:B14)", 60)
    return form.layout()


_TECHNICAL_SIDE = (
    "Are servers hardened by a written standard?",
    "Is the network divided into zones?",
    "Are backups kept offline?",
    "Is remote access protected by a second factor?",
)
_PEOPLE_SIDE = ("Is there a security officer?", "Are all employees bound to secrecy?", "Is the policy reviewed yearly?")


def side_by_side() -> Layout:
    """Two tables beside each other, of different lengths, with a blank column between them."""
    form = Form("side_by_side", "Checklist two halves.xlsx")
    page = form.page("Checklist")
    page.section(1, "A1:C1", A="Technical measures")
    page.section(1, "E1:G1", E="Organisational measures")
    page.head(2, A="#", B="Question", C="Answer", E="#", F="Question", G="Answer")
    for row, text in enumerate(_TECHNICAL_SIDE, start=3):
        page.ask(row, "B", text, "C", A=f"T{row - 2}")
    for row, text in enumerate(_PEOPLE_SIDE, start=3):
        page.ask(row, "F", text, "G", E=f"O{row - 2}")
    return form.layout()
