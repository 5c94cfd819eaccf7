"""A long assessment in many tabs, of which each has heads of its own."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_GOVERNANCE = (
    (
        "A.1",
        "Is there a documented programme by which the organisation manages risk across all of its business?",
        "GV.RM",
    ),
    ("A.1.1", "Has that programme been approved by an executive who is accountable for it?", "GV.RR"),
    ("A.1.2", "Are risks recorded with an owner and a date by which they are to be treated?", "GV.RM"),
    ("A.2", "Are suppliers that handle scoped data assessed before a contract is signed?", "GV.SC"),
    ("A.2.1", "Are those suppliers reassessed at least once a year?", "GV.SC"),
    ("A.3", "Does the board receive a report on information risk at planned intervals?", "GV.OV"),
)
_DATA = (
    ("D.1", "Is scoped data classified according to its sensitivity?", "Confidentiality", "A.5.12"),
    ("D.1.1", "Describe the classes in use and the handling rules of each.", "Confidentiality", "A.5.13"),
    ("D.2", "Is scoped data encrypted wherever it is stored, including on backup media?", "Confidentiality", "A.8.24"),
    ("D.2.1", "Which algorithms and key lengths are used?", "Confidentiality", "A.8.24"),
    ("D.2.2", "Are encryption keys held apart from the data that they protect?", "Confidentiality", "A.8.24"),
    ("D.3", "Are media sanitised or destroyed before they leave your control?", "Integrity", "A.7.14"),
)
_ACCESS = (
    ("1", "Are access rights granted by role and by need?", "PR.AA-05"),
    (
        "2",
        "Is multi-factor authentication required for every remote connection to systems with scoped data?",
        "PR.AA-03",
    ),
    ("3", "Within how many hours of a leaver's last day is access withdrawn?", "PR.AA-01"),
    ("4", "How often are the rights of privileged accounts reviewed, and by whom?", "PR.AA-05"),
    ("5", "Are shared or generic accounts forbidden on production systems?", "PR.AA-02"),
)
_RESILIENCE = (
    ("K.1", "Is there a business continuity plan for the services in scope?"),
    ("K.2", "State the recovery time objective and the recovery point objective of each service in scope."),
    ("K.3", "When was the plan last exercised, and what was learned from it?"),
    ("K.4", "Can the services in scope be run from a second site?"),
)


def many_tabs() -> Layout:
    """A cover, instructions, facts about the company, four tabs of questions and a hidden list of choices."""
    form = Form("sig_many_tabs", "Third party assessment 2026 full.xlsx")
    page = form.page("Copyright")
    page.refuse(2, B="Third Party Control Assessment, edition 2026")
    page.refuse(4, B="This workbook may be used by licensed members only. May it be shared? Ask the editor first.")
    page = form.page("Instructions")
    for row, text in enumerate(
        (
            "How do I complete this workbook?",
            "1. Fill in the tab Business Information first.",
            "2. In each tab answer every question with Yes, No or N/A from the list in the column Response.",
            "3. Explain each No and each N/A under Additional Information.",
            "Where can I get help? Write to assessments@customer.example.",
        ),
        start=2,
    ):
        page.refuse(row, A=text)
    _business(form)
    _governance(form)
    _data(form)
    _access(form)
    _resilience(form)
    lists = form.page("Formula Notes")
    for row, text in enumerate(("Yes", "No", "N/A", "Has the tab been completed?"), start=1):
        lists.refuse(row, A=text)
    lists.sheet.sheet_state = "hidden"
    return form.layout()


def _business(form: Form) -> None:
    page = form.page("Business Information")
    page.section(1, "A1:C1", A="Business Information")
    page.head(2, A="Ser No", B="Item", C="Entry")
    for row, text in enumerate(
        (
            "Name of the respondent",
            "Job title of the respondent",
            "Date of response",
            "Legal form",
            "Year of foundation",
        ),
        start=3,
    ):
        page.lead(row, B=text)
        page.say(row, A=row - 2)


def _governance(form: Form) -> None:
    page = form.page("A. Risk Governance")
    page.widths(A=9, B=70, C=12, D=45, E=24, F=12)
    page.section(1, "A1:F1", A="A. Risk Governance")
    page.formula(2, "B", '=COUNTA(C4:C9)&" of 6 answered"', "0 of 6 answered")
    page.head(3, A="Ser No", B="Question/Request", C="Response", D="Additional Information", E="Category", F="CSF 2.0")
    for row, (number, text, mapped) in enumerate(_GOVERNANCE, start=4):
        page.ask(row, "B", text, "C", comment="D", A=number, E="Enterprise Risk Management", F=mapped)
    page.choose("C4:C9", "Yes", "No", "N/A")


def _data(form: Form) -> None:
    page = form.page("D. Asset and Data")
    page.widths(A=9, B=9, C=70, D=12, E=45)
    page.refuse(1, A="D. Asset and Information Management")
    page.refuse(
        2, A="Answer for all systems that store, process or carry scoped data. Is the tab out of scope? Mark it N/A."
    )
    page.head(
        4, A="Ref", B="Level", C="Question/Request", D="Response", E="Additional Information", F="Goal", G="ISO 27002"
    )
    for row, (number, text, goal, control) in enumerate(_DATA, start=5):
        level = number.count(".")
        page.ask(row, "C", text, "D", comment="E", A=number, B=level, F=goal, G=control)
        page.sheet.row_dimensions[row].outlineLevel = level - 1
    page.choose("D5 D7 D9:D10", "Yes", "No", "N/A")


def _access(form: Form) -> None:
    """The mapping comes before the question, and words before the choice."""
    page = form.page("H. Access Control")
    page.section(1, "A1:E1", A="H. Access Control")
    page.head(2, A="#", B="Mapping", C="Question", D="Comments / Evidence", E="Y/N/NA")
    for row, (number, text, mapped) in enumerate(_ACCESS, start=3):
        page.ask(row, "C", text, "E", comment="D", A=int(number), B=mapped)


def _resilience(form: Form) -> None:
    """A blank row after each question, and no column for a choice."""
    page = form.page("K. Resilience")
    page.section(1, "A1:C1", A="K. Operational Resilience")
    page.head(2, A="Ser No", B="Question/Request", C="Response")
    for number, (ident, text) in enumerate(_RESILIENCE):
        page.ask(3 + 2 * number, "B", text, "C", A=ident)
