"""Workbooks of questions with the answers that were given."""

from __future__ import annotations

import io
from collections.abc import Sequence

import openpyxl

from tests.made.conversions import convert_bytes

ENCRYPT = "Do you encrypt data at rest?"
LOG = "Is access to data logged?"
BACKUP = "Are backups tested each quarter?"
SHALL = "The system shall encrypt all data at rest with AES-256 or better."
Cells = Sequence[str | int | bool | None]


def workbook(*rows: Cells) -> bytes:
    """A workbook of one sheet with these rows."""
    book = openpyxl.Workbook()
    book.active.title = "Security"
    for cells in rows:
        book.active.append(list(cells))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def read_rows(*rows: Cells) -> list[tuple[str, int | None, str]]:
    """The kind, row and text of what is read of a workbook of these rows."""
    document = convert_bytes("past.xlsx", workbook(*rows))
    return [(element.kind, element.row_number, element.text) for element in document.elements]
