"""A university's assessment: heads repeated at each section, and sheets that repeat the questions by formula."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_COMPANY = (
    (
        "COMP-01",
        "Give an outline of your business's background and of its ownership structure.",
        "Include parent companies.",
    ),
    (
        "COMP-02",
        "Have you had an unplanned disruption of this product in the last twelve months?",
        "Say how long it took.",
    ),
    ("COMP-03", "Do you have a dedicated information security team?", "How many people? Which roles?"),
)
_DOCUMENTATION = (
    ("DOCU-01", "Have you undergone an SSAE 18 or SOC 2 audit?", "Attach the latest report."),
    (
        "DOCU-02",
        "Can you share a diagram of the architecture of the product, with its data flows?",
        "A drawing will do.",
    ),
    ("DOCU-03", "Do you have a published privacy notice for the product?", "Give the address of the page."),
)
_DATA = (
    ("DATA-06", "Is sensitive data encrypted in transit, from system to client?", "Which versions of TLS are allowed?"),
    ("DATA-07", "Is sensitive data encrypted at rest, in files as in databases?", "Name the algorithm."),
    (
        "DATA-08",
        "Will the institution's data be available in its own format after the contract's end?",
        "For how long?",
    ),
    ("DATA-09", "Are copies of the institution's data kept in a place apart from the data centre?", "Name the region."),
    ("DATA-10", "Do any of your backups leave the institution's country?", ""),
)
_SECTIONS = (("Company Overview", _COMPANY), ("Documentation", _DOCUMENTATION), ("Data", _DATA))
_ANALYST = ("Is the answer acceptable?", "Meets", "Does not meet", "High Risk? Override")


def university() -> Layout:
    """Instructions, an assessment with facts first, and two evaluation sheets made of formulas."""
    form = Form("hecvat_university", "HE vendor assessment 3.06.xlsx")
    _instructions(form)
    page = form.page("HE Assessment")
    page.widths(A=11, B=48, C=16, D=44, E=34, F=30)
    page.section(1, "A1:F1", A="Higher Education Vendor Assessment")
    page.lead(2, A="Date completed")
    places: list[tuple[str, int, str]] = []
    row = _general(page)
    for title, questions in _SECTIONS:
        page.section(row, A=title, C="Vendor Answers", D="Additional Information", E="Guidance", F="Analyst Notes")
        page.merge(f"A{row}:B{row}")
        first = row + 1
        for row, (ident, text, guidance) in enumerate(questions, start=first):
            is_text = text.startswith("Give")
            page.ask(row, "B", text, "C", comment=None if is_text else "D", A=ident)
            page.refuse(row, E=guidance or None)
            if is_text:
                page.merge(f"C{row}:D{row}")
            else:
                page.choose(f"C{row}", "Yes", "No")
            places.append((ident, row, text))
        row += 1
    page.refuse(row, f"A{row}:F{row}", A="Have you answered every question? Save the file and return it.")
    _crosswalk(form, places)
    _report(form, places)
    return form.layout()


def _instructions(form: Form) -> None:
    page = form.page("Instructions")
    page.section(1, A="Target Audience")
    page.refuse(2, A="This form is for vendors whose product will hold or reach an institution's data.")
    page.section(3, A="Data Required")
    page.refuse(4, A="Does the product handle no institutional data at all? Then the short form is enough.")
    page.head(6, A="Field", B="What is expected", C="Example")
    page.refuse(7, A="Vendor Answers", B="Yes or No, by the list in the cell.", C="Do you have a firewall? → Yes")
    page.refuse(8, A="Additional Information", B="Evidence, and reasons for each No.", C="We use the provider's own.")


def _general(page: Page) -> int:
    page.section(4, A="General Information")
    page.merge("A4:F4")
    labels = ("Vendor Name", "Product Name", "Product Description", "Vendor Contact E-mail", "Vendor Data Zone")
    for row, label in enumerate(labels, start=5):
        page.lead(row, B=label)
        page.say(row, A=f"GNRL-{row - 4:02}")
        page.merge(f"C{row}:F{row}")
    return 5 + len(labels)


def _crosswalk(form: Form, places: list[tuple[str, int, str]]) -> None:
    page = form.page("Standards Crosswalk")
    page.head(1, A="ID", B="Question", C="CIS Controls v8", D="ISO 27002:2022", E="NIST SP 800-171r2")
    for row, (ident, source, text) in enumerate(places, start=2):
        page.formula(row, "A", f"='HE Assessment'!A{source}", ident)
        page.formula(row, "B", f"='HE Assessment'!B{source}", text)
        page.say(row, C=f"CSC {row + 1}", D=f"5.{row}", E=f"3.13.{row}")


def _report(form: Form, places: list[tuple[str, int, str]]) -> None:
    page = form.page("Analyst Report")
    page.refuse(1, "A1:G1", A="For the institution's analyst only")
    page.head(3, A="ID", B="Question", C="Vendor Answer", D=_ANALYST[0], E="Preferred", F="Weight", G="Score")
    for row, (ident, source, text) in enumerate(places, start=4):
        page.formula(row, "A", f"='HE Assessment'!A{source}", ident)
        page.formula(row, "B", f"='HE Assessment'!B{source}", text)
        page.formula(row, "C", f"='HE Assessment'!C{source}", 0)
        page.say(row, E="Yes", F=10 + 5 * (row % 3))
        page.formula(row, "G", f"=IF(C{row}=E{row},F{row},0)", 0)
    last = 3 + len(places)
    page.choose(f"D4:D{last}", *_ANALYST[1:])
    page.refuse(last + 1, B="Total score")
    page.formula(last + 1, "G", f"=SUM(G4:G{last})", 0)
    cleared = "Is the product cleared for use? "
    page.formula(last + 2, "B", f'="{cleared}"&IF(G{last + 1}>100,"Yes","No")', f"{cleared}No", refuse=True)
