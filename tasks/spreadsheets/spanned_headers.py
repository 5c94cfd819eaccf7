"""Headers of two or three rows: a heading that spans several columns, and below it a heading for each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tasks.spreadsheets.choice_columns import is_choice, names_choice
from tasks.spreadsheets.header_words import heads_answers, heads_comments, heads_questions, reads_as_question
from tasks.spreadsheets.numeric_headings import heads_figures, names_term
from tasks.spreadsheets.row import SheetRow

_MAX_CHARACTERS = 40
_MAX_ROWS = 3
_ROWS_BELOW = 5
_UNIT_WORD = (
    r"%|‰|[€$£¥]|EUR|USD|GBP|CHF|[kMGTP]?i?[Bb](?:it|ytes?)?(?:ps)?|[kMG]?(?:W|Wh|V|A|VA|Hz)|[cmk]?m[²³23]?|ft²?|[mk]?g|t|"
    r"°[CF]|ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hrs?|hours?|days?|weeks?|months?|years?|users?|seats?|FTEs?|pcs|pieces?|"
    r"Stk\.?|Stück|Std\.?|Stunden|Tage|Monate?|Jahre?|a|m|bn|mn|million|thousand"
)
_UNIT = re.compile(rf"[(\[]?(?:in )?(?:{_UNIT_WORD})(?: ?(?:/|per|pro)? ?(?:{_UNIT_WORD}))?[)\]]?")


class Header(NamedTuple):
    """A sheet's header: its number of rows, and for each column the text of the headings above its last row, "" where
    there is none.
    """

    rows: int
    spans: tuple[str, ...] = ()


def header_of(rows: Sequence[SheetRow]) -> Header:
    """Read the header that begins with the first of ``rows`` and continues in those of the next rows that are headings
    too: "Yes" and "No" below "Answers", or "Response" and "Resolution" below each of two plans.
    """
    upper, header = rows[0], Header(1)
    for lower in rows[1:_MAX_ROWS]:
        below = rows[header.rows + 1 : header.rows + 1 + _ROWS_BELOW]
        if lower.number != upper.number + 1 or (header.spans and not heads_figures(lower, below)):
            break
        spans = _spans(upper, lower, below)
        if not any(spans):
            return Header(2) if header.rows == 1 and _names_choices(upper, lower) else header
        width = len(spans)
        # The last heading spans to the end, and a heading that is not divided below spans down.
        over = header.spans + (header.spans or ("",))[-1:] * (width - len(header.spans))
        above, own = (row.padded(width) for row in (upper, lower))
        upper = lower._replace(
            cells=tuple(cell or ("" if span else top) for cell, span, top in zip(own, spans, above, strict=True))
        )
        header = Header(header.rows + 1, tuple(" ".join(filter(None, both)) for both in zip(over, spans, strict=True)))
    return header


def _spans(upper: SheetRow, lower: SheetRow, rest: Sequence[SheetRow]) -> tuple[str, ...]:
    """The cell of ``upper`` that spans each column, "" where none does; empty where the two rows are no header of the
    rows ``rest``.

    In a header each cell of the second row is one of two or more below the same cell of the first, or repeats the cell
    above it, since that spans down; and some other column has no cell in the second row, where a record has its name.
    Over figures, a cell may be the only one below another, or begin with a digit, and the first row may be empty above
    the names; units may each be the only one.
    """
    width = max(len(upper.cells), len(lower.cells))
    above, below = (row.padded(width) for row in (upper, lower))
    tops = [i for i, cell in enumerate(above) if cell]
    ends = [*tops[1:], width]
    spans = [""] * width
    headings: list[str] = []
    single: list[int] = []
    for top, end in zip(tops, ends, strict=True):
        parts = [i for i in range(top, end) if below[i]]
        if not parts or (parts == [top] and below[top] == above[top]):
            continue
        names = [below[i] for i in parts]
        if parts[0] != top or len(set(names)) < len(names):
            return ()
        single += [top] if len(parts) == 1 else []
        headings += names
        spans[top:end] = [above[top]] * (end - top)
    front = [cell for cell in below[: tops[0]] if cell] if tops else []
    if len(tops) < 2 or any(
        len(cell) > _MAX_CHARACTERS or reads_as_question(cell) or cell.endswith(".") for cell in (*front, *headings)
    ):
        return ()
    if front:
        is_header = len(single) < len(headings) and heads_figures(lower, rest)
    elif all(spans[top] for top in tops):
        is_header = False
    elif not single and all(names_term(cell) or cell[0].isalpha() for cell in headings):
        is_header = True
    elif len(single) == len(headings):
        is_header = all(map(_UNIT.fullmatch, headings))
    else:
        is_header = tops[0] not in single and heads_figures(lower, rest)
    return tuple(spans) if is_header else ()


def answers_apart(spans: Sequence[str], headers: Sequence[str]) -> tuple[int, ...]:
    """The columns below a common heading of answers whose own headings are no kind of answer: each answers for
    something else, such as a product, or the only column is the answer.
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
    parts = lower.filled
    is_asked = any(heads_questions(upper.cell(i)) for i in upper.filled if i not in parts)
    return len(parts) > 1 and all(map(names_choice, lower.texts)) and is_asked
