"""The customer's own mark of a choice ("X", "✓"), as an example row or a dropdown has it; "x" where none does."""

from __future__ import annotations

from collections import Counter

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import SheetLayout
from tasks.questions.wording import choices_to_tick, is_placeholder
from tasks.spreadsheets.choice_columns import CROSSES, is_no_mark

DEFAULT_MARK = "x"
TICKED = {"☐": "☒", "□": "■", "○": "●", "( )": "(x)", "[ ]": "[x]", "()": "(x)", "[]": "[x]"}
"""The mark that takes the place of an empty box, by the box."""


def mark_for(grid: Grid, row: int, column: int, usual: str) -> str:
    """The mark for a cell of a verdict column: from its dropdown, else for its empty box, else the ``usual`` one."""
    cell = grid.anchor(row, column)
    offered = [choice for choice in grid.choices(*cell) if not is_no_mark(choice) and not is_placeholder(choice)]
    if offered:
        return usual if usual in offered else offered[0]
    return TICKED.get(grid.text(*cell), usual)


def ticked(cell: str, choice: str) -> str:
    """The text of a cell with choices to tick ("☐ Yes ☐ No") and that choice ticked; ``choice`` for any other cell."""
    choices = choices_to_tick(cell)
    if choice not in choices:
        return choice
    boxes = [at for at in range(len(cell)) if any(cell.startswith(box, at) for box in TICKED)]
    at = boxes[choices.index(choice)]
    box = next(box for box in TICKED if cell.startswith(box, at))
    return cell[:at] + TICKED[box] + cell[at + len(box) :]


def usual_mark(grid: Grid, layout: SheetLayout) -> str:
    """The mark of most marked cells in the sheet's verdict columns; DEFAULT_MARK where no cell is marked."""
    columns = {column for _, column in layout.verdict_columns}
    cells = (
        grid.text(row, column)
        for row in grid.texts
        if row > layout.header_row
        for column in columns & grid.texts[row].keys()
    )
    marks = Counter(cell for cell in cells if cell.casefold() in CROSSES)
    return marks.most_common(1)[0][0] if marks else DEFAULT_MARK
