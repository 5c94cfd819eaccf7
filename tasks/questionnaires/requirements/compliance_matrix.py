"""Compliance matrix (adapter to XlsxWriter): a row for each requirement, in the tender's order and with its numbers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime

import xlsxwriter

from tasks.questionnaires.formats.safe_cell_text import clean_text
from tasks.questionnaires.requirements.responses import CODES, COMPLY, NOT, OPEN, PARTLY, Response

SHEET = "Compliance matrix"
COLUMNS = (
    ("No.", 10),
    ("Requirement", 60),
    ("Section", 28),
    ("Page", 7),
    ("Response code", 18),
    ("Response", 60),
    ("Evidence", 42),
    ("Remark", 34),
)
"""The titles of the columns, with their widths in characters."""
_CODE, _LINE_CHARACTERS, _LINE_POINTS, _MOST_POINTS = 4, 62, 14.5, 400
_COLOURS = {COMPLY: "#E2F0D9", PARTLY: "#FFF2CC", NOT: "#F8CBAD", OPEN: "#DDEBF7"}


def write_matrix(responses: Sequence[Response], title: str) -> bytes:
    """The workbook, with a frozen header, filters, and the codes as a dropdown. No text in it can run as a formula."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    # The same answers give the same bytes.
    book.set_properties({"title": title, "created": datetime(2000, 1, 1)})
    sheet = book.add_worksheet(SHEET)
    head = book.add_format(
        {"bold": True, "text_wrap": True, "bg_color": "#1F3864", "font_color": "#FFFFFF", "border": 1}
    )
    cell = book.add_format({"text_wrap": True, "valign": "top", "border": 1, "border_color": "#BFBFBF"})
    for column, (name, width) in enumerate(COLUMNS):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, name, head)
    sheet.set_row(0, 2 * _LINE_POINTS + 2)
    for row, one in enumerate(responses, start=1):
        for column, text in enumerate(_cells(one)):
            if isinstance(text, int):
                sheet.write_number(row, column, text, cell)
            elif text:
                sheet.write_string(row, column, clean_text(text), cell)
            else:
                sheet.write_blank(row, column, None, cell)
        sheet.set_row(row, _height(one))
    last, width = max(len(responses), 1), len(COLUMNS) - 1
    sheet.freeze_panes(1, 2)
    sheet.autofilter(0, 0, last, width)
    sheet.data_validation(1, _CODE, last, _CODE, {"validate": "list", "source": list(CODES)})
    for code, colour in _COLOURS.items():
        rule = {"type": "cell", "criteria": "==", "value": f'"{code}"', "format": book.add_format({"bg_color": colour})}
        sheet.conditional_format(1, _CODE, last, _CODE, rule)
    sheet.set_landscape()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)
    sheet.set_footer("&L&F&RPage &P of &N")
    book.close()
    return out.getvalue()


def _cells(one: Response) -> tuple[str | int, ...]:
    requirement = one.requirement
    page = requirement.page_number
    return (
        requirement.number,
        requirement.text,
        requirement.section.rsplit(" > ", 1)[-1],
        "" if page is None else page,
        one.code,
        one.text,
        "\n".join(dict.fromkeys(citation.locator for citation in one.cited)),
        one.remark,
    )


def _height(one: Response) -> float:
    lines = max(
        sum(1 + len(line) // _LINE_CHARACTERS for line in text.split("\n")) for text in (one.requirement.text, one.text)
    )
    return float(min(max(lines, 1 + len(one.remark) // 30) * _LINE_POINTS + 2, _MOST_POINTS))
