"""Continuation rows of a questionnaire: more lines of the question or answer above, and questions that a row above
introduces.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tasks.spreadsheets.layout import Layout, id_column, is_category_row, says_nothing
from tasks.spreadsheets.numbered_sections import with_numbered_sections
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
    return _with_lead_ins(_with_lines(with_numbered_sections(rows, layout), layout, drafted), layout)


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
    """Tell if ``row`` continues the answer above: it has text of an answer, and neither a question nor a number of its
    own.
    """
    question = layout.question or 0
    if row.is_partial or above.is_partial or is_category_row(above, layout):
        return False
    if _cell(row, question) or not _cell(above, question):
        return False
    said = [i for i in (layout.answer, layout.comments, *layout.earlier) if i is not None and i > question]
    return not _is_named(row, above, layout) and any(_cell(row, i) for i in said)


def _asks_on(row: SheetRow, above: SheetRow, layout: Layout) -> bool:
    """Tell if the question of ``row`` is the rest of the question above: that question breaks off, or nothing is
    answered to the rest.
    """
    question = layout.question or 0
    rest, begun = _cell(row, question), _cell(above, question).rstrip()
    if row.is_partial or above.is_partial or is_category_row(above, layout) or _is_named(row, above, layout):
        return False
    if not begun or begun[-1] in ".?!:" or not rest[:1].islower() or _ITEM.match(rest):
        return False
    is_alone = not any(_cell(row, i) for i in range(question + 1, len(row.cells)))
    return _OPEN_END.search(begun) is not None or (is_alone and _FURTHER.match(rest) is not None)


def _is_named(row: SheetRow, above: SheetRow, layout: Layout) -> bool:
    """Tell if a cell before the question, such as its number, marks a row as a new question."""
    columns = range(layout.question or 0)
    return any(_cell(row, i) and not (i == layout.category and _is_same(row, above, i)) for i in columns)


def _join(above: SheetRow, row: SheetRow, layout: Layout) -> SheetRow:
    width = max(len(above.cells), len(row.cells))
    cells = (
        _cell(above, i) if i == layout.category else joined_text(_cell(above, i), _cell(row, i)) for i in range(width)
    )
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
    """Prefix questions with the question that introduces them: a row that ends in a colon, or for "a)" the row
    above.
    """
    question = layout.question or 0
    found: list[SheetRow] = []
    lead_in: SheetRow | None = None
    for row in rows:
        asked = _cell(row, question)
        if is_category_row(row, layout):
            lead_in = None
        elif asked and _leads_in(row, layout):
            lead_in = row
        elif asked:
            is_item = _is_item(row, layout)
            is_led = lead_in is not None and _leads_in(lead_in, layout)
            if lead_in is not None and (is_item or is_led) and _is_below(row, lead_in, layout):
                cells = list(row.cells)
                cells[question] = f"{_cell(lead_in, question).rstrip()} {asked}"
                found.append(row._replace(cells=tuple(cells)))
                continue
            lead_in = None if is_item or not _has_parts(row, layout) else row
        found.append(row)
    return found


def _is_item(row: SheetRow, layout: Layout) -> bool:
    """Tell if the question of ``row`` is a lettered part of another question."""
    column = id_column(layout)
    own = "" if column is None else _cell(row, column).strip()
    return _ITEM.match(_cell(row, layout.question or 0) if not own else f"{own} ") is not None


def _has_parts(row: SheetRow, layout: Layout) -> bool:
    """Tell if the rows below a question may be parts of it."""
    asked = _cell(row, layout.question or 0)
    return not row.is_partial and len(asked) <= _MAX_WHOLE_CHARACTERS and not _INSTRUCTION.search(asked)


def _leads_in(row: SheetRow, layout: Layout) -> bool:
    asked = _cell(row, layout.question or 0).rstrip()
    if not asked.endswith(":") or len(asked) > _MAX_LEAD_IN_CHARACTERS or _INSTRUCTION.search(asked):
        return False
    said = [i for i, cell in enumerate(row.cells) if cell and i not in (layout.question, layout.category)]
    return not row.is_partial and all(says_nothing(layout, i) for i in said)


def _is_below(row: SheetRow, lead_in: SheetRow, layout: Layout) -> bool:
    """Tell if ``lead_in`` introduces the question of ``row``, by the numbers where both have a number."""
    if layout.category is not None and not _is_same(row, lead_in, layout.category):
        return False
    column = id_column(layout)
    own, above = ("", "") if column is None else (_cell(row, column), _cell(lead_in, column).rstrip(" .)"))
    if not own or not above or _NUMERAL.fullmatch(own) or _cell(row, layout.question or 0)[0].islower():
        return True
    return own.startswith(above) and not own[len(above) : len(above) + 1].isdigit()


def _is_same(row: SheetRow, other: SheetRow, column: int) -> bool:
    return _cell(row, column) in ("", _cell(other, column))


def _cell(row: SheetRow, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""
