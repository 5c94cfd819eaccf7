"""Assessments of suppliers: choices prefilled with a prompt, follow-up questions, and columns for the reviewer."""

from __future__ import annotations

from itertools import groupby

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_SELECT = "Select…"
_BOX = "☐ Yes  ☐ No  ☐ Not applicable"

_PROTECTION = (
    ("1.1", "Do you assess the security of your own suppliers before you engage them?"),
    ("1.2", "Do you keep a list of all assets on which customers' data is held?"),
    ("1.3", "Is customer data removed from test systems, or made unreadable there?"),
    ("1.4", "Do you test web applications for the usual weaknesses before each release?"),
)
_FOLLOWED = (
    (
        "2.1",
        "Have you had a penetration test by an outside firm in the past twelve months?",
        "If so, who did it, and when?",
    ),
    (
        "2.2",
        "Do you run a scheme that rewards people who report weaknesses?",
        "If yes, please give the link to its rules:",
    ),
    (
        "2.3",
        "Have you suffered a breach in the past three years?",
        "If yes, describe what happened and what you changed.",
    ),
)
_BOXES = (
    "Are laptops encrypted by default?",
    "Can employees install software of their own choice?",
    "Is malware protection kept up to date centrally?",
)


def prompts() -> Layout:
    """Choices that read "Select…", follow-ups in rows of their own, and boxes to tick within a cell."""
    form = Form("vsa_prompts", "VSA-core (vendor copy).xlsx")
    page = form.page("Vendor Security Assessment")
    page.widths(A=6, B=30, C=30, D=30, E=16, F=40)
    page.section(1, "A1:F1", A="Vendor security assessment – core")
    page.refuse(
        2, "A2:F2", A="Only the blue cells are to be filled in. What if a question does not apply? Say so in the notes."
    )
    page.section(4, "A4:F4", A="1 Data Protection & Proactive Security")
    page.head(5, A="N°", B="Question", E="Answer", F="Notes")
    page.merge("B5:D5")
    for row, (number, text) in enumerate(_PROTECTION, start=6):
        page.ask(row, "B", text, "E", comment="F", placeholder=_SELECT, A=number)
        page.merge(f"B{row}:D{row}")
    page.section(11, "A11:F11", A="2 Reactive Security")
    row = 12
    for number, text, more in _FOLLOWED:
        page.ask(row, "B", text, "E", comment="F", placeholder=_SELECT, A=number)
        page.ask(row + 1, "B", more, "E", A=f"{number}a")
        page.merge(f"B{row}:D{row}", f"B{row + 1}:D{row + 1}", f"E{row + 1}:F{row + 1}")
        row += 2
    page.choose("E6:E9 E12 E14 E16", _SELECT, "Yes", "No", "N/A")
    boxes = form.page("Endpoints")
    boxes.head(1, A="Question", B="Tick one", C="Please explain")
    for row, text in enumerate(_BOXES, start=2):
        boxes.ask(row, "A", text, "B", comment="C", placeholder=_BOX)
    return form.layout()


_REVIEWED = (
    (
        "Encryption",
        "Key management",
        "How are the keys that encrypt customer data made, kept and replaced?",
        "Look for a hardware module or a managed service. Are keys replaced at least yearly? Who can export them?",
    ),
    (
        "Encryption",
        "Transport",
        "Which protocols protect data on its way between the customer and the service?",
        "TLS 1.2 or later. Does the answer name ciphers? Is plain HTTP refused?",
    ),
    (
        "People",
        "Screening",
        "What is checked of a person before they are given access to customer data?",
        "Identity, references and criminal record as the law permits. Is the check repeated?",
    ),
    (
        "People",
        "Training",
        "How often is staff trained in information security, and how is attendance proved?",
        "At least yearly, with records. Does the training cover phishing?",
    ),
    (
        "People",
        "Leavers",
        "What happens to accounts and equipment when somebody leaves?",
        "Ask for a checklist. Are accounts closed on the last day?",
    ),
    (
        "Operations",
        "Patching",
        "Within what time are critical fixes applied to systems that face the internet?",
        "Fourteen days or fewer is good. Are exceptions approved?",
    ),
)


def reviewers() -> Layout:
    """Domains in merged cells, short topics, guidance full of questions, and columns that only the reviewer fills."""
    form = Form("assurance_reviewers", "Supplier-Assurance-Return.xlsx")
    page = form.page("Return")
    page.widths(A=7, B=14, C=16, D=48, E=60, F=48, G=12, H=12, I=30)
    page.say(1, A="Supplier assurance return", H="Ref: SAR-2026-014")
    page.section(2, A="To be filled in by the supplier", H="Customer use only")
    page.merge("A2:G2", "H2:I2")
    page.head(
        3,
        A="ID",
        B="Domain",
        C="Topic",
        D="Question",
        E="Guidance: what good looks like",
        F="Supplier's answer",
        G="Evidence attached (Y/N)",
        H="Score 0–4",
        I="Reviewer's comments",
    )
    row = 4
    for domain, group in groupby(_REVIEWED, key=lambda one: one[0]):
        first = row
        page.refuse(row, B=domain)
        for _, topic, text, guidance in group:
            page.ask(row, "D", text, "F", A=f"SA{row - 3:03}")
            page.refuse(row, C=topic, E=guidance)
            row += 1
        if row - 1 > first:
            page.merge(f"B{first}:B{row - 1}")
    page.choose("G4:G9", "Y", "N")
    _scale(form.page("Scoring scale"))
    return form.layout()


def _scale(page: Page) -> None:
    page.head(1, A="Score", B="Meaning", C="Does it pass?")
    for row, (score, text) in enumerate(
        (
            (0, "No answer, or one that shows no control."),
            (2, "A control exists but is not proved."),
            (4, "The control exists, is proved, and is reviewed at planned times."),
        ),
        start=2,
    ):
        page.refuse(row, B=text, C="It does" if score else "It does not")
        page.say(row, A=score)
