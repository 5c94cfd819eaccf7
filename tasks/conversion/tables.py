"""What the rows of a sheet are: titles, a header, records, or the answers to a past questionnaire.

It works on cells as text, so that a workbook's sheet and a CSV file go the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from tasks.conversion.assembly import Block
from tasks.questionnaires.layout import REVIEW_TITLES, STATUS_TITLE, is_draft
from tasks.records import ElementKind

HEADER_SEARCH_ROWS = 40
MAX_HEADER_CHARACTERS = 80
_ROWS_BELOW = 5
"""So many rows tell whether the one above them is their header."""
_SHEET_TITLE, _CATEGORY = (0, 0), (1, 0)

_QUESTION = re.compile(
    r"\b(questions?|requirements?|controls?|specification|criteri(?:a|on)|quer(?:y|ies)|prompt|statement)\b",
    re.I,
)
_STRONG_QUESTION = re.compile(r"\bquestions?\b", re.I)
_ANSWER = re.compile(
    r"\b(answers?|responses?|respon[sd]e|reply|replies|compl(?:y|iant|iance)|yes ?/ ?no|y ?/ ?n)\b", re.I
)
_COMMENT = re.compile(
    r"\b(comments?|notes?|explanations?|details?|remarks?|additional|justification|evidence|elaborat\w+)\b",
    re.I,
)
_CATEGORY_WORD = re.compile(r"\b(categor(?:y|ies)|domain|section|topic|area|theme|group)\b", re.I)
_ID = re.compile(r"\b(id|ids|no|nr|number|ref|reference|#)\b|#", re.I)
_NOT_ANSWER = re.compile(
    r"\b(types?|options?|allowed|expected|required|max\w*|limit|format|guidance|instructions?|due)\b", re.I
)
_HEADER_WORD = re.compile(
    r"\b(description|name|owner|date|status|title|type|category|domain|version|id|ref|no|reference|item|value|priority|"
    r"frequency|score|area|section|topic|service|role|email|department|country|region|price|quantity)\b",
    re.I,
)
_ASKED = re.compile(
    r"\b(id|ids|no|nr|number|ref|reference|priority|weight\w*|mandatory|importance|critical\w*|categor(?:y|ies)|domain|"
    r"section|topic|area|theme|group|types?|options?|allowed|expected|required|max\w*|limit|format|guidance|"
    r"instructions?|due|deadline|standard|framework|owner|assigne[de]\w*)\b|#",
    re.I,
)
"""What the customer says of a question, beside it: whoever answers writes in other columns."""
_ASKS = re.compile(
    r"(do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|must|what|which|who|whom|where|when|why|how|"
    r"describe|provide|please|list|explain|state|confirm|specify|indicate|detail|outline|identify|if)\b",
    re.I,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CHOICE = re.compile(r"(yes|no|n/?a|not applicable|partial(?:ly)?)", re.I)
_MARKS = frozenset({"x", "✓", "✔", "☑", "☒", "1", "true", "yes", "y", "●", "•"})


class SheetRow(NamedTuple):
    """A row with something in it: its number as the spreadsheet shows it, and its cells, "" where empty.

    ``is_partial`` where a cell has a formula whose value the file has not: it is "" here, and is not empty.
    """

    number: int
    cells: tuple[str, ...]
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """What a sheet's columns are, by index from 0. ``question`` is None where it is no questionnaire.

    ``choices`` are columns named Yes, No or N/A in which a mark is the answer.
    """

    header_index: int
    headers: tuple[str, ...]
    question: int | None = None
    answer: int | None = None
    comments: int | None = None
    category: int | None = None
    choices: tuple[int, ...] = ()


def read_rows(rows: Sequence[SheetRow]) -> list[Block]:
    """The blocks of a sheet: a title for each title row, a ``row`` for each other. No rows give none.

    A row below a header reads ``Header: value; Header: value``, in a questionnaire the question, then
    ``Answer: …`` and ``Comments: …`` and other columns in lines of their own; one that nobody has answered is a
    ``question``. Without a header, cells are separated by `` | ``. Every cell's text stays as it is.

    Of a copy that bidfolio has filled, its review columns are left out, and what nobody has approved is no answer: of
    such a row the question alone is left, and nothing where the sheet does not read as a questionnaire.
    """
    drafted, rows = _without_review(rows)
    return [block for table in _tables(rows) for block in _read_table(table, drafted)]


def _tables(rows: Sequence[SheetRow]) -> list[Sequence[SheetRow]]:
    """The rows, parted where an empty one stands above a header of other columns."""
    starts = [0]
    found = _find_header(rows)
    head = None if found is None else rows[found].cells
    for at, (before, row) in enumerate(pairwise(rows), start=1):
        if head is None or row.number == before.number + 1:
            continue
        other = _header_of_another(rows[at : at + 2 + _ROWS_BELOW])
        if other is not None and other != head:
            starts.append(at)
            head = other
    return [rows[start:end] for start, end in pairwise([*starts, len(rows)])]


def _header_of_another(rows: Sequence[SheetRow]) -> tuple[str, ...] | None:
    """The header of a table that begins with the first of ``rows``, or with the second below a title; None where none
    does.
    """
    first = 1 if len(_filled(rows[0].cells)) == 1 and len(rows) > 1 and rows[1].number == rows[0].number + 1 else 0
    header, below = rows[first], rows[first + 1 : first + 1 + _ROWS_BELOW]
    return header.cells if _header_words(header) > 0 and _header_score(header, below) > 0 else None


def _read_table(rows: Sequence[SheetRow], drafted: frozenset[int]) -> list[Block]:
    layout = find_layout(rows)
    if layout is None:
        rows = [row for row in rows if row.number not in drafted]
        return [Block("row", " | ".join(_filled(row.cells)), row_number=row.number) for row in rows]
    blocks: list[Block] = []
    for index, row in enumerate(rows):
        if row.number in drafted:
            blocks += _question_of_draft(row, layout)
        elif index < layout.header_index:
            blocks.append(_before_header(row))
        elif index == layout.header_index:
            continue
        elif row.cells == rows[layout.header_index].cells:
            # A header that a printed sheet repeats says nothing new.
            continue
        else:
            blocks.append(_row_block(row, layout))
    return blocks


def _without_review(rows: Sequence[SheetRow]) -> tuple[frozenset[int], Sequence[SheetRow]]:
    """The numbers of the rows whose answer is bidfolio's draft, and all rows without its review columns."""
    head = next((at for at, row in enumerate(rows) if STATUS_TITLE in map(str.casefold, row.cells)), None)
    if head is None:
        return frozenset(), rows
    titles = [cell.casefold() for cell in rows[head].cells]
    status, review = titles.index(STATUS_TITLE), {i for i, title in enumerate(titles) if title in REVIEW_TITLES}
    drafted = frozenset(row.number for row in rows[head + 1 :] if is_draft("".join(row.cells[status : status + 1])))
    cleared = [
        row._replace(cells=tuple("" if i in review else cell for i, cell in enumerate(row.cells)))
        for row in rows[head:]
    ]
    return drafted, [*rows[:head], *(row for row in cleared if any(row.cells))]


def find_layout(rows: Sequence[SheetRow]) -> Layout | None:
    """The sheet's header row and columns; None where no row among the first forty reads as a header."""
    header_index = _find_header(rows)
    if header_index is None:
        return None
    headers = rows[header_index].cells
    body = rows[header_index + 1 :]
    question = _question_column(headers, body)
    if question is None:
        return Layout(header_index, headers)
    choices = tuple(i for i, header in enumerate(headers) if _CHOICE.fullmatch(header.strip()))
    choices = choices if len(choices) >= 2 else ()
    free = [i for i in range(len(headers)) if i != question and i not in choices]
    answer = next((i for i in free if _ANSWER.search(headers[i]) and not _is_aside(headers[i])), None)
    comments = next((i for i in free if i != answer and i > question and _COMMENT.search(headers[i])), None)
    category = next((i for i in free if i not in (answer, comments) and _CATEGORY_WORD.search(headers[i])), None)
    if answer is None and not choices:
        return Layout(header_index, headers)
    return Layout(header_index, headers, question, answer, comments, category, choices)


def reads_as_question(text: str) -> bool:
    """Whether ``text`` asks for something: it ends in a question mark or begins with an asking word."""
    stripped = text.strip()
    return stripped.endswith("?") or (len(stripped) > 15 and _ASKS.match(stripped) is not None)


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell]


def _is_aside(header: str) -> bool:
    return bool(_NOT_ANSWER.search(header)) or (bool(_COMMENT.search(header)) and not _ANSWER.match(header.strip()))


def _find_header(rows: Sequence[SheetRow]) -> int | None:
    best: tuple[float, int] | None = None
    for index, row in enumerate(rows[:HEADER_SEARCH_ROWS]):
        score = _header_score(row, rows[index + 1 : index + 1 + _ROWS_BELOW])
        if score > 0 and (best is None or score > best[0]):
            best = score, index
    return best[1] if best else None


def _header_score(row: SheetRow, below: Sequence[SheetRow]) -> float:
    """How much a row reads as a header of those below; 0 where it cannot be one."""
    cells = _filled(row.cells)
    if len(cells) < 2 or not below or len(set(cells)) < len(cells):
        return 0
    named = [cell for at, cell in enumerate(cells) if not (at and _YEAR.fullmatch(cell))]
    if any(len(cell) > MAX_HEADER_CHARACTERS or not any(c.isalpha() or c == "#" for c in cell) for cell in named):
        return 0
    if any(reads_as_question(cell) and not _QUESTION.search(cell) for cell in cells):
        return 0
    words = _header_words(row)
    columns = {i for i, cell in enumerate(row.cells) if cell}
    covered = [sum(1 for i in columns if i < len(other.cells) and other.cells[i]) / len(columns) for other in below]
    if max(covered) < 0.5 and words < 2:
        return 0
    # The further down, the less likely; a row with no header word needs rows below that differ in kind.
    plain = words == 0
    if plain and not _differs(row, below, columns):
        return 0
    return min(words, 6) + 0.3 * len(cells) + sum(covered) / len(covered) + (0 if plain else 1)


def _header_words(row: SheetRow) -> int:
    words = (_QUESTION, _ANSWER, _COMMENT, _HEADER_WORD)
    return sum(bool(known.search(cell)) for cell in _filled(row.cells) for known in words)


def _differs(row: SheetRow, below: Sequence[SheetRow], columns: set[int]) -> bool:
    own = sum(len(row.cells[i]) for i in columns) / len(columns)
    values = [other.cells[i] for other in below for i in columns if i < len(other.cells) and other.cells[i]]
    if not values:
        return False
    numeric = sum(any(c.isdigit() for c in value) for value in values) / len(values)
    clean = not any(c.isdigit() for i in columns for c in row.cells[i])
    return (clean and numeric > 0.2) or sum(map(len, values)) / len(values) > 1.5 * own


def _question_column(headers: Sequence[str], body: Sequence[SheetRow]) -> int | None:
    best: tuple[float, int] | None = None
    for index, header in enumerate(headers):
        values = [row.cells[index] for row in body if index < len(row.cells) and row.cells[index]]
        if not values or _CHOICE.fullmatch(header.strip()):
            continue
        asking = sum(map(reads_as_question, values)) / len(values)
        length = sum(map(len, values)) / len(values)
        named = bool(_QUESTION.search(header)) and not (_ID.search(header) and length < 20)
        if length < 12 or (_ANSWER.search(header) and not _STRONG_QUESTION.search(header)):
            continue
        if (named and (asking >= 0.2 or length > 40 or _STRONG_QUESTION.search(header))) or asking >= 0.6:
            score = asking + 0.5 * named + 0.5 * bool(_STRONG_QUESTION.search(header))
            if best is None or score > best[0]:
                best = score, index
    return best[1] if best else None


def _before_header(row: SheetRow) -> Block:
    cells = _filled(row.cells)
    if len(cells) == 1 and not row.is_partial and len(cells[0]) <= 120 and not cells[0].endswith("."):
        return Block("title", cells[0].replace("\n", " "), _SHEET_TITLE, row_number=row.number)
    return Block("row", " | ".join(cells), row_number=row.number)


def _row_block(row: SheetRow, layout: Layout) -> Block:
    cells = row.cells + ("",) * (len(layout.headers) - len(row.cells))
    filled = [i for i, cell in enumerate(cells) if cell]
    if len(filled) == 1 and not row.is_partial and _is_category(cells[filled[0]], filled[0], layout):
        return Block("title", cells[filled[0]].replace("\n", " "), _CATEGORY, row_number=row.number)
    if layout.question is not None and cells[layout.question]:
        return _answered(row.number, cells, layout)
    return Block("row", "; ".join(_named(cells, layout, filled)), row_number=row.number)


def _is_category(text: str, column: int, layout: Layout) -> bool:
    limit = 1 if layout.question is None else max(1, layout.question)
    return column <= limit and len(text) <= 100 and not reads_as_question(text) and not text.endswith(".")


def _named(cells: Sequence[str], layout: Layout, columns: Sequence[int]) -> list[str]:
    names = {i: layout.headers[i] if i < len(layout.headers) else "" for i in columns}
    return [f"{names[i]}: {cells[i]}" if names[i] else cells[i] for i in columns]


def _question_of_draft(row: SheetRow, layout: Layout) -> list[Block]:
    """The question of a row that bidfolio has filled: which of its other cells it wrote nobody knows for certain."""
    cells = row.cells + ("",) * (len(layout.headers) - len(row.cells))
    if layout.question is None or not cells[layout.question]:
        return []
    return [Block("question", cells[layout.question], row_number=row.number, section=_section(cells, layout))]


def _section(cells: Sequence[str], layout: Layout) -> str:
    return cells[layout.category].replace("\n", " ") if layout.category is not None else ""


def _answered(number: int, cells: Sequence[str], layout: Layout) -> Block:
    question = layout.question or 0
    lines = [cells[question]]
    marked = [layout.headers[i] for i in layout.choices if cells[i].strip().lower() in _MARKS]
    answer = cells[layout.answer] if layout.answer is not None else ""
    if marked or answer:
        lines.append("Answer: " + " ".join([*marked, *([answer] if answer else [])]))
    if layout.comments is not None and cells[layout.comments]:
        lines.append("Comments: " + cells[layout.comments])
    used = {question, layout.answer, layout.comments, layout.category}
    # A choice that holds words, not a mark, is kept like any other column.
    used |= {i for i in layout.choices if cells[i].strip().lower() in _MARKS}
    others = [i for i, cell in enumerate(cells) if cell and i not in used]
    is_answered = len(lines) > 1 or not all(map(_ASKED.search, (layout.headers[i] for i in others)))
    lines += _named(cells, layout, others)
    kind: ElementKind = "row" if is_answered else "question"
    return Block(kind, "\n".join(lines), row_number=number, section=_section(cells, layout))
