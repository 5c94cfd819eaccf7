"""Writer of the evidence workbook: a summary, and a row per question that a person reads, edits and approves."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import xlsxwriter

from tasks.questionnaires.evidence.columns import (
    ANSWERS_SHEET,
    COLUMNS,
    EDITABLE,
    HEADER_ROW,
    SUMMARY_SHEET,
    EvidenceRow,
    report_link,
)
from tasks.questionnaires.evidence.statuses import STATUSES, VERDICTS, Status, shown
from tasks.questionnaires.evidence.summary_sheet import write_summary
from tasks.questionnaires.formats.safe_cell_text import MAX_CELL_CHARACTERS, clean_text, guard_formula
from tasks.spreadsheets.evidence_workbooks import EVIDENCE_TITLE

COLOURS: Final[Mapping[Status, tuple[str, str]]] = {
    "answered": ("#E2F0D9", "#375623"),
    "needs_review": ("#FFF2CC", "#7F6000"),
    "declined": ("#EDEDED", "#404040"),
    "failed": ("#F8CBAD", "#843C0C"),
    "approved": ("#A9D08E", "#1E3A12"),
    "edited": ("#BDD7EE", "#1F3864"),
    "rejected": ("#F4B6C2", "#7B1E3A"),
}
"""Background and text colour by status."""
HEADER, HEADER_EDITABLE = "#3B4A5A", "#2E75B6"
FONT_SIZE: Final = 10
LINE_POINTS: Final = 13.0
CHARACTERS_A_WIDTH: Final = 1.15
"""Characters of that size in a unit of a column's width, which is a digit of size 11."""
MAX_LINES: Final = 18
"""Lines of a cell that are shown; the rest of a longer text is seen by entering the cell."""
ROOM: Final = 200
"""Empty rows below the last question that have the dropdowns, too."""
_NUMBERS = frozenset({"row_number", "page_number", "probability"})
_KEYS = frozenset({"content_sha256", "index_version", "question_id"})
"""Columns that no person reads, in small print."""
_AT = {column.name: number for number, column in enumerate(COLUMNS)}


class Heading(NamedTuple):
    """The facts about a run for the summary: paths as file names, ``made_at`` in UTC."""

    run_id: str
    questionnaire: str
    out: str
    plan: str
    index_version: str
    made_at: datetime


def write_evidence(rows: Sequence[EvidenceRow], heading: Heading, report: Path | None = None) -> bytes:
    """The workbook with the rows in their order; equal rows and heading give equal bytes.

    With ``report``, the path of the HTML report in the same folder, each row links to its question there. Every text
    is a string, no formula, and a text longer than a cell holds is cut, with a remark in the column "reason".
    """
    out = io.BytesIO()
    book = xlsxwriter.Workbook(
        out,
        {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False},
    )
    book.set_properties({"title": f"{EVIDENCE_TITLE}{clean_text(heading.questionnaire)}", "created": heading.made_at})
    summary = book.add_worksheet(SUMMARY_SHEET)
    sheet = book.add_worksheet(ANSWERS_SHEET)
    _write_rows(book, sheet, rows, report)
    write_summary(book, summary, rows, heading._asdict(), COLOURS)
    book.close()
    return out.getvalue()


def _write_rows(book: Any, sheet: Any, rows: Sequence[EvidenceRow], report: Path | None) -> None:
    styles = _styles(book)
    for at, column in enumerate(COLUMNS):
        sheet.set_column(at, at, column.width)
        title = styles["editable header" if column.name in EDITABLE else "header"]
        sheet.write_string(HEADER_ROW - 1, at, column.title, title)
    sheet.set_row(HEADER_ROW - 1, 30)
    for line, row in enumerate(rows, start=HEADER_ROW):
        texts = _texts(row)
        # LibreOffice does not fit rows to wrapped texts by itself.
        sheet.set_row(line, LINE_POINTS * min(_lines(texts), MAX_LINES))
        for at, column in enumerate(COLUMNS):
            if column.name == "link" and report is not None:
                url = f"external:{report_link(report, row.question_id)}"
                sheet.write_url(line, at, url, styles["link"], "open")
            elif column.name in _NUMBERS:
                style = styles["percent" if column.name == "probability" else "number"]
                sheet.write(line, at, getattr(row, column.name), style)
            else:
                text = texts[column.name]
                kind = "small" if column.name in _KEYS else "plain"
                style = styles[f"quoted {kind}" if guard_formula(text) != text else kind]
                if text:
                    sheet.write_string(line, at, text, style)
                else:
                    sheet.write_blank(line, at, None, style)
    _set_up(book, sheet, len(rows))


def _styles(book: Any) -> dict[str, Any]:
    cell = {"font_size": FONT_SIZE, "valign": "top", "text_wrap": True, "bottom": 1, "bottom_color": "#D9D9D9"}
    small = {**cell, "text_wrap": False, "font_color": "#808080", "font_size": 8}
    title = {"bold": True, "font_color": "white", "valign": "vcenter", "text_wrap": True, "border": 1}
    properties = {
        "header": {**title, "bg_color": HEADER},
        "editable header": {**title, "bg_color": HEADER_EDITABLE},
        "plain": cell,
        "small": small,
        # Without it, a text that begins like a formula becomes one as soon as a person edits it.
        "quoted plain": {**cell, "quote_prefix": True},
        "quoted small": {**small, "quote_prefix": True},
        "percent": {**cell, "num_format": "0%", "align": "center"},
        "number": {**cell, "align": "center"},
        "link": {**cell, "font_color": "#0563C1", "underline": 1},
    }
    return {name: book.add_format(of_cell) for name, of_cell in properties.items()}


def _set_up(book: Any, sheet: Any, count: int) -> None:
    """Frozen header, filter, dropdowns, colours and print setup."""
    last = HEADER_ROW + count - 1
    sheet.freeze_panes(HEADER_ROW, 1)
    sheet.autofilter(HEADER_ROW - 1, 0, max(last, HEADER_ROW), len(COLUMNS) - 1)
    for name, words in (("status", STATUSES), ("verdict", VERDICTS)):
        sheet.data_validation(
            HEADER_ROW, _AT[name], last + ROOM, _AT[name],
            {
                "validate": "list",
                "source": [shown(word) for word in words],
                "error_title": f"Not a {name}",
                "error_message": f"Choose one of the list, so that the {name} can be taken back.",
            },
        )  # fmt: skip
    letter = chr(ord("A") + _AT["status"])
    for status, (background, colour) in COLOURS.items():
        sheet.conditional_format(
            HEADER_ROW, _AT["status"], last + ROOM, _AT["status"],
            {
                "type": "formula",
                "criteria": f'=${letter}{HEADER_ROW + 1}="{shown(status)}"',
                "format": book.add_format({"bg_color": background, "font_color": colour, "bold": True}),
            },
        )  # fmt: skip
    sheet.set_landscape()
    sheet.set_paper(8)
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(HEADER_ROW - 1)
    sheet.print_area(0, 0, max(last, HEADER_ROW), _AT["quote"])
    sheet.set_margins(0.3, 0.3, 0.5, 0.5)
    sheet.set_footer("&L&F&RPage &P of &N")


def _texts(row: EvidenceRow) -> dict[str, str]:
    """The text of each column of texts, as a cell holds it, with a remark where one was cut."""
    texts = {column.name: getattr(row, column.name, "") for column in COLUMNS if column.name not in _NUMBERS}
    texts["status"], texts["verdict"] = shown(row.status), shown(row.verdict) if row.verdict else ""
    cleaned = {name: clean_text(text) for name, text in texts.items()}
    cut = [
        column.title
        for column in COLUMNS
        if column.name in texts and len(texts[column.name].encode("utf-16-le")) > 2 * MAX_CELL_CHARACTERS
    ]
    if cut:
        remark = f"cut at the {MAX_CELL_CHARACTERS:,} characters that a cell holds: {', '.join(cut)}"
        cleaned["reason"] = clean_text("; ".join(filter(None, (remark, cleaned["reason"]))))
    return cleaned


def _lines(texts: Mapping[str, str]) -> int:
    """An estimate of the lines that the longest text of a row needs in its column."""
    return max(
        sum(max(1, math.ceil(len(line) / (CHARACTERS_A_WIDTH * column.width))) for line in text.split("\n"))
        for column in COLUMNS
        if column.name not in _KEYS and (text := texts.get(column.name)) is not None
    )
