"""Questions without the comfort of a table: a bare column, several in one cell, and no single place for the answer."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_BARE = (
    "Where are your data centres?",
    "Who can see our data?",
    "Do you use AI to process customer content, and can we opt out?",
    "What is your uptime over the last twelve months?",
    "Please share your latest SOC 2 Type II report or a summary of it.",
    "How do you handle GDPR requests from data subjects?",
    "Is there a data processing agreement we can sign?",
    "Tell us about your roadmap for the next two quarters.",
)


def bare_column() -> Layout:
    """One column without a head, and nowhere in particular to answer."""
    form = Form("bare_column", "questions for vendor call.xlsx")
    page = form.page("Sheet1")
    for row, text in enumerate(_BARE, start=1):
        page.ask(row, "A", text)
    form.page("Sheet2")
    form.page("Sheet3")
    return form.layout()


_SEVERAL: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Encryption",
        (
            "Is data encrypted at rest?",
            "Which algorithm is used?",
            "Who holds the keys?",
        ),
    ),
    (
        "Logging",
        (
            "Which events are logged?",
            "How long are logs kept?",
            "Can we have the logs streamed to our own system?",
        ),
    ),
    (
        "Incidents",
        (
            "How soon would you tell us about an incident?",
            "Whom would you contact?",
        ),
    ),
)
_ONE = "Do you review access rights, and how often?"


def several_in_a_cell() -> Layout:
    """Lists of questions in a cell: with bullets, with letters, and run together in a paragraph."""
    form = Form("several_in_a_cell", "Infosec topics.xlsx")
    page = form.page("Topics")
    page.widths(A=16, B=70, C=70)
    page.head(1, A="Topic", B="Questions", C="Vendor response")
    joined = (
        "\n".join(f"• {text}" for text in _SEVERAL[0][1]),
        "\n".join(f"{letter}) {text}" for letter, text in zip("abc", _SEVERAL[1][1], strict=True)),
        " ".join(_SEVERAL[2][1]),
    )
    for row, ((topic, parts), text) in enumerate(zip(_SEVERAL, joined, strict=True), start=2):
        page.refuse(row, A=topic)
        page.ask(row, "B", text, "C", parts=parts)
    page.refuse(5, A="Access")
    page.ask(5, "B", _ONE, "C")
    return form.layout()


_MODULES = (
    "Does the module support bulk import?",
    "Can fields be added without programming?",
    "Is an audit trail kept of each change?",
    "Which languages does the user interface offer?",
    "Is there an interface for other programs?",
)


def by_product() -> Layout:
    """A column of answers for each of several products, so that a person must say which is offered."""
    form = Form("by_product", "Functional comparison.xlsx")
    page = form.page("Comparison")
    page.head(1, A="No.", B="Question", C="Product")
    page.head(2, C="Basic edition", D="Professional edition", E="Enterprise edition")
    page.merge("A1:A2", "B1:B2", "C1:E1")
    for row, text in enumerate(_MODULES, start=3):
        page.ask(row, "B", text, A=row - 2)
    return form.layout()
