"""Workbooks as customers send them, with answers of several times, drafts, marks: what of them counts as the answer."""

from __future__ import annotations

import io
from collections.abc import Sequence

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from tasks.conversion.document.serialization import document_row
from tests.made.conversions import convert_bytes
from tests.made.past_questionnaires import BACKUP, ENCRYPT, LOG, SHALL, Cells, read_rows, workbook


@pytest.mark.parametrize(
    ("earlier", "latest"),
    [
        ("Answer v1", "Answer v2"),
        ("Answer v9", "Answer v10"),
        ("Response 1.0", "Response 2.0"),
        ("Antwort v1", "Antwort v2"),
        ("Answer (version 1)", "Answer (version 2)"),
        ("Answer rev. A", "Answer rev. B"),
        ("Round 1 response", "Round 2 response"),
        ("1st response", "2nd response"),
        ("2024 answer v3", "2025 answer v1"),
        ("Antwort alt", "Antwort neu"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_answer_is_that_of_the_highest_version(earlier: str, latest: str, is_first: bool) -> None:
    def row(old: str, new: str) -> list[str]:
        return [new, old] if is_first else [old, new]

    got = read_rows(
        ["Question", *row(earlier, latest)],
        [ENCRYPT, *row("No", "Yes")],
        [LOG, *row("No", "")],
        [BACKUP, *row("", "Yes")],
    )
    assert got == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes\n{earlier}: No"),
        ("question", 3, f"{LOG}\n{earlier}: No"),
        ("row", 4, f"{BACKUP}\nAnswer: Yes"),
    ]


@pytest.mark.parametrize(
    "heads",
    [
        ("PCI DSS v3.2.1 response", "PCI DSS v4.0 response"),
        ("Response 1", "Response 2"),
        ("ISO 27001:2013 compliance", "ISO 27001:2022 compliance"),
    ],
)
def test_versions_of_a_standard_and_parts_of_an_answer_are_none_of_the_answer(heads: tuple[str, str]) -> None:
    assert [kind for kind, _, _ in read_rows(["Question", *heads], [LOG, "Yes", None], [ENCRYPT, None, "No"])] == [
        "row",
        "row",
    ]


@pytest.mark.parametrize(
    ("draft", "given"),
    [
        ("Draft answer", "Answer"),
        ("Draft response", "Final response"),
        ("Proposed answer", "Approved answer"),
        ("Suggested answer", "Answer"),
        ("AI answer", "Approved answer"),
        ("Answer (draft)", "Answer (approved)"),
        ("Initial response", "Final response"),
        ("Final draft response", "Agreed response"),
        ("Unapproved answer", "Answer"),
        ("Draft answer v2", "Answer v1"),
        ("Previous approved answer", "Answer"),
        ("Approved answer 2024", "Answer 2025"),
        ("Entwurf der Antwort", "Antwort"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_draft_beside_an_answer_is_none(draft: str, given: str, is_first: bool) -> None:
    def row(old: str, new: str) -> list[str]:
        return [new, old] if is_first else [old, new]

    got = read_rows(["Question", *row(draft, given)], [ENCRYPT, *row("No", "Yes")], [LOG, *row("No", "")])
    assert got == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes\n{draft}: No"),
        ("question", 3, f"{LOG}\n{draft}: No"),
    ]


def test_a_draft_alone_is_no_answer_and_a_proposal_alone_is() -> None:
    """To a request for proposals the proposed response is what the bidder says."""
    assert read_rows(["Question", "Draft answer", "Comments"], [LOG, "No", "By Ann."]) == [
        ("question", 2, f"{LOG}\nDraft answer: No\nComments (column C): By Ann.")
    ]
    assert read_rows(["Requirement", "Compliance (Y/N)", "Proposed response"], [SHALL, "Y", "By TDE."]) == [
        ("row", 2, f"{SHALL}\nAnswer: Y\nComments: By TDE.")
    ]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Previous", "Current"),
        ("Prior", "Current"),
        ("Last year", "This year"),
        ("Old", "New"),
        ("Previous year", "Current year"),
        ("2024", "2025"),
        ("FY24", "FY25"),
        ("v1", "v2"),
        ("Draft", "Final"),
    ],
)
def test_headings_that_name_times_alone(before: str, now: str) -> None:
    told = [2024, 2025] if before == "2024" else [before, now]
    assert read_rows(["Question", *told, "Comments"], [ENCRYPT, "No", "Yes", "AES"], [LOG, "No", None, None]) == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes\nComments: AES\n{before}: No"),
        ("question", 3, f"{LOG}\n{before}: No"),
    ]


def test_what_is_now_beside_what_is_to_be_is_no_answer_of_two_times() -> None:
    (row,) = read_rows(["Question", "Current", "Target"], ["How mature is the logging of access?", 2, 4])
    assert row == ("row", 2, "Question: How mature is the logging of access?; Current: 2; Target: 4")


@pytest.mark.parametrize(
    "heads",
    [
        ("Y", "N"),
        ("Yes", "No", "Partial", "N/A"),
        ("Fully", "Partly", "Not met"),
        ("Fully compliant", "Partially compliant", "Not compliant"),
        ("Met", "Not met"),
        ("Compliant", "Non-compliant", "Exception"),
        ("Full", "Partial", "None"),
        ("F", "P", "N"),
        ("Implemented", "Planned", "Not implemented"),
        ("Supported", "Customization", "Not supported"),
        ("Yes (Y)", "No (N)"),
        ("Ja", "Nein", "Teilweise"),
    ],
)
@pytest.mark.parametrize("mark", ["X", "✓", "(x)", 1, True])
def test_the_heading_of_the_marked_column_is_the_answer(heads: tuple[str, ...], mark: str | int) -> None:
    def marked(*at: int) -> list[str | int | None]:
        return [mark if i in at else None for i in range(len(heads))]

    last = len(heads) - 1
    got = read_rows(
        ["Question", *heads, "Comments"],
        [ENCRYPT, *marked(0), "AES"],
        [LOG, *marked(last), None],
        [BACKUP, *marked(0, last), "In one region."],
        ["Do you hold any certificates?", *marked(), None],
    )
    assert got[:2] == [
        ("row", 2, f"{ENCRYPT}\nAnswer: {heads[0]}\nComments: AES"),
        ("row", 3, f"{LOG}\nAnswer: {heads[last]}"),
    ]
    kind, _, text = got[2]
    assert kind == "question" and "Answer:" not in text and "In one region." in text
    assert got[3] == ("question", 5, "Do you hold any certificates?")


def test_what_is_changed_of_a_requirement_and_how_many_said_yes_are_no_answers() -> None:
    logs = "Logs have to be kept by all systems that hold customer data."
    assert read_rows(["Requirement", "Old", "New"], [logs, "90 days", "365 days"]) == [
        ("row", 2, f"Requirement: {logs}; Old: 90 days; New: 365 days")
    ]
    assert read_rows(["Requirement", "Previous", "Current"], [logs, "No", "Yes"]) == [
        ("row", 2, f"{logs}\nAnswer: Yes\nPrevious: No")
    ]
    counted = [text for _, _, text in read_rows(["Question", "Yes", "No"], [LOG, 40, 1], [BACKUP, 1, 30])]
    assert not any("Answer:" in text for text in counted)


def test_boxes_and_zeros_that_are_not_set_are_no_marks() -> None:
    assert read_rows(["Question", "Yes", "No"], [ENCRYPT, 0, 1], [LOG, "☐", "☒"], [BACKUP, False, True]) == [
        ("row", 2, f"{ENCRYPT}\nAnswer: No"),
        ("row", 3, f"{LOG}\nAnswer: No"),
        ("row", 4, f"{BACKUP}\nAnswer: No"),
    ]
    assert read_rows(["Question", "Yes", "No"], [ENCRYPT, 0, 0], [LOG, "Yes", None], [BACKUP, None, "No"]) == [
        ("question", 2, f"{ENCRYPT}\nYes: 0\nNo: 0"),
        ("row", 3, f"{LOG}\nAnswer: Yes"),
        ("row", 4, f"{BACKUP}\nAnswer: No"),
    ]


def test_an_answer_in_words_below_a_grade_is_no_mark() -> None:
    assert read_rows(["Question", "Compliant", "Met"], [ENCRYPT, "Yes, fully", "by TDE"], [LOG, "No", None]) == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes, fully\nMet: by TDE"),
        ("row", 3, f"{LOG}\nAnswer: No"),
    ]


def test_choices_named_in_a_second_row_of_the_header() -> None:
    got = read_rows(
        ["Control ID", "Assessment question", "Assessment answers", None, None, "Notes"],
        [None, None, "Yes", "No", "Not applicable", None],
        ["AIS-01", ENCRYPT, "X", None, None, "AES"],
        ["AIS-02", LOG, None, None, "X", None],
    )
    assert got == [
        ("row", 3, f"{ENCRYPT}\nAnswer: Yes\nComments: AES\nControl ID: AIS-01"),
        ("row", 4, f"{LOG}\nAnswer: Not applicable\nControl ID: AIS-02"),
    ]


def test_two_questionnaires_side_by_side() -> None:
    got = read_rows(
        ["Question", "Answer", "Question", "Answer"],
        ["Access"],
        [ENCRYPT, "Yes", LOG, "No"],
        [BACKUP, None, "Which cipher do you use?", "AES"],
        [None, None, "Who audits you each year?", "TUV"],
    )
    assert got == [
        ("title", 2, "Access"),
        ("row", 3, f"{ENCRYPT}\nAnswer: Yes"),
        ("question", 4, BACKUP),
        ("title", 2, "Access"),
        ("row", 3, f"{LOG}\nAnswer: No"),
        ("row", 4, "Which cipher do you use?\nAnswer: AES"),
        ("row", 5, "Who audits you each year?\nAnswer: TUV"),
    ]


def test_side_by_side_with_numbers_comments_and_a_shared_category() -> None:
    got = read_rows(
        ["Category", "No", "Question", "Answer", "Notes", None, "No", "Question", "Answer", "Notes"],
        ["Data", 1, ENCRYPT, "Yes", "AES", None, 3, LOG, "No", "Planned"],
        ["Data", 2, BACKUP, None, None, None, 4, "Who audits you each year?", "TUV", None],
    )
    assert got == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes\nComments: AES\nNo: 1"),
        ("question", 3, f"{BACKUP}\nNo: 2"),
        ("row", 2, f"{LOG}\nAnswer: No\nComments: Planned\nNo: 3"),
        ("row", 3, "Who audits you each year?\nAnswer: TUV\nNo: 4"),
    ]
    document = convert_bytes(
        "past.csv", f"Category,Question,Answer,Question,Answer\nData,{ENCRYPT},Yes,{LOG},No\n".encode()
    )
    assert [(e.section_path, e.text) for e in document.elements] == [
        ("Data", f"{ENCRYPT}\nAnswer: Yes"),
        ("Data", f"{LOG}\nAnswer: No"),
    ]


def test_side_by_side_each_with_its_titles() -> None:
    document = convert_bytes(
        "past.xlsx",
        workbook(
            ["Question", "Answer", "Question", "Answer"],
            ["Access", None, "Operations", None],
            [ENCRYPT, "Yes", LOG, "No"],
            ["Keys", None, None, None],
            [BACKUP, "Yes", "Who audits you each year?", "TUV"],
        ),
    )
    rows = [(e.section_path, e.text.partition("\n")[0]) for e in document.elements if e.kind == "row"]
    assert rows == [
        ("Access", ENCRYPT),
        ("Keys", BACKUP),
        ("Operations", LOG),
        ("Operations", "Who audits you each year?"),
    ]


def test_formulas_without_a_saved_value_are_told_with_their_sheets() -> None:
    book = openpyxl.Workbook()
    book.active.title = "Security"
    rows: dict[str, list[Cells]] = {
        "Security": [["Question", "Answer"], [ENCRYPT, '=IF(1=1,"Yes","No")'], [LOG, "Yes"], [None, "=B2"]],
        "Costs": [["Item", "Price"], ["Seats", "=2*3"], ["Support", 4]],
        "Hidden": [["=1+1"]],
        "Partly": [["Item", "Price", "=1+1"], ["Seats", 3], ["Sum", "=B2", "=3"]],
    }
    for name, own in rows.items():
        sheet = book.active if name == "Security" else book.create_sheet(name)
        for cells in own:
            sheet.append(cells)
    book["Hidden"].sheet_state = "hidden"
    partly = book["Partly"]
    partly.column_dimensions["C"].hidden = True
    partly.row_dimensions[3].hidden = True
    out = io.BytesIO()
    book.save(out)
    document = convert_bytes("past.xlsx", out.getvalue())
    assert [page.uncomputed for page in document.pages] == [2, 1, 0]
    row = document_row("corpus", "file:///", document, 1)
    assert (row["status"], row["reason"]) == (
        "indexed",
        "past.xlsx: formulas have no saved value (2 of sheet 'Security', 1 of sheet 'Costs'), and are read as empty: "
        "open it in Excel or LibreOffice and save it",
    )


def test_a_workbook_whose_formulas_are_computed_is_told_nothing_of() -> None:
    import zipfile

    plain, out = workbook(["Question", "Answer"], [ENCRYPT, '=""'], [LOG, "=1=1"]), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.infolist():
            xml = old.read(part)
            # As Excel saves them: an empty text has the type of a text.
            xml = xml.replace(b'<c r="B2"><f>""</f><v></v></c>', b'<c r="B2" t="str"><f>""</f><v></v></c>')
            xml = xml.replace(b'<c r="B3"><f>1=1</f><v></v></c>', b'<c r="B3" t="b"><f>1=1</f><v>1</v></c>')
            new.writestr(part.filename, xml)
    document = convert_bytes("past.xlsx", out.getvalue())
    assert document.text == f"{ENCRYPT}\n{LOG}\nAnswer: TRUE"
    assert [page.uncomputed for page in document.pages] == [0]
    assert document_row("corpus", "file:///", document, 1)["reason"] is None
    assert [page.uncomputed for page in convert_bytes("past.csv", b"Question,Answer\nDo you log?,Yes\n").pages] == [
        None
    ]


ELSEWHERE = """Same as 2023|See above.|Refer to the answer to question 7|see Q 12|same as IAM-02.1|ditto|No change|
no changes since 2023|Unchanged|As stated above|Wie oben|s. o."""
SAYING = """Same day|See above; AES-256 is used|No|No changes are made without approval|See SOC 2|See ISO 27001|
As needed|See our SOC 2 report|30|12.5|As of 2023 all backups are"""


@pytest.mark.parametrize("said", ELSEWHERE.replace("\n", "").split("|"))
def test_an_answer_that_only_points_elsewhere_is_none(said: str) -> None:
    document = convert_bytes("past.xlsx", workbook(["Question", "2023 answer", "Answer"], [ENCRYPT, "No", said]))
    assert [(e.kind, e.text) for e in document.elements] == [
        ("question", f"{ENCRYPT}\n2023 answer: No\nAnswer (column C): {said}")
    ]
    # With a comment that says something it is answered by that, where there is no answer of before.
    commented = convert_bytes("past.xlsx", workbook(["Question", "Answer", "Comments"], [ENCRYPT, said, "AES-256"]))
    assert [e.kind for e in commented.elements] == ["row"]


@pytest.mark.parametrize("said", SAYING.replace("\n", "").split("|"))
def test_an_answer_that_says_something_is_one(said: str) -> None:
    document = convert_bytes("past.xlsx", workbook(["Question", "Answer"], [ENCRYPT, said]))
    assert [(e.kind, e.text) for e in document.elements] == [("row", f"{ENCRYPT}\nAnswer: {said}")]


@pytest.mark.parametrize(
    "scope", ["Applicable (Y/N)", "In scope? (Yes/No)", "Applicability (Y/N)", "Applicable to us Y/N"]
)
@pytest.mark.parametrize(
    "done", ["Implemented (Y/N)", "Compliant (Y/N)", "In place? (Y/N)", "Met (Yes/No)", "Control implemented Y/N"]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_whether_a_control_is_met_is_the_answer_and_not_whether_it_applies(
    scope: str, done: str, is_first: bool
) -> None:
    def row(applies: str | None, is_met: str | None) -> list[str | None]:
        return [applies, is_met] if is_first else [is_met, applies]

    got = read_rows(
        ["Control", *row(scope, done), "Justification for exclusion", "Implementation"],
        [SHALL, *row("Y", "N"), None, "Planned for 2027"],
        ["Premises shall be continuously monitored.", *row("N", "N"), "No premises", None],
        ["Backups shall be tested every quarter.", *row("Y", None)],
    )
    assert got == [
        ("row", 2, f"{SHALL}\nAnswer: N\n{scope}: Y\nImplementation: Planned for 2027"),
        (
            "row",
            3,
            "Premises shall be continuously monitored.\nAnswer: N\n"
            f"{scope}: N\nJustification for exclusion: No premises",
        ),
        ("question", 4, f"Backups shall be tested every quarter.\n{scope}: Y"),
    ]


@pytest.mark.parametrize(
    "heads",
    [("Applicable (Y/N)", "Implementation"), ("Documented (Y/N)", "Audited (Y/N)"), ("In scope (Y/N)", "Owner")],
)
def test_what_is_so_or_not_of_a_control_and_does_not_tell_whether_it_is_met_is_no_answer(
    heads: tuple[str, str],
) -> None:
    got = read_rows(
        ["Control", *heads],
        [SHALL, "Y", "N"],
        ["Backups shall be tested every quarter.", None, None],
    )
    assert got == [
        ("row", 2, f"{SHALL}\n{heads[0]}: Y\n{heads[1]}: N"),
        ("question", 3, "Backups shall be tested every quarter."),
    ]


@pytest.mark.parametrize(
    ("legend", "read_as"),
    [
        (
            [("Legend",), ("Yes = fully met",), ("No = not met",), ("N/A = not applicable",)],
            ["Legend", "Yes = fully met", "No = not met", "N/A = not applicable"],
        ),
        (
            [("Code", "Meaning"), ("Y", "Fully met"), ("N", "Not met"), ("P", "Partly met")],
            ["Code | Meaning", "Y | Fully met", "N | Not met", "P | Partly met"],
        ),
        ([("Key",), (None,), ("Green: done",), (None,)], ["Key", "Green: done"]),
    ],
)
def test_a_legend_beside_questions_answers_none_of_them(legend: list[tuple[str, ...]], read_as: list[str]) -> None:
    rows = [
        ["ID", "Question", "Answer", "Comment", None],
        ["1", ENCRYPT, "Yes", None, None],
        ["2", LOG, None, None, None],
        ["3", BACKUP, "No", None, None],
    ]
    got = read_rows(*([*row, *beside] for row, beside in zip(rows, legend, strict=True)))
    assert got[:3] == [
        ("row", 2, f"{ENCRYPT}\nAnswer: Yes\nID: 1"),
        ("question", 3, f"{LOG}\nID: 2"),
        ("row", 4, f"{BACKUP}\nAnswer: No\nID: 3"),
    ]
    assert [text for _, _, text in got[3:]] == read_as


def test_a_column_behind_an_empty_one_may_be_of_the_questionnaire() -> None:
    got = read_rows(
        ["ID", "Question", "Answer", None, "Met?"],
        ["1", ENCRYPT, "AES-256", None, "Y"],
        ["2", LOG, None, None, "N"],
    )
    assert got[1] == ("row", 3, f"{LOG}\nID: 2\nMet?: N")


def test_what_is_struck_out_is_not_said() -> None:
    book = openpyxl.Workbook()
    kept = CellRichText("For ", TextBlock(InlineFont(strike=True), "30"), " 90 days")
    for row in (["Question", "Answer", "Comments"], [ENCRYPT, "Yes"], [LOG, kept], [BACKUP, "No", "Planned"]):
        book.active.append(row)
    for cell in ("B2", "A4"):
        book.active[cell].font = Font(strike=True)
    out = io.BytesIO()
    book.save(out)
    got = [(element.kind, element.text) for element in convert_bytes("struck.xlsx", out.getvalue()).elements]
    assert got == [
        ("question", ENCRYPT),
        ("row", f"{LOG}\nAnswer: For 90 days"),
        ("row", "Answer: No; Comments: Planned"),
    ]


@pytest.mark.parametrize("heads", [("Control", "Response"), ("Requirement", "Compliant (Y/N)"), ("Control", "Answer")])
def test_a_short_requirement_that_nobody_has_answered_is_a_question(heads: tuple[str, str]) -> None:
    got = read_rows(["Ref", *heads], ["1", "Access shall be logged", "Y"], ["2", "Access shall be reviewed", None])
    assert got == [
        ("row", 2, "Access shall be logged\nAnswer: Y\nRef: 1"),
        ("question", 3, "Access shall be reviewed\nRef: 2"),
    ]


@pytest.mark.parametrize("placeholder", ["TBD", "–", "[enter response]", "To be completed by the supplier"])
def test_a_placeholder_is_no_answer(placeholder: str) -> None:
    rows = ["Question", "Answer", "Comments"], [ENCRYPT, placeholder, placeholder], [LOG, "N/A", placeholder]
    assert read_rows(*rows) == [("question", 2, ENCRYPT), ("row", 3, f"{LOG}\nAnswer: N/A")]


@pytest.mark.parametrize(
    ("heads", "answers"),
    [
        (("0 - No", "1 - Partial", "2 - Full"), ("No", "Partial", "Full")),
        (("0: Not implemented", "1: Partly", "2: Yes"), ("Not implemented", "Partly", "Yes")),
        (("1 – Initial", "2 – Managed", "3 – Defined"), ("1 – Initial", "2 – Managed", "3 – Defined")),
    ],
)
def test_grades_with_their_numbers_are_marked_and_evidence_is_a_comment(
    heads: tuple[str, ...], answers: tuple[str, ...]
) -> None:
    got = read_rows(
        ["Question", *heads, "Evidence"],
        [ENCRYPT, None, None, "X", "IAM-01"],
        [LOG, "X", None, None, "planned"],
        [BACKUP, None, "X", None, None],
    )
    assert got == [
        ("row", 2, f"{ENCRYPT}\nAnswer: {answers[2]}\nComments: IAM-01"),
        ("row", 3, f"{LOG}\nAnswer: {answers[0]}\nComments: planned"),
        ("row", 4, f"{BACKUP}\nAnswer: {answers[1]}"),
    ]


@pytest.mark.parametrize(
    ("first", "below", "second", "numbers"),
    [
        (["1.1", "{}"], ["Answer", "{}"], ["1.2", "{}"], ("1.1", "1.2")),
        (["Q1", "{}"], ["Response", "{}"], ["Q2", "{}"], ("Q1", "Q2")),
        (["Question:", "{}"], ["Answer:", "{}"], ["Question:", "{}"], ()),
        (["Q", "{}"], ["A", "{}"], ["Q", "{}"], ()),
        (["{}"], ["Our response: {}"], ["{}"], ()),
        (["1.1", "{}"], [None, "Response: {}"], ["1.2", "{}"], ("1.1", "1.2")),
        (["BCP-1", "{}"], [None, "Answer:", "{}"], ["BCP-2", "{}"], ("BCP-1", "BCP-2")),
    ],
)
def test_an_answer_below_its_question(
    first: list[str], below: list[str | None], second: list[str], numbers: tuple[str, ...]
) -> None:
    def said(cells: Sequence[str | None], text: str) -> list[str | None]:
        return [cell and cell.format(text) for cell in cells]

    staff = "How many staff work in security?"
    got = read_rows(
        ["Security questionnaire of Nordbank"],
        said(first, BACKUP),
        said(below, "Yes, each month in Frankfurt."),
        said(second, staff),
        said(below, "17"),
        said(second, LOG),
        said(below, ""),
    )
    one, two = (f"\n{number}" for number in numbers) if numbers else ("", "")
    assert got == [
        ("title", 1, "Security questionnaire of Nordbank"),
        ("row", 2, f"{BACKUP}\nAnswer: Yes, each month in Frankfurt.{one}"),
        ("row", 4, f"{staff}\nAnswer: 17{two}"),
        ("question", 6, f"{LOG}{two}"),
    ]


def test_answers_whose_labels_are_numbered_with_their_questions() -> None:
    got = read_rows(["Question 1", BACKUP], ["Answer 1", "Each month."], ["Question 2", LOG], ["Answer 2", "Always."])
    assert got == [
        ("row", 1, f"{BACKUP}\nAnswer: Each month.\nQuestion 1"),
        ("row", 3, f"{LOG}\nAnswer: Always.\nQuestion 2"),
    ]


def test_a_stacked_questionnaire_with_sections_comments_and_more_lines() -> None:
    got = read_rows(
        ["Ref", "Text"],
        ["Backup", None],
        ["1.1", "Describe your backups,"],
        [None, "including where they are kept."],
        ["Answer", "In two data centres,"],
        [None, "both of them in Frankfurt."],
        ["Comment", "Since 2020"],
        ["Recovery", None],
        ["1.2", LOG],
        ["Answer", "Yes"],
        ["1.3", ENCRYPT],
        ["Signed", "J. Doe"],
    )
    where = "Describe your backups, including where they are kept."
    assert got[-6:] == [
        ("title", 2, "Backup"),
        ("row", 3, f"{where}\nAnswer: In two data centres, both of them in Frankfurt.\nComments: Since 2020\n1.1"),
        ("title", 8, "Recovery"),
        ("row", 9, f"{LOG}\nAnswer: Yes\n1.2"),
        ("question", 11, f"{ENCRYPT}\n1.3"),
        ("row", 12, "Signed | J. Doe"),
    ]


def test_stacked_requirements_in_numbered_sections() -> None:
    got = read_rows(
        ["1", "Encryption"],
        ["1.1", SHALL],
        ["Supplier response", "It does."],
        ["2", "Logging"],
        ["2.1", "The system must log each access."],
        ["Supplier response", None],
    )
    assert got == [
        ("title", 1, "1 Encryption"),
        ("row", 2, f"{SHALL}\nAnswer: It does.\n1.1"),
        ("title", 4, "2 Logging"),
        ("question", 5, "The system must log each access.\n2.1"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("1.1", LOG), ("Answer", "Yes, always.", "see annex"), ("1.2", "What is the RTO?"), ("Answer", "4 hours")],
        [("Backup", "Backups are kept apart."), ("Answer", "In Frankfurt"), ("Staff", LOG), ("Answer", "Of course")],
        [("1.1", LOG), ("Answer", "Yes, each access is logged."), ("1.2", "What is the RTO?")],
        [
            ("Describe your policy.",),
            ("Answer:",),
            ("We back up.",),
            ("What is your RTO?",),
            ("Answer:",),
            ("4 hours",),
        ],
        [("Severity 1: total outage",), ("Response: 15 minutes",), ("Severity 2: slow",), ("Response: 1 hour",)],
    ],
)
def test_where_nobody_knows_which_answer_is_to_which_question_rows_stay_as_they_are(
    rows: list[tuple[str, ...]],
) -> None:
    assert [text for _, _, text in read_rows(*rows)] == [" | ".join(cells) for cells in rows]


def test_the_numbers_of_questions_are_no_answers() -> None:
    got = read_rows(["Answer", "Question"], ["Q1", LOG], ["Q2", BACKUP])
    assert got == [("row", 2, f"Answer: Q1; Question: {LOG}"), ("row", 3, f"Answer: Q2; Question: {BACKUP}")]
    staff, sites = "How many staff work in security?", "How many sites do you have?"
    assert read_rows(["Answer", "Question"], ["17", staff], ["4", sites]) == [
        ("row", 2, f"{staff}\nAnswer: 17"),
        ("row", 3, f"{sites}\nAnswer: 4"),
    ]


def test_a_question_that_goes_on_in_a_second_row() -> None:
    got = read_rows(
        ["No", "Question", "Answer"],
        ["1", "Describe how you handle incidents,", "We triage within 15 minutes,"],
        [None, "including notification of customers.", "notify within 24 hours and report in 5 days."],
        ["2", "Describe your process of backup", "Daily, kept for 35 days."],
        [None, "and how it is tested.", None],
        ["3", "Where is data stored?", "Berlin and Dublin"],
        [None, None, "(backups: Frankfurt)"],
    )
    handling = "Describe how you handle incidents, including notification of customers."
    told = "We triage within 15 minutes, notify within 24 hours and report in 5 days."
    assert got == [
        ("row", 2, f"{handling}\nAnswer: {told}\nNo: 1"),
        ("row", 4, "Describe your process of backup and how it is tested.\nAnswer: Daily, kept for 35 days.\nNo: 2"),
        ("row", 6, "Where is data stored?\nAnswer: Berlin and Dublin; (backups: Frankfurt)\nNo: 3"),
    ]


def test_what_has_an_answer_of_its_own_is_no_rest_of_a_question() -> None:
    got = read_rows(
        ["No", "Question", "Answer"],
        ["1", "Number of employees at the end of last year", "412"],
        [None, "of which in information security", "17"],
        ["2", "Where is data stored?", "Berlin"],
    )
    assert got == [
        ("row", 2, "Number of employees at the end of last year\nAnswer: 412\nNo: 1"),
        ("row", 3, "of which in information security\nAnswer: 17"),
        ("row", 4, "Where is data stored?\nAnswer: Berlin\nNo: 2"),
    ]


@pytest.mark.parametrize("is_apart", [True, False])
def test_the_parts_of_a_question_that_is_answered_itself(is_apart: bool) -> None:
    def part(letter: str, asked: str) -> list[str | None]:
        return [letter, asked] if is_apart else [None, f"{letter} {asked}"]

    got = read_rows(
        ["#", "Question", "Your answer"],
        ["3", "Do you subcontract? If yes:", "Yes"],
        [*part("a)", "to whom"), "Hosting Ltd"],
        [*part("b)", "since when"), "May 2019"],
        ["4", LOG, "Yes"],
    )
    whole = "Do you subcontract? If yes:"
    first, second = ("", "\n#: a)"), ("", "\n#: b)")
    assert got == [
        ("row", 2, f"{whole}\nAnswer: Yes\n#: 3"),
        ("row", 3, f"{whole} {'' if is_apart else 'a) '}to whom\nAnswer: Hosting Ltd{first[is_apart]}"),
        ("row", 4, f"{whole} {'' if is_apart else 'b) '}since when\nAnswer: May 2019{second[is_apart]}"),
        ("row", 5, f"{LOG}\nAnswer: Yes\n#: 4"),
    ]


def test_questions_that_letters_number_are_no_parts_of_each_other() -> None:
    got = read_rows(["Question", "Answer"], [f"a) {LOG}", "Yes"], [f"b) {ENCRYPT}", "No"])
    assert got == [("row", 2, f"a) {LOG}\nAnswer: Yes"), ("row", 3, f"b) {ENCRYPT}\nAnswer: No")]


@pytest.mark.parametrize("named", ["Section {}: ", "Part {} – ", "{}. ", "Teil {} "])
def test_sections_that_are_named_alike_lie_beside_each_other(named: str) -> None:
    rows = [
        ["Questionnaire of Nordbank"],
        [f"{named.format('A')}Information security"],
        ["Ref", "Question", "Supplier response"],
        ["A.1", ENCRYPT, "Yes, with AES-256."],
        [f"{named.format('B')}Continuity"],
        ["B.1", BACKUP, "Yes, in January."],
    ]
    document = convert_bytes("past.xlsx", workbook(*rows))
    sections = {element.row_number: element.section_path for element in document.elements}
    title = "Questionnaire of Nordbank"
    assert sections[4] == f"{title} > {named.format('A')}Information security"
    assert sections[6] == f"{title} > {named.format('B')}Continuity"


@pytest.mark.parametrize("signed", ["Signed: J. Doe", "Signature", "Completed by: J. Doe", "Signed for Acme: J. Doe"])
def test_who_signed_a_questionnaire_is_no_question_of_it(signed: str) -> None:
    got = read_rows(["Ref", "Question", "Supplier response"], ["1", LOG, "Yes"], [None, signed, "12 Feb 2025"])
    assert got == [("row", 2, f"{LOG}\nAnswer: Yes\nRef: 1"), ("row", 3, f"{signed} | 12 Feb 2025")]
