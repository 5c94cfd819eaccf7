"""Which row of a sheet is its header, and what its columns are: the question, the answer, comments, choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tasks.conversion.heading_age import Ages, compare_ages, is_earlier, is_time_before

HEADER_SEARCH_ROWS = 40
MAX_HEADER_CHARACTERS = 80
ROWS_BELOW = 5
"""So many rows tell whether the one above them is their header."""

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
_ASKS = re.compile(
    r"(do|does|did|is|are|was|were|can|could|will|would|has|have|had|should|must|what|which|who|whom|where|when|why|how|"
    r"describe|provide|please|list|explain|state|confirm|specify|indicate|detail|outline|identify|if)\b",
    re.I,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CHOICE = re.compile(r"(yes|no|n/?a|not applicable|partial(?:ly)?)", re.I)


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

    ``choices`` are columns named Yes, No or N/A in which a mark is the answer. What stands in the columns ``earlier``
    was the answer, or its comment, before.
    """

    header_index: int
    headers: tuple[str, ...]
    question: int | None = None
    answer: int | None = None
    comments: int | None = None
    category: int | None = None
    choices: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()


def find_layout(rows: Sequence[SheetRow]) -> Layout | None:
    """The sheet's header row and columns; None where no row among the first forty reads as a header."""
    header_index = find_header(rows)
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
    answers = compare_ages([i for i in free if _ANSWER.search(headers[i]) and not _is_aside(headers[i])], headers)
    if answers.latest is None and not choices and not answers.earlier:
        return Layout(header_index, headers)
    remarks = [i for i in free if i > question and i not in answers.known and _COMMENT.search(headers[i])]
    comments = _comments(answers, choices, remarks, headers)
    earlier = {*answers.earlier, *comments.earlier, *(i for i in free if is_time_before(headers[i]))}
    rest = (i for i in free if i not in earlier and i not in (answers.latest, comments.latest))
    category = next((i for i in rest if _CATEGORY_WORD.search(headers[i])), None)
    return Layout(
        header_index, headers, question, answers.latest, comments.latest, category, choices, tuple(sorted(earlier))
    )


def _comments(answers: Ages, choices: Sequence[int], remarks: Sequence[int], headers: Sequence[str]) -> Ages:
    """Which of the columns ``remarks`` is on the latest answer, and which are on earlier ones."""
    if not answers.earlier:
        earlier = [i for i in remarks if is_earlier(headers[i])]
        return Ages(next((i for i in remarks if i not in earlier), None), tuple(earlier))
    latest = answers.latest if answers.latest is not None else min(choices, default=None)
    before = [i for i in answers.earlier if latest is None or i < latest]
    # What stands behind an earlier answer and before the latest is on the earlier one.
    ours = [i for i in remarks if not before or i < before[0] or (latest is not None and i > latest)]
    compared = compare_ages(ours, headers)
    return Ages(compared.latest, (*compared.earlier, *(i for i in remarks if i not in ours)))


def reads_as_question(text: str) -> bool:
    """Whether ``text`` asks for something: it ends in a question mark or begins with an asking word."""
    stripped = text.strip()
    return stripped.endswith("?") or (len(stripped) > 15 and _ASKS.match(stripped) is not None)


def filled_cells(cells: Sequence[str]) -> list[str]:
    """Those of the cells that are not empty."""
    return [cell for cell in cells if cell]


def _is_aside(header: str) -> bool:
    return bool(_NOT_ANSWER.search(header)) or (bool(_COMMENT.search(header)) and not _ANSWER.match(header.strip()))


def find_header(rows: Sequence[SheetRow]) -> int | None:
    """The index of the row that reads most as the header of those below; None where none does."""
    best: tuple[float, int] | None = None
    for index, row in enumerate(rows[:HEADER_SEARCH_ROWS]):
        score = header_score(row, rows[index + 1 : index + 1 + ROWS_BELOW])
        if score > 0 and (best is None or score > best[0]):
            best = score, index
    return best[1] if best else None


def header_score(row: SheetRow, below: Sequence[SheetRow]) -> float:
    """How much a row reads as a header of those below; 0 where it cannot be one."""
    cells = filled_cells(row.cells)
    if len(cells) < 2 or not below or len(set(cells)) < len(cells):
        return 0
    named = [cell for at, cell in enumerate(cells) if not (at and _YEAR.fullmatch(cell))]
    if any(len(cell) > MAX_HEADER_CHARACTERS or not any(c.isalpha() or c == "#" for c in cell) for cell in named):
        return 0
    if any(reads_as_question(cell) and not _QUESTION.search(cell) for cell in cells):
        return 0
    words = header_words(row)
    columns = {i for i, cell in enumerate(row.cells) if cell}
    covered = [sum(1 for i in columns if i < len(other.cells) and other.cells[i]) / len(columns) for other in below]
    if max(covered) < 0.5 and words < 2:
        return 0
    # The further down, the less likely; a row with no header word needs rows below that differ in kind.
    plain = words == 0
    if plain and not _differs(row, below, columns):
        return 0
    return min(words, 6) + 0.3 * len(cells) + sum(covered) / len(covered) + (0 if plain else 1)


def header_words(row: SheetRow) -> int:
    """How many words of the row are such as headers are made of."""
    words = (_QUESTION, _ANSWER, _COMMENT, _HEADER_WORD)
    return sum(bool(known.search(cell)) for cell in filled_cells(row.cells) for known in words)


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
