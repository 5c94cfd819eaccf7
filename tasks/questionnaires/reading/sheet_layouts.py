"""Layouts of the tables of a sheet: the columns, the rows of the questions, and what their cells take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questionnaires.reading.layout import Fact, QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow, answer_columns
from tasks.questionnaires.reading.yes_no_column import takes_yes_no_only, words_taken
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import (
    character_limit,
    choices_to_tick,
    fact_words,
    is_placeholder,
    limit_of_cell,
    looks_like_question,
    words_of,
)
from tasks.spreadsheets.choice_columns import is_empty_box

_WHO = frozenset({"general", "contact", "company", "vendor", "supplier", "bidder", "respondent", "tenderer"})
_ABOUT = frozenset({"information", "details", "data", "contact", "contacts", "info"})
MAX_LABEL_WORDS = 10


class ReadSheet(NamedTuple):
    """The layout of a table, whose rows have no ids yet, its questions, and the title of its answer column."""

    layout: SheetLayout
    rows: tuple[AskedRow, ...]
    answer_title: str = ""


def lay_out(grid: Grid, columns: Columns, rows: Sequence[AskedRow], *, is_given: bool = False) -> ReadSheet:
    """The layout of a table in the sheet ``grid``, with ``rows`` of questions and of facts about the company."""
    asked = [row for row in rows if not _is_fact(row)]
    facts = [row for row in rows if _is_fact(row)]
    numbers = [row.row_number for row in asked]
    written = {row: [grid.written(row, at) for at in answer_columns(columns)] for row in numbers}
    layout = SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=columns.header_row,
        question_column=columns.question,
        id_column=columns.id,
        answer_column=columns.answer,
        comment_column=columns.comment,
        verdict_columns=columns.verdicts,
        last_column=grid.last_column([columns.header_row, *(row.row_number for row in rows)]),
        review_columns=columns.review,
        rows=tuple(_place(grid, columns, row) for row in asked),
        answered_rows=tuple(
            row
            for row, texts in written.items()
            if any(text and not is_placeholder(text) and not is_empty_box(text) for text in texts)
        ),
        yes_no_only=takes_yes_no_only(grid, columns, numbers),
        words=words_taken(grid, columns, numbers),
        facts=tuple(Fact(row.text, _place(grid, columns, row)) for row in facts),
        section_column=columns.section,
        titles=columns.headers,
        is_given=is_given,
    )
    return ReadSheet(layout, tuple(asked), columns.headers.get(columns.answer or 0, ""))


def _is_fact(row: AskedRow) -> bool:
    """Tell if a row asks for a fact about the supplier's company: by its label, or by its section for any label."""
    if fact_words(row.text):
        return True
    words = frozenset(words_of(row.section))
    is_general = len(words) <= 4 and bool(words & _WHO) and bool(words & _ABOUT)
    return is_general and len(words_of(row.text)) <= MAX_LABEL_WORDS and not looks_like_question(row.text)


def _place(grid: Grid, columns: Columns, row: AskedRow) -> QuestionRow:
    return QuestionRow(
        "",
        row.row_number,
        _choices(grid, row.row_number, columns.answer),
        _limit(grid, columns, row, columns.answer),
        _limit(grid, columns, row, columns.comment),
    )


def _choices(grid: Grid, row: int, column: int | None) -> tuple[str, ...]:
    """The choices of a cell's dropdown, else those that it has to tick; none for no column."""
    if column is None:
        return ()
    cell = grid.anchor(row, column)
    return grid.choices(*cell) or choices_to_tick(grid.text(*cell))


def _limit(grid: Grid, columns: Columns, row: AskedRow, column: int | None) -> int | None:
    """The length limit of a cell, from the row, the column's header and the validation; None without one."""
    stated = [limit_of_cell(title, grid.text(row.row_number, at)) for at, title in columns.headers.items()]
    limits = [*stated, without_limit(row.text)[1]]
    if column is not None:
        cell = grid.anchor(row.row_number, column)
        limits += [character_limit(columns.headers.get(column, "")), grid.max_characters(*cell)]
    return min(filter(None, limits), default=None)
