"""Headers of two rows: a heading that reaches over several columns, and below it one for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.conversion.sheet_choices import is_choice, names_choice
from tasks.conversion.sheet_headings import heads_answers, heads_comments, heads_questions, reads_as_question
from tasks.conversion.sheet_row import SheetRow

_MAX_CHARACTERS = 40
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_header_of_two(rows: Sequence[SheetRow]) -> bool:
    """Whether the second of ``rows``, a header and what follows it, is part of the header: "Yes" and "No" below
    "Answers", or "Response" and "Resolution" below each of two plans.
    """
    if len(rows) < 2 or rows[1].number != rows[0].number + 1:
        return False
    return _names_choices(*rows[:2]) or any(spans_of(*rows[:2]))


def spans_of(upper: SheetRow, lower: SheetRow) -> tuple[str, ...]:
    """For each column the cell of ``upper`` that reaches over it and others, "" where none does; nothing where the two
    rows are no header.

    In a header each cell of the second row is one of two or more below the same one of the first, or says the same as
    the one above it, since that reaches down; and some other column has no cell in the second, where a record has
    what names it.
    """
    width = max(len(upper.cells), len(lower.cells))
    above, below = (row.cells + ("",) * (width - len(row.cells)) for row in (upper, lower))
    tops = [i for i, cell in enumerate(above) if cell]
    ends = [*tops[1:], width]
    spans = [""] * width
    for top, end in zip(tops, ends, strict=True):
        parts = [i for i in range(top, end) if below[i]]
        if not parts or (parts == [top] and below[top] == above[top]):
            continue
        names = [below[i] for i in parts]
        if parts[0] != top or len(set(names)) < max(2, len(names)) or not all(map(_may_be_heading, names)):
            return ()
        spans[top:end] = [above[top]] * (end - top)
    is_in_front = any(below[: tops[0]]) if tops else True
    return tuple(spans) if len(tops) > 1 and not is_in_front and not all(spans[top] for top in tops) else ()


def answers_apart(spans: Sequence[str], headers: Sequence[str]) -> tuple[int, ...]:
    """The columns below one heading of answers that do not say themselves what they are: each answers for something
    else, a product say, or the only one is the answer.
    """
    found: list[int] = []
    for span in dict.fromkeys(filter(heads_answers, spans)):
        columns = [
            i for i, other in enumerate(spans) if other == span and headers[i] and not heads_comments(headers[i])
        ]
        if not any(heads_answers(headers[i]) or is_choice(headers[i]) for i in columns):
            found += columns
    return tuple(found)


def _names_choices(upper: SheetRow, lower: SheetRow) -> bool:
    parts = [i for i, cell in enumerate(lower.cells) if cell]
    above = [cell for i, cell in enumerate(upper.cells) if cell and i not in parts]
    return len(parts) > 1 and all(names_choice(lower.cells[i]) for i in parts) and any(map(heads_questions, above))


def _may_be_heading(cell: str) -> bool:
    if len(cell) > _MAX_CHARACTERS or reads_as_question(cell) or cell.endswith("."):
        return False
    return _YEAR.fullmatch(cell) is not None or cell[0].isalpha()
