"""Continuation rows of a questionnaire.

They hold more lines of the question or answer above, or questions that a row above introduces."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise, zip_longest

from tasks.spreadsheets.layout import Layout
from tasks.spreadsheets.row import SheetRow

_MAX_LINES = 40
"""Beyond so many rows without a question it is unlikely that all of them are one answer."""
_MAX_LEAD_IN_CHARACTERS = 100
_MAX_WHOLE_CHARACTERS = 300
_INSTRUCTION = re.compile(r"\b(?:please|following questions|questions below)\b", re.I)
_OPEN_END = re.compile(
    r"[,;(–—-]$|\b(?:and|or|the|an?|of|for|with|to|in|by|on|your|und|oder|der|die|das|von|mit)$", re.I
)
_FURTHER = re.compile(
    r"(?:and|or|including|such as|as well as|with|without|for|from|to|by|that|und|oder|sowie|einschließlich|mit)\b"
)
"""Words with which a question continues, where nothing was answered to the rest of it."""
_ITEM = re.compile(r"\(?(?:[a-z]|[ivx]{1,4})\)|[a-z]\. ")
"""The letter of a part of a question."""
_NUMERAL = re.compile(r"\(?[a-z]{1,4}[.)]*", re.I)


def with_continuations(rows: Sequence[SheetRow], layout: Layout, drafted: Collection[int]) -> list[SheetRow]:
    """Join the rows below the header: each with the further lines of its question or answer, and each question with its
    lead-in; a numbered section reads as a section without a number.

    Rows whose numbers are ``drafted`` are neither joined nor extended: text that bidfolio wrote there is left out.
    """
    if layout.question is None:
        return list(rows)
    named = [_titled(row, below, layout) for row, below in pairwise(rows)]
    return _with_lead_ins(_with_lines([*named, *rows[-1:]], layout, drafted), layout)


def _titled(row: SheetRow, below: SheetRow, layout: Layout) -> SheetRow:
    """A numbered section, as "1 | Access control" above the questions 1.1 and 1.2, as a title in one cell; any other
    row unchanged.

    A section has only its number and a name that asks nothing, and the number of the row below begins with its own.
    """
    column, question = layout.id_column, layout.question or 0
    own, name = row.cell(column).strip(), row.cell(question)
    if column is None or row.filled != [column, question] or row.is_partial or name.endswith(":"):
        return row
    section, number = own.rstrip(" .)"), below.cell(column).strip()
    rest = number.removeprefix(section) if section and number.startswith(section) else ""
    # 1.1 and 1a are in 1, not 10.
    is_within = rest.strip(" .)") and not (section[-1:].isdigit() and rest[0].isdigit())
    alone = row.without({column})
    title = alone.with_text(question, f"{own} {name}")
    return title if is_within and layout.is_category(title) and layout.is_category(alone) else row


def _with_lines(rows: Sequence[SheetRow], layout: Layout, drafted: Collection[int]) -> list[SheetRow]:
    joined: list[SheetRow] = []
    last = lines = 0
    for row in rows:
        is_next = bool(joined) and row.number == last + 1 and lines < _MAX_LINES
        is_ours = is_next and row.number not in drafted and joined[-1].number not in drafted
        if is_ours and (_goes_on(row, joined[-1], layout) or _asks_on(row, joined[-1], layout)):
            joined[-1] = _join(joined[-1], row, layout)
            lines += 1
        else:
            joined.append(row)
            lines = 0
        last = row.number
    return joined


def _goes_on(row: SheetRow, above: SheetRow, layout: Layout) -> bool:
    """Tell if ``row`` continues the answer above: it has text of an answer and no question."""
    question = layout.question or 0
    if not _may_go_on(row, above, layout) or row.cell(question) or not above.cell(question):
        return False
    said = (i for i in (layout.answer, layout.comments, *layout.earlier) if i is not None and i > question)
    return any(map(row.cell, said))


def _asks_on(row: SheetRow, above: SheetRow, layout: Layout) -> bool:
    """Tell if the question of ``row`` is the rest of the one above, which breaks off, or had no answer to the rest."""
    question = layout.question or 0
    rest, begun = row.cell(question), above.cell(question).rstrip()
    if not _may_go_on(row, above, layout) or not rest[:1].islower() or _ITEM.match(rest):
        return False
    if not begun or begun[-1] in ".?!:":
        return False
    is_alone = not any(row.cells[question + 1 :])
    return _OPEN_END.search(begun) is not None or (is_alone and _FURTHER.match(rest) is not None)


def _may_go_on(row: SheetRow, above: SheetRow, layout: Layout) -> bool:
    """Tell if both rows are whole, and no cell before the question marks a new one."""
    if row.is_partial or above.is_partial or layout.is_category(above):
        return False
    front = (i for i in range(layout.question or 0) if row.cell(i))
    return all(i == layout.category and _is_same(row, above, i) for i in front)


def _join(above: SheetRow, row: SheetRow, layout: Layout) -> SheetRow:
    cells = [
        own if i == layout.category else joined_text(own, more)
        for i, (own, more) in enumerate(zip_longest(above.cells, row.cells, fillvalue=""))
    ]
    return above._replace(cells=tuple(cells))


def joined_text(text: str, more: str) -> str:
    """Append the text of a further row, after "; " where it is a sentence or line of its own."""
    if not text or not more:
        return text or more
    if more in (text, text.rpartition("; ")[2]):
        # A merged cell gives each of its rows its text.
        return text
    is_sentence = more[0].islower() and len(text.split()) > 2
    return text + (" " if is_sentence or text[-1] in ".,;:!?" else "; ") + more


def _with_lead_ins(rows: Sequence[SheetRow], layout: Layout) -> list[SheetRow]:
    """Prefix questions with the row that introduces them: one that ends in a colon, or for "a)" the row above."""
    question = layout.question or 0
    found: list[SheetRow] = []
    lead_in: SheetRow | None = None
    for row in rows:
        asked = row.cell(question)
        if layout.is_category(row):
            lead_in = None
        elif asked and _leads_in(row, layout):
            lead_in = row
        elif asked:
            own = row.cell(layout.id_column).strip()
            is_item = _ITEM.match(f"{own} " if own else asked) is not None
            is_led = lead_in is not None and _leads_in(lead_in, layout)
            if lead_in is not None and (is_item or is_led) and _is_below(row, lead_in, layout):
                found.append(row.with_text(question, f"{lead_in.cell(question).rstrip()} {asked}"))
                continue
            may_have_parts = not is_item and not row.is_partial and len(asked) <= _MAX_WHOLE_CHARACTERS
            lead_in = row if may_have_parts and not _INSTRUCTION.search(asked) else None
        found.append(row)
    return found


def _leads_in(row: SheetRow, layout: Layout) -> bool:
    asked = row.cell(layout.question).rstrip()
    if not asked.endswith(":") or len(asked) > _MAX_LEAD_IN_CHARACTERS or _INSTRUCTION.search(asked):
        return False
    said = (i for i in row.filled if i not in (layout.question, layout.category))
    return not row.is_partial and all(map(layout.says_nothing, said))


def _is_below(row: SheetRow, lead_in: SheetRow, layout: Layout) -> bool:
    """Tell if ``lead_in`` introduces the question of ``row``, by the numbers where both have a number."""
    if layout.category is not None and not _is_same(row, lead_in, layout.category):
        return False
    own, above = row.cell(layout.id_column), lead_in.cell(layout.id_column).rstrip(" .)")
    if not own or not above or _NUMERAL.fullmatch(own) or row.cell(layout.question)[0].islower():
        return True
    return own.startswith(above) and not own[len(above) : len(above) + 1].isdigit()


def _is_same(row: SheetRow, other: SheetRow, column: int) -> bool:
    return row.cell(column) in ("", other.cell(column))
