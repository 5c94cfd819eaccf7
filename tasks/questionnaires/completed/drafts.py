"""Keys of rows that bidfolio filled, by which its drafts are known again in a file that has no status."""

from __future__ import annotations

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questions.wording import is_placeholder
from tasks.records import content_id


def draft_key(question: str, grid: Grid, sheet: SheetLayout, row: QuestionRow) -> str:
    """The hash of a question with all that stands in the cells for its answer.

    It is the same wherever the row stands in the file, and another as soon as a person changes a word of the answer.
    """
    cells = dict.fromkeys(grid.anchor(*cell) for cell in sheet.cells_of(row))
    texts = (_plain(grid.text(*cell)) for cell in cells)
    return content_id("draft", _plain(question), *(text for text in texts if text and not is_placeholder(text)))


def _plain(text: str) -> str:
    """The text without differences that saving makes: of white space, and the apostrophe before a formula in CSV."""
    return " ".join(text.split()).removeprefix("'")
