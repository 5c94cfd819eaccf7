"""Workbooks in which questions are one sheet among forms, prices and definitions, or in part answered."""

from __future__ import annotations

import datetime

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_CONTACTS = ("Registered name", "Trading name", "VAT number", "Registered office", "Main contact", "Telephone", "IBAN")
_POLICY = (
    ("2.1", "Do you have a code of conduct that all employees sign?"),
    ("2.2", "How do you make sure that no gifts of more than token value are accepted?"),
    ("2.3", "Describe how concerns about unlawful conduct can be reported in confidence."),
    ("2.4", "Are background checks made of people who will work on our premises?"),
    ("2.5", "Which of your activities are carried out by affiliates, and where?"),
)
_TERMS = (
    ("Affiliate", "Any company that controls, or is controlled by, the Supplier."),
    (
        "Personal data",
        "Any information about an identified or identifiable person. Is an IP address personal data? Yes.",
    ),
    (
        "Incident",
        "An event that harms, or may harm, the confidentiality, integrity or availability of our information.",
    ),
)
_DECLARATION = (
    "We confirm that the answers given in this pack are true and complete.",
    "We will tell you without delay if any of them changes.",
)
_REFERENCES = ("Customer", "Country", "Value per year", "May we contact them?")


def onboarding() -> Layout:
    """Facts, questions, references, prices, definitions and a declaration: of six sheets one asks questions."""
    form = Form("onboarding_pack", "Supplier onboarding pack v7.xlsx")
    page = form.page("1 Your details")
    page.section(1, "A1:D1", A="1 Your details")
    for row, text in enumerate(_CONTACTS, start=3):
        page.lead(row, A=text)
        page.merge(f"B{row}:D{row}")
    page.lead(11, A="Number of employees", C="Annual turnover")
    page = form.page("2 Policies")
    page.section(1, "A1:C1", A="2 Policies and conduct")
    page.head(3, is_plain=True, A="No", B="Question", C="Your answer")
    for row, (number, text) in enumerate(_POLICY, start=4):
        page.ask(row, "B", text, "C", A=number)
    page = form.page("3 References")
    page.section(1, "A1:E1", A="3 References: please name three customers")
    page.head(2, False, A="No", **dict(zip("BCDE", _REFERENCES, strict=True)))
    for row in range(3, 6):
        page.say(row, A=row - 2)
    _rates(form.page("4 Rates"))
    page = form.page("5 Definitions")
    page.head(1, A="Term", B="Meaning")
    for row, (term, meaning) in enumerate(_TERMS, start=2):
        page.refuse(row, A=term, B=meaning)
    page = form.page("6 Declaration")
    for row, text in enumerate(_DECLARATION, start=2):
        page.refuse(row, f"A{row}:F{row}", A=text)
    page.lead(6, A="Signed", C="Position", E="Date")
    return form.layout()


def _rates(page: Page) -> None:
    page.section(1, "A1:E1", A="4 Rates")
    page.head(2, A="Role", B="Day rate", C="Days", D="Amount", E="Discount offered?")
    for row, role in enumerate(("Consultant", "Senior consultant", "Project manager"), start=3):
        page.refuse(row, A=role)
        page.say(row, C=10 * row)
        page.formula(row, "D", f"=B{row}*C{row}", 0)
    page.refuse(6, A="Grand total")
    page.formula(6, "D", "=SUM(D3:D5)", 0)


_PARTLY = (
    ("Is there an information security policy?", "Yes", "Version 6, approved in January."),
    ("Who approves the policy?", "The board of directors.", None),
    ("Are all employees trained in it?", "Yes", "Each year, by e-learning."),
    ("Are contractors trained as well?", "", None),
    ("How is attendance followed up?", "", None),
    ("Is there a process for exceptions from the policy?", "TBC", None),
    ("Are exceptions reviewed, and how often?", "", "To be checked with the CISO – Anna"),
)
_TICKED = (
    ("Is a clean desk required?", "yes"),
    ("Are screens locked after some minutes?", ""),
    ("Is paper with personal data shredded?", ""),
    ("May private devices be used for work?", "no"),
)


def partly_answered() -> Layout:
    """Half of the answers are there, some with a comment that a colleague left, and some boxes are ticked."""
    form = Form("partly_answered", "DRAFT security questions_AK_2.xlsx")
    page = form.page("Policy")
    page.head(1, A="#", B="Question", C="Answer", D="Details", E="Owner", F="Done on")
    for row, (text, given, details) in enumerate(_PARTLY, start=2):
        done = datetime.date(2026, 3, row) if given not in ("", "TBC") else None
        comment = None if details else "D"
        page.ask(row, "B", text, "C", comment=comment, given=given, A=row - 1, E="Anna" if given else None, F=done)
        page.say(row, D=details)
    page = form.page("Workplace")
    page.head(1, A="Question", B="Yes", C="No", D="Remark")
    for row, (text, ticked) in enumerate(_TICKED, start=2):
        page.ask(row, "A", text, "D", verdicts={"yes": "B", "no": "C"}, ticked=ticked)
    return form.layout()


_EXAMPLE = "e.g. Do you have a fire alarm in each building?"
_EXAMPLED = (
    "Do you keep an inventory of software in use?",
    "How do you learn of new weaknesses in that software?",
    "Who decides when a fix is installed outside of the usual schedule?",
    "Are systems scanned for weaknesses from outside of your network?",
)


def with_examples() -> Layout:
    """A row that says what to write under each head, an example row, and empty rows to add one's own remarks."""
    form = Form("example_rows", "IT_supplier_questions_template.xlsx")
    page = form.page("Template")
    page.widths(A=8, B=60, C=12, D=60, E=30)
    page.head(2, A="No.", B="Question", C="Response", D="Explanation", E="Document")
    page.refuse(
        3,
        B="Do not change the wording of the questions",
        C="Choose Yes, No or Partly",
        D="At most 200 words. Why is it so?",
        E="Name of the file, if any",
    )
    page.refuse(4, A="Example", B=_EXAMPLE, C="Yes, we do", D="Alarms are tested each month.", E="fire-safety.pdf")
    for row, text in enumerate(_EXAMPLED, start=5):
        page.ask(row, "B", text, "C", comment="D", A=row - 4)
    page.refuse(10, A="Further remarks")
    page.choose("C5:C8", "Yes", "No", "Partly")
    page = form.page("Short form")
    page.head(1, A="Question", B="Answer")
    page.refuse(2, A="(Example) How many people work for you?", B="(Example) 120 at two sites")
    page.ask(3, "A", "How many people work on the product that we would buy?", "B")
    page.ask(4, "A", "Where do they work?", "B")
    return form.layout()
