"""Detection of answer columns that take a yes or no and no text: the customer counts and filters by them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questionnaires.reading.layout import Word
from tasks.questionnaires.reading.legend import legend_of
from tasks.questions.wording import character_limit, is_placeholder, says_yes_no, verdict_of, words_of
from tasks.spreadsheets.row import column_letters

MAX_VERDICT_CHARACTERS = 40
"""The highest length limit of a yes-or-no column; a higher limit is for a text."""
FILLED = 2
FILLED_ALONE = 5
"""The number of answers, all yes or no, that settle it without a comment column: an open question may follow."""
_STATUS = frozenset({"status"})
_COMPLIANCE = frozenset({"compliance", "compliant", "comply", "complies"})
_WANTS_WORDS = re.compile(
    r"\b(?:expla\w+|descri\w+|comment\w*|details?|elaborat\w+|justif\w+|rationale|reasons?|free text|narrative|notes?"
    r"|remarks?|specify|evidence|how|why)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.;\n]\s|\s(?:and|then)\s(?=explain|describe|comment|give|add|use|put|write|provide)")


def takes_yes_no_only(grid: Grid, columns: Columns, rows: Sequence[int]) -> bool:
    """Tell if the answer column takes no text, by its title, its dropdowns, the guidance about it or its other answers.

    False where there is none, or each verdict has a column; without ``rows`` of questions, title and guidance decide.
    """
    if columns.answer is None:
        return False
    title, has_comments = columns.headers.get(columns.answer, ""), columns.comment is not None
    if _wants_text(title):
        return False
    if says_yes_no(title) or legend_of(title):
        return True
    words = frozenset(words_of(title)) or _STATUS
    asks_compliance = verdict_of(title, whole=True) == "yes" or (words <= _COMPLIANCE | _STATUS and words != _STATUS)
    if has_comments and (asks_compliance or words_taken(grid, columns, rows)):
        return True
    if any(says_yes_no(said) and not _wants_text(said) for said in _guidance(grid, columns, title, rows)):
        return True
    offered = [set(map(verdict_of, grid.choices(*grid.anchor(row, columns.answer)))) for row in rows]
    if has_comments and 2 * sum({"yes", "no"} <= verdicts for verdicts in offered) > len(rows):
        return True
    cells = (grid.written(row, columns.answer) for row in rows)
    filled = [cell for cell in cells if cell and not is_placeholder(cell)]
    enough = FILLED if has_comments else FILLED_ALONE
    return len(filled) >= enough and all(verdict_of(cell, whole=True) for cell in filled)


def words_taken(grid: Grid, columns: Columns, rows: Sequence[int]) -> tuple[Word, ...]:
    """The customer's words for yes and no in the answer column, from its title, the guidance or a key above the table.

    Empty where there is no such column.
    """
    if columns.answer is None:
        return ()
    title = columns.headers.get(columns.answer, "")
    above = (text for row in sorted(grid.texts) if row < columns.header_row for text in grid.texts[row].values())
    return legend_of(title, [*_guidance(grid, columns, title, rows), *above])


def _wants_text(said: str) -> bool:
    limit = character_limit(said)
    return bool(_WANTS_WORDS.search(said)) or (limit is not None and limit > MAX_VERDICT_CHARACTERS)


def _guidance(grid: Grid, columns: Columns, title: str, rows: Sequence[int]) -> Iterator[str]:
    """The texts about the answer column: input messages, cells around its title, clauses above the table."""
    answer, first = columns.answer or 0, min(rows, default=columns.last_header_row + 1)
    for row in rows:
        yield from grid.prompts(*grid.anchor(row, answer))
    for row in range(columns.header_row, first):
        yield grid.text(row, answer)
    names = [rf"column\s+{column_letters(answer)}"]
    names += [rf"[“”\"']?{re.escape(title)}[“”\"']?\s+column", rf"column\s+[“\"']?{re.escape(title)}"] if title else []
    named = re.compile(rf"\b(?:{'|'.join(names)})\b", re.IGNORECASE)
    for row in sorted(row for row in grid.texts if row < columns.header_row):
        for text in grid.texts[row].values():
            yield from (clause for clause in _CLAUSES.split(text) if named.search(clause))
