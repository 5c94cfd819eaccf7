"""Split of a sheet into its tables.

A new table begins below an empty row, or right below another at a row that can only be a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tasks.spreadsheets.choice_columns import is_choice
from tasks.spreadsheets.header_words import heads_answers, heads_comments, heads_questions
from tasks.spreadsheets.layout import ROWS_BELOW, find_header, header_score, header_words, repeats
from tasks.spreadsheets.numeric_headings import heads_terms
from tasks.spreadsheets.row import SheetRow
from tasks.spreadsheets.spanned_headers import header_of

_HEADING = re.compile(
    r"(?:\w+ )?(?:names?|owners?|owned by|countr(?:y|ies)|locations?|regions?|cit(?:y|ies)|data cent(?:re|er)s?|"
    r"departments?|roles?|purposes?|dates?|valid (?:until|from|to)|expir(?:y|es|ation)(?: date)?|issued(?: by| on)?|"
    r"issuers?|auditors?|status|states?|versions?|types?|tiers?|descriptions?|classifications?|categor(?:y|ies)|"
    r"priorit(?:y|ies)|severit(?:y|ies)|frequenc(?:y|ies)|e-?mails?|phones?|telephones?|addresses|prices?|quantit(?:y|ies)|"
    r"units?|values?|metrics?|targets?|ids?|nr|no\.?|ref(?:erence)?s?|comments?|notes?|remarks?|titles?|"
    r"name|owner|land|zweck|standort|datum|gültig bis|beschreibung|typ|rolle|abteilung|preis|menge|wert)"
    r"(?: \([^()]{1,20}\))?",
    re.I,
)
"""Words of a heading: a record seldom holds two of these, and a record that lists fields has others like it beside
it."""


def tables_of(rows: Sequence[SheetRow]) -> list[Sequence[SheetRow]]:
    """Split the rows where a table of other columns begins: its header stands below an empty row, or is certain."""
    found = find_header(rows)
    if found is None:
        return [rows]
    starts, head = [0], found
    for at, (before, row) in enumerate(pairwise(rows), start=1):
        is_next = row.number == before.number + 1
        other = at if is_next else _header_of_another(rows, at)
        above = head if head < at else _certain_header(rows, starts[-1], at)
        if other is None or (above is None and (is_next or other <= head < other + header_of(rows[other:]).rows)):
            # Rows above the first header belong to its table.
            continue
        if is_next and (above is None or other <= above + 1 or not _is_certain(rows, other, above)):
            # Two rows of headings belong together.
            continue
        if repeats(rows[other], rows[head if above is None else above]):
            continue
        is_below_title = is_next and at - 1 > (above or 0) and _is_title(rows, at - 1)
        starts.append(at - 1 if is_below_title else at)
        head = max(other, head)
    return [rows[start:end] for start, end in pairwise([*starts, len(rows)])]


def _header_of_another(rows: Sequence[SheetRow], at: int) -> int | None:
    """The header of a table that begins at ``at``, or below a title there; None where no table begins."""
    header = at + 1 if _is_title(rows, at) else at
    row, below = rows[header], rows[header + 1 : header + 1 + ROWS_BELOW]
    is_of_terms = _heads_terms(row, below)
    is_known = is_of_terms or header_words(row) > 0
    return header if is_known and header_score(row, below, is_of_terms) > 0 else None


def _heads_terms(row: SheetRow, below: Sequence[SheetRow]) -> bool:
    """Tell if a row is a header of terms with digits, or the first row of such a header."""
    if heads_terms(row, below):
        return True
    return bool(below) and heads_terms(below[0], below[1:]) and header_of([row, *below]).rows > 1


def _is_title(rows: Sequence[SheetRow], at: int) -> bool:
    is_above = at + 1 < len(rows) and rows[at + 1].number == rows[at].number + 1
    return is_above and len(rows[at].texts) == 1


def _certain_header(rows: Sequence[SheetRow], start: int, end: int) -> int | None:
    """The header of the table from ``start`` to ``end``, where it is certain and has records; None otherwise."""
    found = find_header(rows[start:end])
    if found is None or start + found + 1 == end:
        return None
    head = start + found
    is_of_terms = _heads_terms(rows[head], rows[head + 1 : min(end, head + 1 + ROWS_BELOW)])
    return head if is_of_terms or _is_certain(rows, head, head) else None


def _is_certain(rows: Sequence[SheetRow], at: int, head: int) -> bool:
    """Tell if the row ``at`` can only be a header: a record holds no two headings, or stands among records that do."""
    row, below = rows[at], rows[at + 1 : at + 1 + ROWS_BELOW]
    if not below or below[0].number != row.number + 1 or row.is_partial or header_score(row, below) <= 0:
        return False
    cells = row.texts
    asked = [cell for cell in cells if heads_questions(cell)]
    answered = [cell for cell in cells if heads_answers(cell) or heads_comments(cell) or is_choice(cell)]
    if asked and answered and set(asked) != set(answered):
        return True
    beside = [other for i, other in ((at - 1, rows[at - 1]), (at + 1, below[0])) if i not in (-1, head)]
    return _headings(row) >= max(2, 2 * len(cells) / 3) and not any(
        2 * _headings(other) >= len(other.texts) > 1 for other in beside
    )


def _headings(row: SheetRow) -> int:
    return sum(_HEADING.fullmatch(cell.strip()) is not None for cell in row.cells if cell)
