"""Which row of a sheet is its header, and what its columns are: the question, the answer, comments, choices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
_QUESTION_HEADING = re.compile(
    r"(?:.{0,25} )?questions?(?: .{0,15})?|"
    r"(?:security |control )?(?:requirements?|controls?|criteri(?:a|on)|specification|statement)"
    r"(?: description| text)?",
    re.I,
)
_GRADE = re.compile(r"\d{1,2}")
_CHOICE = re.compile(r"(yes|no|n/?a|not applicable|partial(?:ly)?)", re.I)
_CROSSES = frozenset({"x", "✓", "✔", "☑", "☒", "●", "•"})
MARKS = _CROSSES | {"1", "true", "yes", "y"}


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

    ``choices`` are columns named Yes, No or N/A, or by numbers, in which a mark is the answer. What stands in the
    columns ``earlier`` was the answer, or its comment, before. ``groups`` are what stands above equal headings and
    tells them apart, "" for all others.
    """

    header_index: int
    headers: tuple[str, ...]
    question: int | None = None
    answer: int | None = None
    comments: int | None = None
    category: int | None = None
    choices: tuple[int, ...] = ()
    earlier: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()


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
    layout = Layout(header_index, headers, question, groups=_groups(rows[:header_index], rows[header_index]))
    layout = _with_answers(layout, _choices(headers, body, question))
    return layout if layout.answer is not None or layout.choices or layout.earlier else Layout(header_index, headers)


def _with_answers(layout: Layout, marked: Sequence[int]) -> Layout:
    """The layout with the columns around the answers, those of ``marked`` being for marks."""
    headers = layout.headers
    full = [f"{group} {header}".strip() for group, header in zip(layout.groups, headers, strict=True)]
    free = [i for i in range(len(headers)) if i != layout.question and i not in marked]
    chosen = compare_ages(marked, full)
    choices = tuple(i for i in marked if i not in chosen.earlier)
    answers = compare_ages([i for i in free if _ANSWER.search(headers[i]) and not _is_aside(headers[i])], full)
    before = Ages(answers.latest, (*answers.earlier, *chosen.earlier))
    if answers.latest is None and not marked and not before.earlier:
        return layout
    remarks = [i for i in free if i > (layout.question or 0) and i not in before.known and _COMMENT.search(headers[i])]
    comments = _comments(before, choices, remarks, full)
    earlier = {*before.earlier, *comments.earlier, *(i for i in free if is_time_before(headers[i]))}
    rest = (i for i in free if i not in earlier and i not in (answers.latest, comments.latest))
    return replace(
        layout,
        answer=answers.latest,
        comments=comments.latest,
        category=next((i for i in rest if _CATEGORY_WORD.search(headers[i])), None),
        choices=choices,
        earlier=tuple(sorted(earlier)),
    )


def _groups(above: Sequence[SheetRow], header: SheetRow) -> tuple[str, ...]:
    """What the row right above the header says of each heading that comes back under another: "2024" over Yes and No,
    say.
    """
    nothing = ("",) * len(header.cells)
    if not above or above[-1].number != header.number - 1:
        return nothing
    said, over = "", []
    for at in range(len(header.cells)):
        said = "".join(above[-1].cells[at : at + 1]) or said
        over.append(said)
    under: dict[str, set[str]] = {}
    for cell, group in zip(header.cells, over, strict=True):
        under.setdefault(cell, set()).add(group)
    counts = Counter(header.cells)
    is_told = {cell: bool(cell) and counts[cell] > 1 and len(under[cell]) == counts[cell] for cell in under}
    return tuple(group if is_told[cell] else "" for cell, group in zip(header.cells, over, strict=True))


def _choices(headers: Sequence[str], body: Sequence[SheetRow], question: int) -> tuple[int, ...]:
    """The columns in which a mark is an answer: two or more, or none."""
    named = [i for i, header in enumerate(headers) if _CHOICE.fullmatch(header.strip())]
    named = [i for i in named if i > question or not _counts_rows(headers, body, i)]
    grades = [i for i, header in enumerate(headers) if i > question and _GRADE.fullmatch(header.strip())]
    values = {value.strip().lower() for i in grades for value in _values(body, i)}
    if len(grades) < 2 or not values or not values <= _CROSSES:
        grades = []
    choices = sorted([*named, *grades])
    return tuple(choices) if len(choices) >= 2 else ()


def _counts_rows(headers: Sequence[str], body: Sequence[SheetRow], column: int) -> bool:
    """Whether a column before the question that is headed No holds numbers."""
    if headers[column] in headers[column + 1 :]:
        return True
    return any(value[0].isdigit() and value not in MARKS for value in _values(body, column))


def _values(body: Sequence[SheetRow], column: int) -> list[str]:
    return [row.cells[column] for row in body if column < len(row.cells) and row.cells[column]]


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


def heading(layout: Layout, column: int) -> str:
    """The heading of a column, "" where it has none."""
    return layout.headers[column] if column < len(layout.headers) else ""


def says_nothing(layout: Layout, column: int) -> bool:
    """Whether what stands in ``column`` is no answer: the customer's own, or what was answered before."""
    return column in layout.earlier or _ASKED.search(heading(layout, column)) is not None


def id_column(layout: Layout) -> int | None:
    """The column before the questions that numbers them."""
    return next((i for i in range(layout.question or 0) if _ID.search(layout.headers[i])), None)


def is_category_row(row: SheetRow, layout: Layout) -> bool:
    """Whether a row below the header is a title: one short cell, in front, that asks nothing."""
    filled = [i for i, cell in enumerate(row.cells) if cell]
    if len(filled) != 1 or row.is_partial:
        return False
    text = row.cells[filled[0]]
    limit = 1 if layout.question is None else max(1, layout.question)
    return filled[0] <= limit and len(text) <= 100 and not reads_as_question(text) and not text.endswith(".")


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
    if len(cells) < 2 or not below:
        return 0
    loose = _grades_and_equals(row, below) if any(map(_heads_questions, cells)) else frozenset()
    once = [cell for i, cell in enumerate(row.cells) if cell and i not in loose]
    if len(set(once)) < len(once):
        return 0
    named = [cell for at, cell in enumerate(once) if not (at and _YEAR.fullmatch(cell))]
    if any(len(cell) > MAX_HEADER_CHARACTERS or not any(c.isalpha() or c == "#" for c in cell) for cell in named):
        return 0
    if any(reads_as_question(cell) and not _QUESTION.search(cell) for cell in cells):
        return 0
    words = header_words(row)
    # Of many grades only one has a mark below it.
    columns = {i for i, cell in enumerate(row.cells) if cell}
    columns = columns - loose or columns
    covered = [sum(1 for i in columns if i < len(other.cells) and other.cells[i]) / len(columns) for other in below]
    if max(covered) < 0.5 and words < 2:
        return 0
    # The further down, the less likely; a row with no header word needs rows below that differ in kind.
    plain = words == 0
    if plain and not _differs(row, below, columns):
        return 0
    return min(words, 6) + 0.3 * len(cells) + sum(covered) / len(covered) + (0 if plain else 1)


def _heads_questions(cell: str) -> bool:
    return _QUESTION_HEADING.fullmatch(cell.strip()) is not None and not reads_as_question(cell)


def _grades_and_equals(row: SheetRow, below: Sequence[SheetRow]) -> frozenset[int]:
    """The columns whose headings are numbers or come back, where the rows below hold something else than such."""
    values = [_values(below, i) for i in range(len(row.cells))]
    columns = {cell: [i for i, other in enumerate(row.cells) if other == cell] for cell in row.cells if cell}
    found: set[int] = set()
    for cell, own in columns.items():
        held = {value for i in own for value in values[i]}
        is_grade = _GRADE.fullmatch(cell.strip()) is not None and not any(c.isdigit() for v in held for c in v)
        if is_grade or (len(own) > 1 and not cell.isdigit() and cell not in held):
            found.update(own)
    return frozenset(found)


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
        values = _values(body, index)
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
