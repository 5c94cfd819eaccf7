"""Layouts of questionnaires that go round: CAIQ, SIG, HECVAT, matrices of compliance, those kept with their reviews."""

from __future__ import annotations

import pytest

from tasks.spreadsheets.header_words import heads_answers
from tests.made.conversions import convert_bytes
from tests.made.past_questionnaires import BACKUP, ENCRYPT, LOG, SHALL, Cells, read_rows, workbook

SIGN_ON = "The system shall offer single sign-on through SAML 2.0."


def answered(*rows: Cells) -> list[tuple[str, int | None, str]]:
    """The kind and row of what is read, and its first lines: the question, the answer and its comment."""
    found = []
    for kind, row, text in read_rows(*rows):
        asked, *lines = text.split("\n")
        said = [line for line in lines if line.startswith(("Answer: ", "Comments: "))]
        found.append((kind, row, " / ".join([asked, *said])))
    return found


def test_caiq_of_version_four() -> None:
    got = answered(
        ["Consensus Assessments Initiative Questionnaire v4.0.3"],
        [
            "Question ID",
            "Question",
            "CSP CAIQ Answer",
            "SSRM Control Ownership",
            "CSP Implementation Description (Optional/Recommended)",
            "CSC Responsibilities (Optional/Recommended)",
            "CCM Control ID",
            "CCM Control Specification",
            "CCM Control Title",
            "CCM Domain Title",
        ],
        ["CEK-03.1", ENCRYPT, "Yes", "CSP-owned", "AES-256.", None, "CEK-03", "Encrypt data.", "Encryption", "Keys"],
        ["LOG-05.1", LOG, None, None, None, None, "LOG-05", "Monitor audit logs for events.", "Monitoring", "Logs"],
    )
    assert got == [
        ("title", 1, "Consensus Assessments Initiative Questionnaire v4.0.3"),
        ("row", 3, f"{ENCRYPT} / Answer: Yes / Comments: AES-256."),
        ("question", 4, LOG),
    ]


def test_sig_with_its_references() -> None:
    got = answered(
        ["Ques Num", "Question/Request", "Response", "Additional Information", "SCA Reference", "ISO 27002 Relevance"],
        ["A.1", ENCRYPT, "Yes", "AES-256.", "A.1", "8.24"],
        ["A.2", LOG, None, None, "A.2", "8.15"],
        ["B", "Operations", None, None, None, None],
    )
    assert got == [
        ("row", 2, f"{ENCRYPT} / Answer: Yes / Comments: AES-256."),
        ("question", 3, LOG),
        ("question", 4, "Operations"),
    ]


def test_hecvat_names_its_sections_where_others_head_the_questions() -> None:
    document = convert_bytes(
        "hecvat.xlsx",
        workbook(
            ["Higher education assessment of vendors"],
            [None, "General information", "Vendor answers", "Additional information", "Guidance", "Analyst notes"],
            ["GNRL-01", "Name of the vendor", "Acme", None, None, None],
            [None, "Data protection", "Vendor answers", "Additional information", "Guidance", "Analyst notes"],
            ["DATA-01", ENCRYPT, "Yes", "AES-256.", "Say which cipher.", "weak"],
            ["DATA-02", LOG, None, None, "Say for how long.", "to be checked"],
        ),
    )
    got = [(e.kind, e.section_path.rpartition(" > ")[2], e.text.split("\nDATA")[0]) for e in document.elements[1:]]
    assert got == [
        ("title", "Higher education assessment of vendors", "General information"),
        ("row", "General information", "Name of the vendor\nAnswer: Acme\nGNRL-01"),
        ("title", "Higher education assessment of vendors", "Data protection"),
        ("row", "Data protection", f"{ENCRYPT}\nAnswer: Yes\nComments: AES-256."),
        ("question", "Data protection", LOG),
    ]


@pytest.mark.parametrize(
    ("heads", "answer", "asked"),
    [
        (("F/P/C/N", "Remarks"), "F", ()),
        (("Compliance (C/PC/NC)", "Supplier comments", "Evaluator score", "Evaluator comments"), "C", ("5", "why?")),
        (("Supplier response code", "Supplier response", "Must/Should"), "FC", ("Must",)),
        (("Compliant (Y/N)", "If no, please explain", "M/O"), "Y", ("M",)),
        (("Compliant?", "Response", "Weight"), "Yes", ("5",)),
    ],
)
def test_matrices_of_compliance(heads: tuple[str, ...], answer: str, asked: tuple[str, ...]) -> None:
    got = answered(
        ["Ref", "Requirement", *heads], [1, SHALL, answer, "By TDE.", *asked], [2, SIGN_ON, None, None, *asked]
    )
    assert got == [("row", 2, f"{SHALL} / Answer: {answer} / Comments: By TDE."), ("question", 3, SIGN_ON)]


def test_what_a_product_offers_instead_is_a_choice_among_grades() -> None:
    heads = ["Standard", "Configuration", "Customization", "Not available"]
    got = answered(
        ["Ref", "Requirement", *heads, "Comments"],
        [1, SHALL, "X", None, None, None, "By TDE."],
        [2, SIGN_ON, None, None, None, "X", None],
        [3, "The system shall keep an audit log of each access to data.", None, None, None, None, None],
    )
    assert [row[2].partition(" / ")[2] for row in got] == [
        "Answer: Standard / Comments: By TDE.",
        "Answer: Not available",
        "",
    ]
    assert got[2][0] == "question"


@pytest.mark.parametrize(
    ("header", "given", "draft"),
    [
        ("Status", ["Approved", "Complete", None], ["Draft", "Needs SME review", "Rejected", "Pending approval"]),
        ("Answer status", ["Final"], ["In progress", "Open", "draft", "Not started"]),
        ("Approved?", ["Yes", "y", None], ["No", "N", "Pending"]),
        ("Response approved (Y/N)", ["Y"], ["N"]),
        ("Approval", ["Approved by Ann"], ["Not approved", "under review"]),
    ],
)
def test_of_an_answer_that_its_row_calls_a_draft_the_question_is_read_alone(
    header: str, given: list[str | None], draft: list[str]
) -> None:
    for state in given:
        assert read_rows(["Question", header, "Answer"], [LOG, state, "Yes"])[0][2].startswith(f"{LOG}\nAnswer: Yes")
    for state in draft:
        assert read_rows(["Question", header, "Answer"], [LOG, state, "Yes"]) == [("question", 2, LOG)]


def test_a_state_of_work_is_said_of_the_control() -> None:
    assert read_rows(["Question", "Answer", "Status"], [LOG, "Partly", "In progress"]) == [
        ("row", 2, f"{LOG}\nAnswer: Partly\nStatus: In progress")
    ]


def test_a_state_without_an_answer_answers_nothing() -> None:
    head = ["Question", "Answer", "Status", "SME", "Reviewed by", "SOC 2", "Tags"]
    assert answered(head, [LOG, None, "Approved", "Ann", "Bob", "x", "logs"]) == [("question", 2, LOG)]


@pytest.mark.parametrize(
    ("other", "own"),
    [
        ("Example answer", "Answer"),
        ("Desired response", "Vendor response"),
        ("Internal answer", "External answer"),
        ("Customer response", "Vendor response"),
        ("Reviewer response", "Response"),
        ("Answer date", "Answer"),
        ("Date of answer", "Answer"),
        ("Answer owner", "Answer"),
        ("Change? (Y/N)", "Response"),
        ("AI-generated answer", "Human answer"),
        ("Generated response", "Edited response"),
        ("Answer Q1 2025", "Answer Q3 2025"),
        ("Answer 2024-03-01", "Answer 2024-09-01"),
        ("Answer (11/2024)", "Answer (03/2025)"),
        ("Answer Nov 2024", "Answer March 2025"),
    ],
)
def test_of_what_stands_beside_a_question_its_own_answer_counts(other: str, own: str) -> None:
    got = answered(["Question", other, own], [ENCRYPT, "No", "Yes"], [BACKUP, "No", None])
    assert got[0] == ("row", 2, f"{ENCRYPT} / Answer: Yes")
    assert not got[1][2].startswith(f"{BACKUP} / ")


def test_of_comments_those_of_the_customer_explain_nothing() -> None:
    head = ["Question", "Vendor response", "Customer comments", "Vendor comments"]
    assert answered(head, [ENCRYPT, "Yes", "Really?", "AES-256."], [LOG, None, "Please answer.", None]) == [
        ("row", 2, f"{ENCRYPT} / Answer: Yes / Comments: AES-256."),
        ("question", 3, LOG),
    ]
    assert answered(["Question", "Client response", "Client comments"], [ENCRYPT, "Yes", "AES-256."]) == [
        ("row", 2, f"{ENCRYPT} / Answer: Yes / Comments: AES-256.")
    ]


def test_a_description_beside_a_question_is_its_answer() -> None:
    head = ["No.", "Control question", "Maturity level", "Description of implementation"]
    assert answered(head, ["1.1", ENCRYPT, 3, "AES-256."], ["1.2", LOG, None, None]) == [
        ("row", 2, f"{ENCRYPT} / Answer: AES-256."),
        ("question", 3, LOG),
    ]


def test_a_questionnaire_in_german() -> None:
    asked = "Verschlüsseln Sie ruhende Daten?"
    got = read_rows(
        ["Nr.", "Frage", "Antwort", "Bemerkung"], [1, asked, "Ja", "AES-256."], [2, "Testen Sie Backups?", None, None]
    )
    assert got == [
        ("row", 2, f"{asked}\nAnswer: Ja\nComments: AES-256.\nNr.: 1"),
        ("question", 3, "Testen Sie Backups?\nNr.: 2"),
    ]


@pytest.mark.parametrize(
    ("asked", "verdict", "said"),
    [
        ("Anforderung", "Erfüllt (ja/nein)", "Erläuterung des Bieters"),
        ("Anforderung", "Erfüllung", "Bemerkung"),
        ("Kriterium", "Erfüllt? (J/N)", "Begründung"),
        ("Anforderungen", "Bieterantwort", "Kommentar"),
    ],
)
def test_a_tender_in_german(asked: str, verdict: str, said: str) -> None:
    got = read_rows(
        ["Nr.", asked, "Gewichtung", verdict, said, "Punkte", "Prüfer"],
        [1, "Werden Daten verschlüsselt gespeichert?", 3, "ja", "AES-256.", 5, "Bob"],
        [2, "Gibt es ein Rechenzentrum in Hamburg?", 1, None, None, 0, "Bob"],
        [3, "Protokolle sind ein Jahr lang aufzubewahren.", 3, "nein", "Sechs Monate.", 2, "Bob"],
    )
    assert [(kind, text.splitlines()[:3]) for kind, _, text in got] == [
        ("row", ["Werden Daten verschlüsselt gespeichert?", "Answer: ja", "Comments: AES-256."]),
        ("question", ["Gibt es ein Rechenzentrum in Hamburg?", "Nr.: 2", "Gewichtung: 1"]),
        ("row", ["Protokolle sind ein Jahr lang aufzubewahren.", "Answer: nein", "Comments: Sechs Monate."]),
    ]


@pytest.mark.parametrize(
    ("heading", "value"),
    [
        ("Score", 0),
        ("Max. points", 5),
        ("Reviewer", "Bob"),
        ("Assessors", "Bob"),
        ("Scored by", "Bob"),
        ("Weight", 5),
        ("Evaluation", "open"),
    ],
)
def test_what_the_customer_makes_of_a_question_is_no_answer_to_it(heading: str, value: str | int) -> None:
    got = read_rows(
        ["Category", "Question", "Our answer", heading],
        ["HR", "Do you screen staff?", "Yes, before hiring", value],
        ["IT", "Do you have a SIEM?", None, value],
    )
    assert got == [
        ("row", 2, f"Do you screen staff?\nAnswer: Yes, before hiring\n{heading}: {value}"),
        ("question", 3, f"Do you have a SIEM?\n{heading}: {value}"),
    ]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("", False),
        ("Erfüllt", True),
        ("Ja/Nein", True),
        ("Erfüllungsort", False),
        ("F/P/C/N", True),
        ("FC | PC | NC", True),
        ("H/M/L", False),
        ("F/NF", False),
        ("M/O", False),
        ("Vendor response", True),
        ("Response required", False),
        ("Answer options", False),
        ("Comments on the answer", False),
    ],
)
def test_headings_of_answers(heading: str, expected: bool) -> None:
    assert heads_answers(heading) is expected
