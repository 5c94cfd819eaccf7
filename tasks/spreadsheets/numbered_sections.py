"""Numbered sections of a questionnaire: "1 | Access control" above the questions 1.1 and 1.2."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tasks.spreadsheets.layout import Layout, id_column, is_category_row
from tasks.spreadsheets.row import SheetRow


def with_numbered_sections(rows: Sequence[SheetRow], layout: Layout) -> list[SheetRow]:
    """Write the number of each section before its name, in one cell, so that the row reads as a title.

    A section has only its number and a name that asks nothing, and the number of the next row begins with its own. No
    rows give none.
    """
    column = id_column(layout)
    if column is None or not rows:
        return list(rows)
    named = [_named(row, below, column, layout) for row, below in pairwise(rows)]
    return [*named, rows[-1]]


def _named(row: SheetRow, below: SheetRow, column: int, layout: Layout) -> SheetRow:
    """``row`` as a title where it is a section; unchanged otherwise."""
    question = layout.question or 0
    if [i for i, cell in enumerate(row.cells) if cell] != [column, question] or row.is_partial:
        return row
    own, name = row.cells[column].strip(), row.cells[question]
    if not _is_within("".join(below.cells[column : column + 1]).strip(), own.rstrip(" .)")) or name.endswith(":"):
        return row
    cells = ["" if i == column else cell for i, cell in enumerate(row.cells)]
    cells[question] = f"{own} {name}"
    title = row._replace(cells=tuple(cells))
    return title if is_category_row(title, layout) and is_category_row(_alone(row, question), layout) else row


def _alone(row: SheetRow, question: int) -> SheetRow:
    """The row without its number, so that its name is checked alone."""
    return row._replace(cells=("",) * question + (row.cells[question],))


def _is_within(number: str, section: str) -> bool:
    """Tell if ``number`` is that of a question in ``section``: 1.1 or 1a in 1, not 10."""
    rest = number.removeprefix(section) if section and number.startswith(section) else ""
    return bool(rest.strip(" .)")) and not (section[-1:].isdigit() and rest[0].isdigit())
