"""Legends and notes beside a table of a sheet, behind an empty column: they belong to none of its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.sheets.visible_cells import trimmed
from tasks.spreadsheets.choice_columns import GRADE, names_choice
from tasks.spreadsheets.layout import Layout, filled_cells, header_words
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
    own, aside = list(rows[: layout.first_header]), []
    for row in rows[layout.first_header :]:
        cells = row.cells[:start]
        if any(cells):
            own.append(row._replace(cells=cells))
        if any(row.cells[start:]):
            aside.append(row._replace(cells=row.cells[start:]))
    return own, aside


def _without_notes(rows: Sequence[SheetRow], layout: Layout) -> tuple[list[SheetRow], list[SheetRow]]:
    """Split the notes in the header from the rows; each note becomes a row of its own."""
    body = rows[layout.header_index + 1 :]
    known = _known(layout)
    own, notes = list(rows), []
    for at in range(layout.first_header, layout.header_index + 1):
        cells = rows[at].cells
        found = {i for i in range(len(cells)) if i not in known and _is_note(rows, layout, cells[i], i, body)}
        notes += [SheetRow(rows[at].number, (cells[i],)) for i in sorted(found)]
        own[at] = rows[at]._replace(cells=trimmed(["" if i in found else cell for i, cell in enumerate(cells)]))
    return own, notes


def _is_note(rows: Sequence[SheetRow], layout: Layout, cell: str, column: int, body: Sequence[SheetRow]) -> bool:
    """Tell if a cell of the header heads no column and is a note: it stands behind an empty column, or is long."""
    if not cell or values_below(body, column) or _is_heading(cell):
        return False
    is_apart = column > 0 and not values_below(rows[layout.first_header :], column - 1)
    # In a questionnaire a long heading may stand over answers that nobody has filled in.
    return is_apart or (layout.question is None and len(cell.split()) > _MAX_HEADING_WORDS)


def _is_heading(cell: str) -> bool:
    """Tell if ``cell`` is a single word of headings, which is no note even with nothing below it."""
    return len(cell.split()) == 1 and header_words(SheetRow(1, (cell,))) > 0


def _known(layout: Layout) -> set[int | None]:
    return {
        layout.question,
        layout.answer,
        layout.comments,
        layout.category,
        *layout.choices,
        *layout.earlier,
        *layout.several,
    }


def _start(rows: Sequence[SheetRow], layout: Layout) -> int | None:
    """The first column of the legend beside a questionnaire; None where there is none."""
    if layout.question is None:
        return None
    known = (layout.question, layout.answer, layout.comments, *layout.choices, *layout.earlier, *layout.several)
    last = max(column for column in known if column is not None)
    width = max(len(row.cells) for row in rows)
    empty = next((i for i in range(last + 1, width) if not values_below(rows, i)), width)
    start = next((i for i in range(empty, width) if values_below(rows, i)), None)
    return start if start is not None and _is_legend([row.cells[start:] for row in rows if row.cells[start:]]) else None


def _is_legend(rows: Sequence[Sequence[str]]) -> bool:
    """Tell if the cells are a legend: they have a legend's heading, or explain choices one by one."""
    first = [cell for cell, *_ in rows if cell]
    if first and _LEGEND.fullmatch(first[0]):
        return True
    explained = [_explained(cells) for cells in rows]
    said = [choice for choice in explained[1:] if choice]
    return len(said) > 1 and len(set(said)) == len(said) == len(rows) - 1


def _explained(cells: Sequence[str]) -> str:
    """The choice that ``cells`` explain, "" where they explain none."""
    found = _EXPLAINED.fullmatch(cells[0])
    choice = found[1] if found else cells[0] if len(filled_cells(cells)) > 1 else ""
    return choice.casefold() if names_choice(choice) or GRADE.fullmatch(choice) else ""
