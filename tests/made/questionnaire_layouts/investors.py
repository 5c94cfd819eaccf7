"""A due diligence questionnaire of investors: long texts with numbers, and sub-questions in rows of their own."""

from __future__ import annotations

from tests.made.questionnaire_layouts.form import Form, Layout

_Row = tuple[str, str]
_FIRM: tuple[_Row, ...] = (
    ("1.", "Firm and ownership"),
    (
        "1.1",
        "Please provide a short history of the firm, including the date of its foundation, changes of its ownership "
        "over the last ten years, and any affiliated undertakings that provide services to the funds it manages.",
    ),
    (
        "1.2",
        "List the individuals or entities that hold, directly or indirectly, five per cent or more of the voting "
        "rights in the management company, and state the share held by each of them.",
    ),
    ("1.3", "Provide, as at the end of the most recent quarter:"),
    ("(a)", "total assets under management, in euro;"),
    ("(b)", "assets under management in the strategy that is the subject of this questionnaire;"),
    ("(c)", "the number of clients who together account for half of the firm's assets."),
    ("2.", "Regulation and compliance"),
    (
        "2.1",
        "Has the firm, or any person employed by it, been the subject of an inquiry, sanction or proceedings by a "
        "supervisory authority in the last five years? If so, please give particulars, including the outcome.",
    ),
    (
        "2.2",
        "Describe the policy on personal account dealing, the person who approves transactions, and the periods for "
        "which holdings must be kept.",
    ),
    ("2.3", "With respect to the prevention of money laundering, please explain:"),
    ("(a)", "how investors and their beneficial owners are identified;"),
    ("(b)", "how often the identification is renewed, and who carries it out;"),
    ("3.", "Operations and technology"),
    (
        "3.1",
        "Outline the systems used for portfolio management, order routing, reconciliation and reporting. Which of them "
        "are operated by third parties, and since when?",
    ),
    ("3.2", "When was the plan for business continuity last tested, and what were the findings?"),
    ("3.10", "Describe how cyber incidents are detected, escalated and reported to investors."),
)
_ESG: tuple[_Row, ...] = (
    ("4.1", "Is the firm a signatory to any code of responsible investment? Name the code and the year of signature."),
    ("4.2", "How are matters of environment, society and governance taken into account before an investment is made?"),
    ("4.2 (i)", "Which sources of data are used?"),
    ("4.2 (ii)", "Who may overrule the result, and how is this recorded?"),
    ("4.3", "Explain how votes are cast at general meetings, and attach the latest report on voting."),
)


def due_diligence() -> Layout:
    """Numbers in a column, sections that look like questions, lead-ins, and a sheet with numbers in the text."""
    form = Form("ddq_investors", "DDQ - Private Markets Manager.xlsx")
    page = form.page("DDQ")
    page.widths(A=7, B=90, C=90)
    page.refuse(1, "A1:C1", A="Due diligence questionnaire for managers of private market funds")
    page.refuse(
        2,
        "A2:C2",
        A="Answers are to be given as at 30 June. Please answer in full sentences, do not refer to other documents, "
        "and state “none” rather than leave a field empty. This questionnaire is confidential.",
    )
    page.head(4, A="No.", B="Question", C="Response of the Manager")
    for row, (number, text) in enumerate(_FIRM, start=5):
        if number.endswith("."):
            page.section(row, B=text)
            page.say(row, A=number)
        elif text.endswith(":"):
            page.lead(row, B=text)
            page.say(row, A=number)
        else:
            page.ask(row, "B", text, "C", A=number)
    esg = form.page("ESG annex")
    esg.refuse(1, A="4. Responsible investment")
    esg.head(2, is_plain=True, A="Question", B="Response", C="Documents provided")
    for row, (number, text) in enumerate(_ESG, start=3):
        esg.ask(row, "A", f"{number} {text}", "B", comment="C", variants=(text,))
    return form.layout()
