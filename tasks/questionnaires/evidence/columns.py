"""Sheets, columns and words of the evidence workbook, shared by its writer and by those who read it back.

The sheet ANSWERS_SHEET has one row per question below a header in row HEADER_ROW. Columns are found by their titles,
and rows by the column ``question_id``, so that a person may sort, filter and move them. The sheet SUMMARY_SHEET has
labels in column A and values in column B, among them RUN_LABEL.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from tasks.questionnaires.evidence.statuses import Status
from tasks.questionnaires.formats.safe_cell_text import clean_text
from tasks.records import Verdict

SUMMARY_SHEET: Final = "Summary"
ANSWERS_SHEET: Final = "Answers"
HEADER_ROW: Final = 1
RUN_LABEL: Final = "Run"


class Column(NamedTuple):
    """A column of ANSWERS_SHEET: the field of EvidenceRow that it shows, its title, and its width in characters."""

    name: str
    title: str
    width: float


COLUMNS: Final = (
    Column("reference", "reference", 9),
    Column("sheet_name", "sheet", 12),
    Column("row_number", "row", 6),
    Column("section", "section", 15),
    Column("question", "question", 36),
    Column("proposed", "proposed answer", 44),
    Column("final", "final answer", 44),
    Column("verdict", "verdict", 10),
    Column("probability", "probability", 10),
    Column("status", "status", 13),
    Column("reason", "reason", 30),
    Column("file_name", "file", 20),
    Column("page_number", "page", 6),
    Column("page_label", "printed page", 8),
    Column("place", "section or row", 18),
    Column("quote", "quote", 44),
    Column("further", "further evidence", 40),
    Column("link", "link", 8),
    Column("owner", "owner", 14),
    Column("comment", "comment", 30),
    Column("content_sha256", "file hash", 12),
    Column("index_version", "index version", 12),
    Column("question_id", "question id", 12),
)

EDITABLE: Final = ("final", "verdict", "status", "owner", "comment")
"""The columns that a person fills or changes; all others only show the run's record."""


class EvidenceRow(NamedTuple):
    """A row of ANSWERS_SHEET, a field per column; ``link`` is not a field, since it follows from ``question_id``.

    ``final`` is the text that the customer gets. It is empty where the run proposes a text that a person has to look
    at: the status "approved" with an empty ``final`` approves ``proposed``. ``sheet_name`` is empty for CSV,
    ``row_number`` is the question's. The cited place is that of the first citation, and ``further`` names the others.
    """

    question_id: str
    question: str
    status: Status
    reference: str = ""
    sheet_name: str = ""
    row_number: int | None = None
    section: str = ""
    proposed: str = ""
    final: str = ""
    verdict: Verdict | None = None
    probability: float | None = None
    reason: str = ""
    file_name: str = ""
    page_number: int | None = None
    page_label: str = ""
    place: str = ""
    quote: str = ""
    further: str = ""
    owner: str = ""
    comment: str = ""
    content_sha256: str = ""
    index_version: str = ""


def is_edited(final: str, proposed: str) -> bool:
    """Tell if the text of a cell "final answer" is another than the proposed answer; an empty cell is not."""
    return bool(final.strip()) and _plain(final) != _plain(proposed)


def report_anchor(question_id: str) -> str:
    """The ``id`` of the question's element in the HTML report."""
    return f"q-{question_id}"


def report_link(report: Path, question_id: str) -> str:
    """The relative URL of a question in a report that lies in the same folder."""
    return f"{quote(report.name)}#{quote(report_anchor(question_id), safe='')}"


def _plain(text: str) -> str:
    """The text as a cell holds it, without differences of white space that a spreadsheet program may make."""
    return " ".join(clean_text(text).split())
