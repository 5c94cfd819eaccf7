"""The evidence workbook: what a person finds in it, can change in it, and gets back from it."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from tasks.questionnaires.evidence.columns import (
    ANSWERS_SHEET,
    COLUMNS,
    RUN_LABEL,
    SUMMARY_SHEET,
    EvidenceRow,
    is_edited,
    report_link,
)
from tasks.questionnaires.evidence.rows import evidence_row
from tasks.questionnaires.evidence.statuses import STATUSES, VERDICTS, shown, status_of, verdict_of
from tasks.questionnaires.evidence.workbook import Heading, write_evidence
from tasks.questionnaires.formats.safe_cell_text import MAX_CELL_CHARACTERS
from tasks.questionnaires.output_names import evidence_path, report_path
from tasks.records import Citation
from tasks.spreadsheets.evidence_workbooks import is_evidence

HEADING = Heading("R1", "a.xlsx", "a.answered.xlsx", "bidfolio", "v1", datetime(2026, 11, 29, 7, 3, tzinfo=UTC))
AT = {column.name: number for number, column in enumerate(COLUMNS, start=1)}
ROWS = (
    EvidenceRow(
        "A-1", "Are backups encrypted?", "answered", "A-1", "S", 5, "1 Data", "They are.", "They are.", "yes", 0.97
    ),
    EvidenceRow("A-2", "Are keys rotated?", "needs_review", "A-2", "S", 6, "1 Data", "Some are.", "", "partial", 0.6),
    EvidenceRow("B-1", "Who is your gardener?", "declined", "B-1", "S", 9, "=2 Other", reason="no evidence"),
)


def answers(data: bytes) -> Worksheet:
    return load_workbook(io.BytesIO(data))[ANSWERS_SHEET]


def shown_in(sheet: Worksheet, row: int) -> dict[str, Any]:
    return {name: sheet.cell(row, at).value for name, at in AT.items()}


def test_a_row_has_everything_and_can_be_sorted_and_filtered() -> None:
    sheet = answers(write_evidence(ROWS, HEADING))
    assert [cell.value for cell in sheet[1]] == [column.title for column in COLUMNS]
    assert {name: value for name, value in shown_in(sheet, 3).items() if value is not None} == {
        "reference": "A-2", "sheet_name": "S", "row_number": 6, "section": "1 Data", "question": "Are keys rotated?",
        "proposed": "Some are.", "verdict": "partial", "probability": 0.6, "status": "needs review",
        "question_id": "A-2",
    }  # fmt: skip
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:W4")
    assert (sheet.print_title_rows, sheet.page_setup.orientation) == ("$1:$1", "landscape")
    listed = {str(rule.sqref)[0]: rule.formula1 for rule in sheet.data_validations.dataValidation}
    assert [status_of(word) for word in listed["J"].strip('"').split(",")] == list(STATUSES)
    assert [verdict_of(word) for word in listed["H"].strip('"').split(",")] == list(VERDICTS)
    rules = [rule for rules in sheet.conditional_formatting for rule in rules.rules]
    assert [rule.formula[0] for rule in rules] == [f'$J2="{shown(status)}"' for status in STATUSES]
    assert sheet.row_dimensions[2].height < 50


def test_the_summary_counts_by_outcome_and_section() -> None:
    sheet = load_workbook(io.BytesIO(write_evidence(ROWS, HEADING)), data_only=True)[SUMMARY_SHEET]
    lines = [[cell.value for cell in row] for row in sheet]
    assert {line[0]: line[1] for line in lines}[RUN_LABEL] == "R1"
    counts = {line[0]: line[2] for line in lines if isinstance(line[2], int)}
    assert (counts["can be sent"], counts["want a look"], counts["not in the documents"], counts["questions"]) == (
        1,
        1,
        1,
        3,
    )
    assert [line for line in lines if line[0] == "S"] == [
        ["S", "1 Data", 2, 1, 1, 0, 0, 0],
        ["S", "=2 Other", 1, 0, 0, 1, 0, 0],
    ]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")
def test_the_summary_follows_what_a_person_decides(tmp_path: Path) -> None:
    book = load_workbook(io.BytesIO(write_evidence(ROWS, HEADING)))
    book[ANSWERS_SHEET].cell(3, AT["status"]).value = "approved"
    book[ANSWERS_SHEET].cell(4, AT["status"]).value = "edited"
    book.save(tmp_path / "e.xlsx")
    every_sheet = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    command = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", every_sheet]
    subprocess.run([*command, "--outdir", str(tmp_path), str(tmp_path / "e.xlsx")], check=True, capture_output=True)
    with (tmp_path / f"e-{SUMMARY_SHEET}.csv").open(encoding="utf-8", newline="") as file:
        lines = {line[1] if line[0] == "S" else line[0]: line[2:5] for line in csv.reader(file)}
    assert lines["can be sent"][:2] == ["3", "100%"] and lines["want a look"][0] == "0"
    assert (lines["1 Data"], lines["=2 Other"]) == (["2", "2", "0"], ["1", "1", "0"])


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "'=1", "http://x.y"]
)
def test_no_text_becomes_a_formula_or_a_link(text: str) -> None:
    fields = (
        "proposed",
        "final",
        "reason",
        "quote",
        "further",
        "section",
        "reference",
        "file_name",
        "place",
        "comment",
    )
    texts: dict[str, Any] = dict.fromkeys(fields, text)
    row = EvidenceRow("1", text, "answered", **texts)
    sheet = answers(write_evidence([row], HEADING))
    assert {cell.data_type for cell in sheet[2]} <= {"s", "n"} and sheet._hyperlinks == []
    for name in (*fields, "question"):
        cell = sheet.cell(2, AT[name])
        assert cell.value == text
        # Excel would read it anew as a formula when a person enters the cell.
        assert cell.quotePrefix or not text.startswith(tuple("=+-@\t"))


def test_a_text_longer_than_a_cell_is_cut_with_a_remark() -> None:
    text = "𝄞 word" * MAX_CELL_CHARACTERS
    row = EvidenceRow("1", "Why?", "answered", proposed=text, final=text, reason="r" * MAX_CELL_CHARACTERS)
    found = shown_in(answers(write_evidence([row], HEADING)), 2)
    assert found["proposed"].endswith("…") and len(found["proposed"].encode("utf-16-le")) <= 2 * MAX_CELL_CHARACTERS
    assert found["reason"].startswith(
        "cut at the 32,767 characters that a cell holds: proposed answer, final answer; r"
    )
    assert not is_edited(found["final"], text)


def test_each_row_links_to_its_question_in_the_report() -> None:
    row = EvidenceRow("4.2(1) #é", "Why?", "answered")
    report = Path("a b.report.html")
    sheet = answers(write_evidence([row], HEADING, report))
    link = sheet.cell(2, AT["link"]).hyperlink
    assert (
        f"{link.target}#{link.location}"
        == report_link(report, row.question_id)
        == "a%20b.report.html#q-4.2%281%29%20%23%C3%A9"
    )
    assert answers(write_evidence([row], HEADING)).cell(2, AT["link"]).value is None


def test_equal_rows_give_equal_bytes_and_no_rows_a_workbook() -> None:
    assert write_evidence(ROWS, HEADING) == write_evidence(ROWS, HEADING)
    assert answers(write_evidence([], HEADING)).max_row == 1


def test_an_evidence_workbook_is_known_again_when_another_program_saved_it() -> None:
    data = write_evidence(ROWS, HEADING)
    out = io.BytesIO()
    load_workbook(io.BytesIO(data)).save(out)
    assert is_evidence(data) and is_evidence(out.getvalue())
    assert not any(map(is_evidence, (b"", b"Question,Answer", data[:200], b"PK\x03\x04")))


@pytest.mark.parametrize(
    ("out", "evidence", "report"),
    [
        ("x/a.answered.xlsx", "x/a.evidence.xlsx", "x/a.report.html"),
        ("a.csv", "a.evidence.xlsx", "a.report.html"),
        ("v1.2 final.xlsm", "v1.2 final.evidence.xlsx", "v1.2 final.report.html"),
    ],
)
def test_the_files_beside_a_copy_are_called_after_it(out: str, evidence: str, report: str) -> None:
    assert (evidence_path(Path(out)), report_path(Path(out))) == (Path(evidence), Path(report))


def test_words_are_read_back_as_people_write_them() -> None:
    assert [status_of(word) for word in ("Needs  Review", "needs_review", "APPROVED", "", "done")] == [
        "needs_review", "needs_review", "approved", None, None,
    ]  # fmt: skip
    assert [verdict_of(word) for word in ("Not applicable", "YES ", "", "maybe")] == [
        "not_applicable",
        "yes",
        None,
        None,
    ]
    assert not is_edited("", "They are.") and not is_edited("They  are.\n", "They are.")
    assert is_edited("They are not.", "They are.")


def test_a_row_is_made_of_what_the_lake_has() -> None:
    asked = {
        "question": "Are backups encrypted?",
        "asked_as": None,
        "sheet_name": None,
        "row_number": 4,
        "section": None,
    }
    given = {
        "question_id": "1", "status": "needs_review", "text": "They are.", "verdict": None, "proposed_verdict": "yes",
        "verdict_probability": 0.8, "draft_probability": None, "confidence": 0.9, "decline_reason": None,
        "detail": "check the quote",
    }  # fmt: skip
    cited = [
        Citation("d", "policy.pdf", "0" * 64, 3, "They are.", 0, 9, "Data > Backups", page_label="iii"),
        Citation("e", "past.xlsx", "1" * 64, None, "All are.", 0, 8, sheet_name="S", row_number=7),
    ]
    row = evidence_row(asked, given, cited, notes=["no cell"], reference="A-1", index_version="v1")
    assert (row.proposed, row.final, row.verdict, row.probability) == ("They are.", "", "yes", 0.8)
    assert (row.file_name, row.page_number, row.page_label, row.place) == ("policy.pdf", 3, "iii", "Backups")
    assert row.further == "past.xlsx, sheet S, row 7: “All are.”"
    assert row.reason == "check the quote; no cell"
    sent = evidence_row(asked, given | {"status": "answered", "verdict": "yes"}, cited[1:])
    assert (sent.final, sent.place, sent.page_number) == ("They are.", "sheet S, row 7", None)
    unsettled = evidence_row(asked, given | {"proposed_verdict": None, "verdict_probability": None}, cited)
    assert unsettled.probability is None, "a passage that is near settles no yes or no"
    weighed = evidence_row(asked, given | {"verdict_probability": None, "draft_probability": 0.3}, cited)
    assert weighed.probability == 0.3
    lacking = {"status": "declined", "text": None, "verdict_probability": None, "decline_reason": "weak_evidence"}
    declined = evidence_row(asked | {"asked_as": "Are they?"}, given | lacking | {"proposed_verdict": None}, [])
    assert (declined.probability, declined.proposed, declined.quote) == (None, "", "")
    assert declined.reason == "weak evidence; check the quote; understood as “Are they?”"
