"""A workbook in the form of the questionnaire that universities send most: 15 sheets, 316 questions of the supplier's.

Question texts are formulas that look an id up on a hidden sheet; each section has a header row of its own; evaluation
sheets repeat the questions by formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.made.raw_workbooks import Cell, Formula, RawSheet, raw_workbook


class Section(NamedTuple):
    """A section: its title, the prefix of its ids, its number of questions, and if it has a column for texts."""

    title: str
    prefix: str
    questions: int
    has_texts: bool = True


SHEETS: dict[str, tuple[Section, ...]] = {
    "Organization": (
        Section("Company Information", "COMP", 9),
        Section("Documentation", "DOCU", 24, has_texts=False),
        Section("Assessment of Third Parties", "THRD", 18),
        Section("Change Management", "CHNG", 30),
        Section("Policies, Processes, and Procedures", "PPPR", 27),
    ),
    "Product": (
        Section("Application/Service Security", "APPL", 26),
        Section("Authentication, Authorization, and Account Management", "AAAI", 29),
        Section("Data", "DATA", 41),
    ),
    "Infrastructure": (Section("Datacenter", "DCTR", 16), Section("Firewalls, IDS, IPS, and Networking", "FIDP", 14)),
    "IT Accessibility": (Section("IT Accessibility", "ITAC", 17),),
    "Case-Specific": (
        Section("Consulting Services", "CONS", 8),
        Section("HIPAA Compliance", "HIPA", 29, has_texts=False),
    ),
    "AI": (Section("AI Qualifying Questions", "AIQU", 3), Section("AI Policy", "AIPL", 5)),
    "Privacy": (Section("General Privacy", "PRGN", 8), Section("Privacy Policy", "PRPO", 12, has_texts=False)),
}
FACTS = (
    "Solution Provider Name",
    "Solution Name",
    "Solution Description",
    "Solution Provider Contact Name",
    "Solution Provider Contact Title",
    "Solution Provider Contact Email",
    "Solution Provider Contact Phone Number",
    "Country of Company Headquarters",
)
EVALUATIONS = ("Institution Evaluation", "High Risk", "Analyst Report", "Privacy Evaluation")
_FORMS = (
    "Do you have control {id} for the data of the institution?",
    "Describe how control {id} is carried out in your organization.",
    "Will the institution's data under {id} be encrypted at rest?",
    "Is control {id} reviewed at least annually?",
    "Have you had an incident of the kind {id} in the last five years?",
    "State how many staff work on {id}.",
    "Documents for {id} are kept for at least three years",
)
_GUIDANCE = "If yes, describe what you do and provide a link; if no, explain your plans."
_INSTRUCTIONS = (
    "This sheet is for the institution's analysts. Solution providers should not complete this sheet.",
    "Do not fill in this sheet: it reads the answers from the sheets before.",
)


def ids_of(section: Section) -> list[str]:
    """The ids of a section's questions, from 01 on."""
    return [f"{section.prefix}-{number:02}" for number in range(1, section.questions + 1)]


def text_of(question_id: str) -> str:
    """The text of a question; one in seven asks by no word that tells it."""
    return _FORMS[sum(map(ord, question_id)) % len(_FORMS)].format(id=question_id)


def expected_questions() -> list[tuple[str, str, str, str]]:
    """The sheet, id, text and section of each of the respondent's questions, in reading order."""
    return [
        (sheet, question_id, text_of(question_id), section.title)
        for sheet, sections in SHEETS.items()
        for section in sections
        for question_id in ids_of(section)
    ]


def university_questionnaire() -> bytes:
    """The workbook's bytes."""
    sheets = [_start(), *(_respondents(name, sections) for name, sections in SHEETS.items())]
    sheets += [_evaluation(name) for name in EVALUATIONS]
    ids = [(question_id, text) for _, question_id, text, _ in expected_questions()]
    ids += [(f"GNRL-{number:02}", text) for number, text in enumerate(FACTS, start=1)]
    lookup: list[list[Cell]] = [["ID", "Question", "Answer", "Comments"]]
    lookup += [[one, text, None, None] for one, text in ids]
    sheets.append(RawSheet("Questions", lookup, is_hidden=True))
    sheets.append(RawSheet("Values", [["Yes"], ["No"], ["N/A"]], is_hidden=True))
    sheets.append(RawSheet("Acknowledgments", [["Thanks to all who have given their time."], ["Version", "Date"]]))
    return raw_workbook(*sheets)


def _start() -> RawSheet:
    facts: list[list[Cell]] = [
        [f"GNRL-{number:02}", _lookup(4 + number, text)] for number, text in enumerate(FACTS, start=1)
    ]
    rows: list[list[Cell]] = [
        ["Community Vendor Assessment"],
        ["How to use this workbook: answer the sheets in order, and choose each answer from its list."],
        [],
        ["General Information", None, "Answer", None, "Guidance", "Analyst Notes"],
        *facts,
    ]
    return RawSheet("START HERE", rows)


def _respondents(name: str, sections: tuple[Section, ...]) -> RawSheet:
    rows: list[list[Cell]] = [["Community Vendor Assessment", None, None, None, "Version 4.01"], [name], []]
    dropdowns = {}
    for section in sections:
        texts = "Additional Information" if section.has_texts else None
        rows.append([section.title, None, "Answer", texts, "Guidance", "Analyst Notes"])
        first = len(rows) + 1
        for question_id in ids_of(section):
            number = len(rows) + 1
            guidance = Formula(f'IF(C{number}="Yes",VLOOKUP(A{number},Questions!A:D,3),"")', _GUIDANCE)
            rows.append([question_id, _lookup(number, text_of(question_id)), None, None, guidance])
        dropdowns[f"C{first}:C{len(rows)}"] = "Values!$A$1:$A$3"
    return RawSheet(name, rows, x14_dropdowns=dropdowns)


def _evaluation(name: str) -> RawSheet:
    head = ["ID", "Question", "Vendor Answer", "Additional Information", "Compliant Response", "Analyst Notes"]
    instructions: list[list[Cell]] = [[one] for one in _INSTRUCTIONS]
    rows: list[list[Cell]] = [[name], *instructions, [], [*head]]
    for sheet, number, question_id in _places():
        rows.append(
            [
                Formula(f"{sheet!r}!A{number}", question_id),
                Formula(f"{sheet!r}!B{number}", text_of(question_id)),
                Formula(f"{sheet!r}!C{number}", ""),
                Formula(f"{sheet!r}!D{number}", ""),
                None,
                None,
            ]
        )
    return RawSheet(name, rows)


def _places() -> Iterator[tuple[str, int, str]]:
    for sheet, sections in SHEETS.items():
        number = 3
        for section in sections:
            number += 1
            for question_id in ids_of(section):
                number += 1
                yield sheet, number, question_id


def _lookup(row: int, text: str) -> Formula:
    return Formula(f"VLOOKUP(A{row},Questions!$A$2:$B$999,2,FALSE)", text)
