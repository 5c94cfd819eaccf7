"""Classification of the rows below a header: questions, section titles, and neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questions.wording import header_role, is_example, is_note, is_sum, looks_like_question, words_of
from tasks.spreadsheets.question_labels import refers

MAX_TITLE = 120
LEAST_ASKING = 3
NUMBERED = 0.7
"""The share of questions with references from which a text without one is none."""
MAX_TITLE_WORDS = 8
"""The most words of a title that is known by its bold letters."""
_MARKS = " .:)-"
_PART = re.compile(r"[.\- ]+")
"""The marks between the parts of a reference: "2.1.00-01"."""


class AskedRow(NamedTuple):
    """A row with a question: number, text, the customer's reference ('' without one) and section."""

    row_number: int
    text: str
    reference: str
    section: str


class _Habits(NamedTuple):
    """Features that most question rows of the table have, so that a row without them stands out.

    ``parents`` are the references that others continue: "2.1" where there is a "2.1.4" or "2.1-4".
    """

    parents: frozenset[str]
    have_references: bool
    are_numbered: bool
    have_dropdowns: bool
    are_asking: bool
    are_unlocked: bool
    are_plain: bool


def asked_rows(grid: Grid, columns: Columns, title: str = "") -> Iterator[AskedRow]:
    """The questions of a table from top to bottom, each with its section: from a title above it, from a column, or the
    table's own ``title``.
    """
    rows = sorted(row for row in grid.texts if row > columns.last_header_row)
    habits = _habits(grid, columns, rows)
    header = columns.headers.get(columns.question, "").casefold()
    section, column_section, is_over = title, "", False
    for row in rows:
        if columns.section is not None:
            column_section = grid.written(row, columns.section) or column_section
        text = grid.text(row, columns.question)
        if not text:
            area = grid.merge(row, columns.question)
            if area and area.top < row:
                continue  # the question above goes on here
            section = _title(grid, columns, row) or section
        elif text.casefold() == header or _is_no_question(grid, columns, row):
            continue
        elif habits.are_numbered and not grid.written(row, columns.id) and (is_over or _ends_table(grid, columns, row)):
            is_over = True
        elif _is_title(grid, columns, row, habits):
            section = _title(grid, columns, row) or section
        else:
            is_over = False
            yield AskedRow(row, text, grid.written(row, columns.id), column_section or section)


def _is_no_question(grid: Grid, columns: Columns, row: int) -> bool:
    """Tell if a row is an example, a note or a sum, or has only a number or reference where its question would be."""
    text = grid.text(row, columns.question)
    if not any(letter.isalpha() for letter in text) or refers(text):
        return True
    if not grid.written(row, columns.id) and (is_note(text) or is_sum(text)):
        return True
    return is_example(text) or is_example(grid.written(row, columns.id))


def _ends_table(grid: Grid, columns: Columns, row: int) -> bool:
    """Tell if a row without a reference, where the others have one, is a sum or a note below the table."""
    ours = {columns.question, columns.section, columns.comment, *answer_columns(columns)}
    has_others = bool(set(grid.texts[row]) - ours - _asked_twice(columns))
    is_computed = any(grid.anchor(row, column) in grid.formulas for column in answer_columns(columns))
    return row - 1 not in grid.texts or has_others or is_computed


def _asked_twice(columns: Columns) -> set[int]:
    """The columns of questions: in a questionnaire of two languages, each stands in two."""
    return {column for column, head in columns.headers.items() if header_role(head) == "question"}


def answer_columns(columns: Columns) -> tuple[int, ...]:
    """The columns that the supplier writes the answer in: the verdict columns, else the answer column."""
    crossed = tuple(column for _, column in columns.verdicts)
    return crossed or ((columns.answer,) if columns.answer else ())


def _habits(grid: Grid, columns: Columns, rows: list[int]) -> _Habits:
    asking = [row for row in rows if grid.text(row, columns.question) and not _is_no_question(grid, columns, row)]
    references = [grid.text(row, columns.id) for row in asking] if columns.id else []
    dropdowns = [bool(columns.answer and grid.choices(row, columns.answer)) for row in asking]
    plain = [(row, columns.question) not in grid.bold for row in asking]
    most = 0.6 * len(asking)
    return _Habits(
        _parents(filter(None, references)),
        have_references=sum(map(bool, references)) >= most > 0,
        are_numbered=_are_numbered(grid, columns, asking),
        have_dropdowns=sum(dropdowns) > most,
        are_asking=sum(looks_like_question(grid.text(row, columns.question)) for row in asking) > most,
        are_unlocked=sum(_is_unlocked(grid, columns, row) for row in asking) > most,
        are_plain=sum(plain) > most,
    )


def _are_numbered(grid: Grid, columns: Columns, rows: list[int]) -> bool:
    """Tell if the questions have references, by those that plainly ask where there are some.

    Sums and notes may follow on the last reference.
    """
    last = max((row for row in rows if grid.written(row, columns.id)), default=0)
    rows = [row for row in rows if row <= last]
    asking = [row for row in rows if looks_like_question(grid.text(row, columns.question))]
    shown = asking if len(asking) >= LEAST_ASKING else rows
    return sum(bool(grid.written(row, columns.id)) for row in shown) >= NUMBERED * len(shown) > 0


def _parents(references: Iterable[str]) -> frozenset[str]:
    """The references that others continue behind a stop, a dash or a blank, without their own last mark."""
    found: set[str] = set()
    for reference in references:
        parts = _PART.split(reference.strip().rstrip(_MARKS))
        marks = _PART.findall(reference)
        above = parts[0]
        for mark, part in zip(marks, parts[1:], strict=False):
            found.add(above)
            above += mark + part
    return frozenset(found)


def _is_unlocked(grid: Grid, columns: Columns, row: int) -> bool:
    return any(grid.anchor(row, column) in grid.unlocked for column in answer_columns(columns))


def _is_title(grid: Grid, columns: Columns, row: int, habits: _Habits) -> bool:
    """Tell if the text in the question column is a section title and not a question."""
    area = grid.merge(row, columns.question)
    if area and any(area.holds(row, column) for column in answer_columns(columns)):
        return True  # there is no answer cell of its own to write to
    text = grid.text(row, columns.question)
    if len(text) > MAX_TITLE or looks_like_question(text):
        return False
    if not columns.headers and len(words_of(text)) <= MAX_TITLE_WORDS:
        return True  # without a header only what asks is a question
    reference = grid.text(row, columns.id) if columns.id else ""
    has_dropdown = bool(columns.answer and grid.choices(row, columns.answer))
    is_answered = any(grid.text(row, column) for column in answer_columns(columns))
    # One dropdown may cover the whole column, titles and all.
    has_place = has_dropdown and habits.have_dropdowns and not habits.are_asking
    if reference.rstrip(_MARKS) in habits.parents and not has_place and not is_answered:
        return True
    if habits.are_numbered and not reference:
        return True
    if set(grid.texts[row]) - {columns.question, columns.id, columns.section} - _asked_twice(columns):
        return False
    if habits.have_references and not reference:
        return True
    if habits.are_unlocked and not _is_unlocked(grid, columns, row):
        return True
    if habits.are_plain and (row, columns.question) in grid.bold and len(words_of(text)) <= MAX_TITLE_WORDS:
        return True
    return habits.have_dropdowns and not has_dropdown


def _title(grid: Grid, columns: Columns, row: int) -> str:
    ours = {*answer_columns(columns), columns.comment, *(column for _, column in columns.review)}
    # Some repeat the header beside each section's name.
    parts = [
        text.strip()
        for column, text in sorted(grid.texts[row].items())
        if column not in ours and text.strip() != columns.headers.get(column)
    ]
    return " ".join(dict.fromkeys(parts)) if len(parts) <= 2 and sum(map(len, parts)) <= 2 * MAX_TITLE else ""
