"""What stands beside a questionnaire and belongs to none of its rows: a legend, behind an empty column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.sheet_choices import GRADE, names_choice
from tasks.conversion.sheet_layout import Layout, filled_cells
from tasks.conversion.sheet_row import SheetRow, values_below

_LEGEND = re.compile(
    r"(?:(?:answers?|responses?|ratings?|scor(?:e|ing)|compliance|colou?r) )?"
    r"(?:legende?|key|scale|guide|codes?|abbreviations?|abkürzungen|skala)\W*",
    re.I,
)
_EXPLAINED = re.compile(r"(.{1,25}?)\s*(?:[=:–—→]|\s-\s).*", re.DOTALL)


def without_aside(rows: Sequence[SheetRow], layout: Layout) -> tuple[list[SheetRow], list[SheetRow]]:
    """The rows without the legend beside them, and the rows of the legend; none of these where there is no legend."""
    start = _start(rows[layout.first_header :], layout)
    if start is None:
        return list(rows), []
    own, aside = list(rows[: layout.first_header]), []
    for row in rows[layout.first_header :]:
        cells = row.cells[:start]
        if any(cells):
            own.append(row._replace(cells=cells))
        if any(row.cells[start:]):
            aside.append(row._replace(cells=row.cells[start:]))
    return own, aside


def _start(rows: Sequence[SheetRow], layout: Layout) -> int | None:
    """The first column of the legend of a questionnaire."""
    if layout.question is None:
        return None
    known = (layout.question, layout.answer, layout.comments, *layout.choices, *layout.earlier, *layout.several)
    last = max(column for column in known if column is not None)
    width = max(len(row.cells) for row in rows)
    empty = next((i for i in range(last + 1, width) if not values_below(rows, i)), width)
    start = next((i for i in range(empty, width) if values_below(rows, i)), None)
    return start if start is not None and _is_legend([row.cells[start:] for row in rows if row.cells[start:]]) else None


def _is_legend(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the cells are headed as a legend is, or explain choices one by one."""
    first = [cell for cell, *_ in rows if cell]
    if first and _LEGEND.fullmatch(first[0]):
        return True
    explained = [_explained(cells) for cells in rows]
    said = [choice for choice in explained[1:] if choice]
    return len(said) > 1 and len(set(said)) == len(said) == len(rows) - 1


def _explained(cells: Sequence[str]) -> str:
    """The choice that is explained in ``cells``, "" where none is."""
    found = _EXPLAINED.fullmatch(cells[0])
    choice = found[1] if found else cells[0] if len(filled_cells(cells)) > 1 else ""
    return choice.casefold() if names_choice(choice) or GRADE.fullmatch(choice) else ""
