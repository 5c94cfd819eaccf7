"""The summary of the evidence workbook: how many questions can be sent, want a look, or are not in the documents.

The counts are formulas over the sheet of the answers, so that they follow what a person decides there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tasks.questionnaires.evidence.columns import (
    ANSWERS_SHEET,
    COLUMNS,
    HEADER_ROW,
    RUN_LABEL,
    EvidenceRow,
)
from tasks.questionnaires.evidence.statuses import Status, shown
from tasks.questionnaires.formats.safe_cell_text import clean_text
from tasks.spreadsheets.row import column_letters


class Outcome(NamedTuple):
    """A line of the summary: its words, the statuses that it counts, and the status whose colour it has."""

    title: str
    statuses: tuple[Status, ...]
    colour: Status


OUTCOMES: Final = (
    Outcome("can be sent", ("answered", "approved", "edited"), "answered"),
    Outcome("want a look", ("needs_review",), "needs_review"),
    Outcome("not in the documents", ("declined",), "declined"),
    Outcome("failed", ("failed",), "failed"),
    Outcome("rejected", ("rejected",), "rejected"),
)
HOW_TO = (
    "1. Filter the column “status” of the sheet “Answers” by “needs review”, and read each answer beside its quote.",
    "2. Set the status: “approved” as proposed, “edited” with your own text in “final answer”, or “rejected”.",
    "3. Save, and take your decisions back: bidfolio review {run} --import {name}",
)
_AT = {column.name: column_letters(number) for number, column in enumerate(COLUMNS, start=1)}
_WIDTHS = (22, 44, 12, 12, 12, 14, 10, 10)


def write_summary(
    book: Any,
    sheet: Any,
    rows: Sequence[EvidenceRow],
    heading: Mapping[str, Any],
    colours: Mapping[Status, tuple[str, str]],
) -> None:
    """Write the summary of the rows to the sheet; no rows give counts of 0 and no sections."""
    styles = {
        "title": book.add_format({"bold": True, "font_size": 16}),
        "label": book.add_format({"font_color": "#595959"}),
        "text": book.add_format({"text_wrap": True, "valign": "top", "align": "left"}),
        "head": book.add_format(
            {
                "bold": True,
                "font_color": "white",
                "bg_color": "#3B4A5A",
                "text_wrap": True,
                "valign": "vcenter",
                "align": "center",
            }
        ),
        "count": book.add_format({"align": "center", "valign": "top"}),
        "bold": book.add_format({"bold": True, "top": 1}),
        "total": book.add_format({"bold": True, "top": 1, "align": "center"}),
        "share": book.add_format({"num_format": "0%", "align": "center", "valign": "top"}),
    }
    for at, width in enumerate(_WIDTHS):
        sheet.set_column(at, at, width)
    sheet.write_string(0, 0, "Answers and their evidence", styles["title"])
    sheet.set_row(0, 26)
    facts = {
        RUN_LABEL: heading["run_id"],
        "Questionnaire": heading["questionnaire"],
        "Filled copy": heading["out"],
        "Plan": heading["plan"],
        "Index version": heading["index_version"],
        "Made on": f"{heading['made_at']:%Y-%m-%d %H:%M} UTC",
    }
    for line, (label, fact) in enumerate(facts.items(), start=1):
        sheet.write_string(line, 0, label, styles["label"])
        sheet.write_string(line, 1, clean_text(fact))
    line = _write_outcomes(book, sheet, rows, len(facts) + 2, styles, colours)
    line = _write_sections(sheet, rows, line + 1, styles)
    for text in HOW_TO:
        line += 1
        sheet.write_string(line, 0, clean_text(text.format(run=heading["run_id"], name="FILE")))
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.hide_gridlines(2)


def _write_outcomes(
    book: Any,
    sheet: Any,
    rows: Sequence[EvidenceRow],
    line: int,
    styles: Mapping[str, Any],
    colours: Mapping[Status, tuple[str, str]],
) -> int:
    """Write the counts of all questions from ``line`` on; returns the line below them."""
    last = line + len(OUTCOMES)
    for outcome in OUTCOMES:
        background, colour = colours[outcome.colour]
        word = book.add_format({"bg_color": background, "font_color": colour, "bold": True, "valign": "top"})
        count = _count(rows, outcome)
        sheet.merge_range(line, 0, line, 1, outcome.title, word)
        sheet.write_formula(line, 2, f"=SUMPRODUCT({_is_one_of(rows, outcome)}*1)", styles["count"], count)
        share = f"=IF(C{last + 1}=0,0,C{line + 1}/C{last + 1})"
        sheet.write_formula(line, 3, share, styles["share"], count / len(rows) if rows else 0)
        line += 1
    sheet.merge_range(line, 0, line, 1, "questions", styles["bold"])
    sheet.write_number(line, 2, len(rows), styles["total"])
    return line + 1


def _write_sections(sheet: Any, rows: Sequence[EvidenceRow], line: int, styles: Mapping[str, Any]) -> int:
    """Write the counts of each section from ``line`` on; returns the line below them."""
    sections = dict.fromkeys((row.sheet_name, row.section) for row in rows)
    if not sections:
        return line
    titles = ("sheet", "section", "questions", *(outcome.title for outcome in OUTCOMES))
    sheet.set_row(line, 30)
    for at, title in enumerate(titles):
        sheet.write_string(line, at, title, styles["head"])
    for sheet_name, section in sections:
        line += 1
        of_section = [row for row in rows if (row.sheet_name, row.section) == (sheet_name, section)]
        sheet.write_string(line, 0, clean_text(sheet_name), styles["text"])
        sheet.write_string(line, 1, clean_text(section), styles["text"])
        sheet.write_number(line, 2, len(of_section), styles["count"])
        same = f"({_range(rows, 'sheet_name')}=$A{line + 1})*({_range(rows, 'section')}=$B{line + 1})"
        for at, outcome in enumerate(OUTCOMES, start=3):
            formula = f"=SUMPRODUCT({same}*{_is_one_of(rows, outcome)})"
            sheet.write_formula(line, at, formula, styles["count"], _count(of_section, outcome))
    return line + 1


def _count(rows: Sequence[EvidenceRow], outcome: Outcome) -> int:
    return sum(row.status in outcome.statuses for row in rows)


def _is_one_of(rows: Sequence[EvidenceRow], outcome: Outcome) -> str:
    """The part of a formula that is 1 for each question with such a status, else 0."""
    tests = (f'({_range(rows, "status")}="{shown(status)}")' for status in outcome.statuses)
    return f"({'+'.join(tests)})"


def _range(rows: Sequence[EvidenceRow], name: str) -> str:
    first, last = HEADER_ROW + 1, HEADER_ROW + max(len(rows), 1)
    return f"{ANSWERS_SHEET}!${_AT[name]}${first}:${_AT[name]}${last}"
