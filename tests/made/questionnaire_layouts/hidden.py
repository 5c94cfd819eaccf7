"""Sheets, rows and columns that are hidden: what is asked is what the customer left in sight."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_ROWS = (
    ("N-01", "Does the vendor segment its network?", "Is traffic between zones of the network filtered?", True),
    (
        "N-02",
        "Does the vendor isolate wireless networks?",
        "Are wireless networks separated from the network of production?",
        False,
    ),
    (
        "N-03",
        "Is the vendor's attack surface small?",
        "Is access from the internet limited to services that are published on purpose?",
        True,
    ),
    ("N-04", "Does the vendor protect links by radio?", "Are radio links between buildings encrypted?", False),
    (
        "N-05",
        "Does the vendor control changes of firewalls?",
        "Are changes of firewall rules approved and logged?",
        True,
    ),
    (
        "N-06",
        "Does the vendor isolate its control systems?",
        "Are industrial control systems kept apart from the office network?",
        False,
    ),
    ("N-07", "Does the vendor detect attacks in time?", "Is the network watched for attacks around the clock?", True),
)
_BANK = (
    "Do you perform wireless surveys each quarter?",
    "Do you operate a cardholder data environment?",
    "Are keys of payment terminals injected in a secure room?",
)


def hidden_parts() -> Layout:
    """Rows filtered out as out of scope, a column with an inner wording, a bank of questions and a list of choices."""
    form = Form("hidden_parts", "Network questionnaire (Tier 2).xlsx")
    page = form.page("Network")
    page.widths(A=8, B=60, C=60, D=12, E=12, F=50, G=10)
    page.head(1, A="ID", B="Inner wording", C="Question", D="Scope", E="Response", F="Comments", G="Expected answer")
    for row, (ident, inner, text, is_asked) in enumerate(_ROWS, start=2):
        if is_asked:
            page.ask(row, "C", text, "E", comment="F", A=ident, D="In scope", G="Yes")
            page.refuse(row, B=inner)
        else:
            page.refuse(row, B=inner, C=text)
            page.say(row, A=ident, D="Out of scope", G="Yes")
            page.sheet.row_dimensions[row].hidden = True
    page.sheet.auto_filter.ref = "A1:G8"
    page.sheet.auto_filter.add_filter_column(3, ["In scope"])
    page.sheet.column_dimensions["B"].hidden = True
    page.sheet.column_dimensions["G"].hidden = True
    page.choose("E2:E8", "Yes", "No", "N/A")
    bank = form.page("Question bank")
    bank.head(1, A="Question", B="Answer", C="Tier")
    for row, text in enumerate(_BANK, start=2):
        bank.refuse(row, A=text)
        bank.say(row, C=1)
    bank.sheet.sheet_state = "hidden"
    lists = form.page("Lists")
    for row, text in enumerate(("Yes", "No", "N/A", "In scope", "Out of scope"), start=1):
        lists.say(row, A=text)
    lists.sheet.sheet_state = "veryHidden"
    return form.layout()
