"""Legends and notes beside a table of a sheet, behind an empty column: they belong to none of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spreadsheets.choice_columns import GRADE, names_choice
from tasks.spreadsheets.layout import Layout, header_words
from tasks.spreadsheets.row import SheetRow, values_below

_LEGEND = re.compile(
    r"(?:(?:answers?|responses?|ratings?|scor(?:e|ing)|compliance|colou?r) )?"
    r"(?:legende?|key|scale|guide|codes?|abbreviations?|abkürzungen|skala)\W*",
    re.I,
)
_MAX_HEADING_WORDS = 5
_EXPLAINED = re.compile(r"(.{1,25}?)\s*(?:[=:–—→]|\s-\s).*", re.DOTALL)


def without_aside(rows: Sequence[SheetRow], layout: Layout) -> tuple[list[SheetRow], list[SheetRow]]:
    """Split the legend beside a table, or the notes in its header that head no column, from the rows: the rows without
    them, and theirs; the latter is empty where there is neither.
    """
    start = _start(rows[layout.first_header :], layout)
    if start is None:
        return _without_notes(rows, layout)
    table = rows[layout.first_header :]
    own = [row._replace(cells=row.cells[:start]) for row in table if any(row.cells[:start])]
    aside = [row._replace(cells=row.cells[start:]) for row in table if any(row.cells[start:])]
    return [*rows[: layout.first_header], *own], aside


def _without_notes(rows: Sequence[SheetRow], layout: Layout) -> tuple[list[SheetRow], list[SheetRow]]:
    """Split the notes in the header from the rows; each note becomes a row of its own."""
    known = {*layout.roles, *layout.several}
    own, notes = list(rows), []
    for at in range(layout.first_header, layout.header_index + 1):
        row = rows[at]
        found = [i for i in row.filled if i not in known and _is_note(rows, layout, row.cells[i], i)]
        notes += [SheetRow(row.number, (row.cells[i],)) for i in found]
        own[at] = row.without(found)
    return own, notes


def _is_note(rows: Sequence[SheetRow], layout: Layout, cell: str, column: int) -> bool:
    """Tell if a cell of the header heads no column and is a note: it stands behind an empty column, or is long."""
    is_word = len(cell.split()) == 1 and header_words(SheetRow(1, (cell,))) > 0
    if values_below(rows[layout.header_index + 1 :], column) or is_word:
        return False
    is_apart = column > 0 and not values_below(rows[layout.first_header :], column - 1)
    # In a questionnaire a long heading may stand over answers that nobody has filled in.
    return is_apart or (layout.question is None and len(cell.split()) > _MAX_HEADING_WORDS)


def _start(rows: Sequence[SheetRow], layout: Layout) -> int | None:
    """The first column of the legend beside a questionnaire; None where there is none."""
    if layout.question is None:
        return None
    last = max(column for column in (*layout.roles, *layout.several) if column is not None)
    width = max(len(row.cells) for row in rows)
    empty = next((i for i in range(last + 1, width) if not values_below(rows, i)), width)
    start = next((i for i in range(empty, width) if values_below(rows, i)), None)
    return start if start is not None and _is_legend([row.cells[start:] for row in rows if row.cells[start:]]) else None


def _is_legend(rows: Sequence[Sequence[str]]) -> bool:
    """Tell if the cells are a legend: they have a legend's heading, or explain choices one by one."""
    first = next((cell for cell, *_ in rows if cell), "")
    explained = ((_EXPLAINED.fullmatch(cells[0]), cells) for cells in rows[1:])
    named = (found[1] if found else cells[0] if any(cells[1:]) else "" for found, cells in explained)
    choices = {name.casefold() for name in named if names_choice(name) or GRADE.fullmatch(name)}
    return _LEGEND.fullmatch(first) is not None or 1 < len(choices) == len(rows) - 1
