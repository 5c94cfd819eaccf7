"""Numbered sections of a questionnaire: "1 | Access control" above the questions 1.1 and 1.2."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tasks.spreadsheets.layout import Layout
from tasks.spreadsheets.row import SheetRow


def with_numbered_sections(rows: Sequence[SheetRow], layout: Layout) -> list[SheetRow]:
    """Write the number of each section before its name, in one cell, so that the row reads as a title.

    A section has only its number and a name that asks nothing, and the number of the next row begins with its own. No
    rows give none.
    """
    column = layout.id_column
    if column is None or not rows:
        return list(rows)
    named = [_named(row, below, column, layout) for row, below in pairwise(rows)]
    return [*named, rows[-1]]


def _named(row: SheetRow, below: SheetRow, column: int, layout: Layout) -> SheetRow:
    """``row`` as a title where it is a section; unchanged otherwise."""
    question = layout.question or 0
    if row.filled != [column, question] or row.is_partial:
        return row
    own, name = row.cells[column].strip(), row.cells[question]
    alone = row.without({column})
    if not _is_within(below.cell(column).strip(), own.rstrip(" .)")) or name.endswith(":"):
        return row
    title = alone.with_text(question, f"{own} {name}")
    return title if layout.is_category(title) and layout.is_category(alone) else row


def _is_within(number: str, section: str) -> bool:
    """Tell if ``number`` is that of a question in ``section``: 1.1 or 1a in 1, not 10."""
    rest = number.removeprefix(section) if section and number.startswith(section) else ""
    return bool(rest.strip(" .)")) and not (section[-1:].isdigit() and rest[0].isdigit())
