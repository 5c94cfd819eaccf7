"""Classification of the rows below a header: questions, section titles, and neither."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questions.wording import looks_like_question

MAX_TITLE = 120


class AskedRow(NamedTuple):
    """A row with a question: number, text, the customer's reference ('' without one) and section."""

    row_number: int
    text: str
    reference: str
    section: str


class _Habits(NamedTuple):
    """Features that most question rows of the sheet have, so that a row without them stands out."""

    references: frozenset[str]
    have_references: bool
    have_dropdowns: bool


def asked_rows(grid: Grid, columns: Columns) -> Iterator[AskedRow]:
    """The questions of a sheet from top to bottom, each with its section, from a title above it or from a column."""
    rows = sorted(row for row in grid.texts if row > columns.last_header_row)
    habits = _habits(grid, columns, rows)
    header = columns.headers.get(columns.question, "").casefold()
    section = column_section = ""
    for row in rows:
        if columns.section is not None:
            column_section = grid.written(row, columns.section) or column_section
        text = grid.text(row, columns.question)
        if not text:
            area = grid.merge(row, columns.question)
            if area and area.top < row:
                continue  # the question above goes on here
            section = _title(grid, columns, row) or section
        elif text.casefold() == header or not any(letter.isalpha() for letter in text):
            continue
        elif _is_title(grid, columns, row, habits):
            section = _title(grid, columns, row) or section
        else:
            yield AskedRow(row, text, grid.written(row, columns.id), column_section or section)


def answer_columns(columns: Columns) -> tuple[int, ...]:
    """The columns that the supplier writes the answer in: the verdict columns, else the answer column."""
    crossed = tuple(column for _, column in columns.verdicts)
    return crossed or ((columns.answer,) if columns.answer else ())


def _habits(grid: Grid, columns: Columns, rows: list[int]) -> _Habits:
    asking = [row for row in rows if grid.text(row, columns.question)]
    references = [grid.text(row, columns.id) for row in asking] if columns.id else []
    dropdowns = [bool(columns.answer and grid.choices(row, columns.answer)) for row in asking]
    most = 0.6 * len(asking)
    return _Habits(frozenset(references), sum(map(bool, references)) > most, sum(dropdowns) > most)


def _is_title(grid: Grid, columns: Columns, row: int, habits: _Habits) -> bool:
    """Tell if the text in the question column is a section title and not a question."""
    area = grid.merge(row, columns.question)
    if area and any(area.holds(row, column) for column in answer_columns(columns)):
        return True  # there is no answer cell of its own to write to
    text = grid.text(row, columns.question)
    others = set(grid.texts[row]) - {columns.question, columns.id, columns.section}
    if others or len(text) > MAX_TITLE or looks_like_question(text):
        return False
    reference = grid.text(row, columns.id) if columns.id else ""
    if habits.have_references and not reference:
        return True
    if reference and any(other.startswith(f"{reference.rstrip('.')}.") for other in habits.references - {reference}):
        return True
    return habits.have_dropdowns and not (columns.answer and grid.choices(row, columns.answer))


def _title(grid: Grid, columns: Columns, row: int) -> str:
    ours = {*answer_columns(columns), columns.comment, *(column for _, column in columns.review)}
    # Some repeat the header beside each section's name.
    parts = [
        text.strip()
        for column, text in sorted(grid.texts[row].items())
        if column not in ours and text.strip() != columns.headers.get(column)
    ]
    return " ".join(dict.fromkeys(parts)) if len(parts) <= 2 and sum(map(len, parts)) <= 2 * MAX_TITLE else ""
