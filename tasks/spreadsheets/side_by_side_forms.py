"""Questionnaires laid out twice side by side: questions and answers, and further right more of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.spreadsheets.choice_columns import is_choice
from tasks.spreadsheets.header_words import NUMBER, heads_answers, heads_questions, reads_as_question
from tasks.spreadsheets.row import SheetRow, values_below

_MAX_TITLE_CHARACTERS = 100
_LEAST_CHARACTERS = 12
"""Least mean length of questions."""
_ORDINAL = re.compile(r"[\s#]*\d{1,2}$")


def halves_of(rows: Sequence[SheetRow], header_index: int) -> list[list[SheetRow]]:
    """Split a sheet into its questionnaires side by side: for each, the rows from the header on with its own cells
    only; one list where there is only one questionnaire.

    Columns before the first that do not return, such as a category, belong to all of them, and so do the titles of the
    first where another has none. Rows above the header are in the first only.
    """
    headers = rows[header_index].cells
    starts = _starts(headers, rows[header_index + 1 :])
    if not starts:
        return [list(rows)]
    ends = [*starts[1:], max(len(row.cells) for row in rows)]
    titles = {row.number for row in rows[header_index:] if _is_title(row, 0, ends[0]) and len(row.cells) <= ends[0]}
    halves = [list(rows[:header_index]), *([] for _ in starts[1:])]
    for half, start, end in zip(halves, starts, ends, strict=True):
        kept = {*range(starts[0]), *range(start, end)}
        shared = () if any(_is_title(row, start, end) for row in rows[header_index:]) else titles
        for row in rows[header_index:]:
            own = row if row.number in shared else row.without(set(row.filled) - kept)
            if row.number in shared or len(own.cells) > start:
                half.append(own)
    return halves


def _is_title(row: SheetRow, start: int, end: int) -> bool:
    """Tell if between these columns a row is one short cell that asks nothing."""
    filled = [cell for cell in row.cells[start:end] if cell]
    if len(filled) != 1 or row.is_partial:
        return False
    text = filled[0]
    return len(text) <= _MAX_TITLE_CHARACTERS and not reads_as_question(text) and not text.endswith(".")


def _starts(headers: Sequence[str], body: Sequence[SheetRow]) -> list[int]:
    """The first column of each of several questionnaires side by side; empty where there is one, or none."""
    names = [_ORDINAL.sub("", header.strip()).casefold() for header in headers]
    asked = [i for i, header in enumerate(headers) if heads_questions(header)]
    asked = [i for i in asked if names[i] == names[asked[0]]]
    if len(asked) < 2:
        return []
    parts = zip(asked, [*asked[1:], len(headers)], strict=True)
    if not all(any(heads_answers(one) or is_choice(one) for one in headers[at:end]) for at, end in parts):
        return []
    texts = [values_below(body, at) for at in asked]
    if any(not values or sum(map(len, values)) / len(values) < _LEAST_CHARACTERS for values in texts):
        return []
    starts = [_with_number(headers, names, at) for at in asked]
    # A number column before the first question only numbers the rows.
    return starts if starts[0] < asked[0] and all(a < b for a, b in zip(starts[1:], asked[1:], strict=True)) else asked


def _with_number(headers: Sequence[str], names: Sequence[str], question: int) -> int:
    """The first column of a questionnaire: that of its numbers, where each questionnaire has one."""
    at = question
    while at > 0 and NUMBER.search(headers[at - 1]) and names.count(names[at - 1]) > 1:
        at -= 1
    return at
