"""Questions above their answers, and a question a sheet."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout, Page

_LABELLED = (
    "Describe the architecture of the proposed service, and name the components that you do not run yourselves.",
    "How do you separate the data of one customer from that of another?",
    "What are your commitments on availability, and how are customers compensated when you miss them?",
    "Do you provide a sandbox for tests? Under which conditions?",
    "Which formats does the export of all data support?",
)
_BOXED = (
    "Please outline your experience with projects of comparable size.",
    "Who would lead the project on your side, and what qualifies that person?",
    "How do you make sure that knowledge is handed over to our own staff?",
)
_COLON = (
    "What happens to our data when the contract ends?",
    "Is the deletion of data confirmed in writing?",
    "How long does data stay in backups after deletion?",
    "Can we be present when media are destroyed?",
)


def stacked() -> Layout:
    """Labels "Answer:" below each question; an empty box below each; and "A:" in the cell of the answer itself."""
    form = Form("stacked", "Request for information.xlsx")
    _labelled(form.page("Product"))
    _boxed(form.page("Services"))
    _colon(form.page("Exit"))
    return form.layout()


def _labelled(page: Page) -> None:
    page.widths(A=12, B=30, C=30, D=30)
    page.section(1, "A1:F1", A="Request for information: product")
    row = 3
    for number, text in enumerate(_LABELLED, start=1):
        page.ask(row, "A", f"Q{number}: {text}", f"B{row + 1}", variants=(text,))
        page.refuse(row + 1, A="Answer:")
        page.merge(f"A{row}:F{row}", f"B{row + 1}:F{row + 1}")
        page.sheet.row_dimensions[row + 1].height = 90
        row += 3


def _boxed(page: Page) -> None:
    page.section(1, "B1:G1", B="Request for information: services")
    page.refuse(2, "B2:G2", B="Type your answer into the box under each question.")
    row = 4
    for number, text in enumerate(_BOXED, start=1):
        page.ask(row, "B", text, f"B{row + 1}", A=number)
        page.merge(f"B{row}:G{row}", f"B{row + 1}:G{row + 4}")
        row += 6


def _colon(page: Page) -> None:
    for row, text in zip(range(2, 20, 3), _COLON, strict=False):
        page.ask(row, "A", text, f"A{row + 1}", placeholder="A:")


_QUALITY = (
    (
        "Mobilisation",
        "Please describe how you would mobilise the contract in the twelve weeks between award and start.",
        "A good answer names milestones, people and dependencies. What could go wrong?",
        750,
        15,
    ),
    (
        "Service delivery",
        "Explain how you would keep the service running in times of unusual demand.",
        "Include an example from a current contract.",
        1000,
        25,
    ),
    (
        "Social value",
        "What will you do during the term of the contract to create jobs for people who have been out of work?",
        "Give figures for each year.",
        500,
        10,
    ),
    (
        "Data protection",
        "Set out how you would meet the obligations of a processor of personal data.",
        "Do not attach policies.",
        500,
        10,
    ),
)


def sheet_each() -> Layout:
    """An index of short titles, then a sheet for each question, as labels and values."""
    form = Form("question_a_sheet", "Quality questions - Lot 2.xlsx")
    index = form.page("Index")
    index.section(1, "A1:D1", A="Quality questions")
    index.head(2, A="Ref", B="Title", C="Weight", D="Answered?")
    for number, (title, text, guidance, words, weight) in enumerate(_QUALITY, start=1):
        index.refuse(number + 2, B=title)
        index.say(number + 2, A=f"QQ{number}", C=weight / 100)
        index.formula(number + 2, "D", f'=IF(QQ{number}!B8="","No","Yes")', "No")
        page = form.page(f"QQ{number}")
        page.widths(A=18, B=100)
        page.say(1, A="Reference", B=f"QQ{number}")
        page.say(2, A="Title", B=title)
        page.ask(3, "B", text, "B8", A="Question")
        page.refuse(4, A="Guidance", B=guidance)
        page.say(5, A="Weighting", B=f"{weight} %")
        page.say(6, A="Word limit", B=words)
        page.refuse(8, A="Your response")
        page.refuse(10, A="Word count")
        page.formula(10, "B", '=IF(B8="",0,LEN(TRIM(B8))-LEN(SUBSTITUTE(B8," ",""))+1)', 0)
    return form.layout()
