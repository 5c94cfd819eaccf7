"""Layouts of a sheet: its tables of questions, and labels that ask for facts about the supplier's own company.

Such labels, as "Company name", stand on a cover sheet or above the questions, each with an empty cell beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    names_other_party,
    words_of,
)
from tasks.spreadsheets.choice_columns import is_empty_box, is_unticked

MAX_LABEL_WORDS = 10
LEAST_LABELS = 2
"""The labels of facts that show, without a title, that a form asks for the company's details."""
_WHO = frozenset({"general", "contact", "company", "vendor", "supplier", "bidder", "respondent", "tenderer"})
_ABOUT = frozenset({"information", "details", "data", "contact", "contacts", "info"})


class ReadSheet(NamedTuple):
    """The layout of a table, whose rows have no ids yet, its questions, and the title of its answer column."""

    layout: SheetLayout
    rows: tuple[AskedRow, ...]
    answer_title: str = ""


def lay_out(grid: Grid, columns: Columns, rows: Sequence[AskedRow], *, is_given: bool = False) -> ReadSheet:
    """The layout of a table in the sheet ``grid``, with ``rows`` of questions and of facts about the company."""
    asked = [row for row in rows if not is_company_fact(row.text, row.section)]
    facts = [row for row in rows if is_company_fact(row.text, row.section)]
    numbers = [row.row_number for row in asked]
    is_blank = is_unticked if columns.verdicts else is_empty_box
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
            if any(text and not is_placeholder(text) and not is_blank(text) for text in texts)
        ),
        yes_no_only=takes_yes_no_only(grid, columns, numbers),
        words=words_taken(grid, columns, numbers),
        facts=tuple(Fact(row.text, _place(grid, columns, row)) for row in facts if _is_open(grid, columns, row)),
        section_column=columns.section,
        titles=columns.headers,
        is_given=is_given,
    )
    return ReadSheet(layout, tuple(asked), columns.headers.get(columns.answer or 0, ""))


def _is_open(grid: Grid, columns: Columns, row: AskedRow) -> bool:
    text = grid.written(row.row_number, columns.answer)
    return not text or is_placeholder(text)


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


def is_about_company(title: str) -> bool:
    """Tell if a title stands above facts about the supplier: "General Information", "Contact details"."""
    words = frozenset(words_of(title))
    is_about = len(words) <= 4 and bool(words & _WHO) and bool(words & _ABOUT) and not names_other_party(title)
    return is_about and fact_words(title) <= _ABOUT  # "Contact e-mail" is a label


def is_company_fact(label: str, title: str) -> bool:
    """Tell if a label asks for a fact about the supplier: by its words, or below such a title any label."""
    if fact_words(label):
        return True
    return is_about_company(title) and len(words_of(label)) <= MAX_LABEL_WORDS and not looks_like_question(label)


def read_company_details(grid: Grid) -> list[SheetLayout]:
    """The layouts of the labels with an empty cell beside them, one for each column of labels; none where no company's
    details are asked for.
    """
    by_column: dict[int, list[Fact]] = {}
    for column, fact in _facts(grid):
        by_column.setdefault(column, []).append(fact)
    return [_details_layout(grid, column, facts) for column, facts in sorted(by_column.items())]


def _facts(grid: Grid) -> list[tuple[int, Fact]]:
    """The facts, each with the column of its label; none where too little shows that they are the supplier's."""
    found: list[tuple[int, Fact]] = []
    title, is_titled, named = "", False, 0
    for row in sorted(grid.texts):
        cells = sorted((column, text) for column, text in grid.row(row).items() if text)
        if len(cells) == 1 and _is_title(grid, row, *cells[0]):
            title = cells[0][1]
            continue
        for column, label in cells:
            place = _free_cell(grid, row, column)
            if fact_words(grid.text(row, column - 1)):
                continue  # "Name | E-mail | Phone" stands over a list
            if place is None or names_other_party(title) or not is_company_fact(label, title):
                continue
            words = fact_words(label)
            if words <= {"name"} and not is_about_company(title) and len(words_of(label)) == 1:
                continue  # "Name" above a signature is a person's
            is_titled, named = is_titled or is_about_company(title), named + bool(words)
            found.append((column, Fact(_full_label(label, title), _fact_row(grid, row, place))))
    return found if named >= LEAST_LABELS or (named and is_titled) else []


def _is_title(grid: Grid, row: int, column: int, text: str) -> bool:
    if names_other_party(text):
        return True
    is_bold = (row, column) in grid.bold and not text.endswith(":")
    # "Contact" with an empty cell beside it may be a label.
    return (is_bold and not fact_words(text)) or (is_about_company(text) and (is_bold or len(words_of(text)) > 1))


def _full_label(label: str, title: str) -> str:
    """The label with the word "Contact" of its title, without which "Name" would be the company's."""
    is_of_contact = words_of(title)[:1] == ("contact",) and "contact" not in words_of(label)
    return f"Contact {label}" if is_of_contact and fact_words(label) else label


def _free_cell(grid: Grid, row: int, column: int) -> tuple[int, int] | None:
    """The cell right of a label, which may be merged, where a person is to write; None where there is no such cell."""
    area = grid.merge(row, column)
    place = (row, (area.right if area else column) + 1)
    text = grid.written(*place)
    is_outside = grid.width and place[1] > grid.width
    if is_outside or grid.anchor(*place) in grid.formulas or (text and not is_placeholder(text)):
        return None
    return grid.anchor(*place)


def _fact_row(grid: Grid, row: int, place: tuple[int, int]) -> QuestionRow:
    return QuestionRow("", row, grid.choices(*place), grid.max_characters(*place), answer_at=place)


def _details_layout(grid: Grid, column: int, facts: list[Fact]) -> SheetLayout:
    rows = [fact.place.row_number for fact in facts]
    return SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=0,
        question_column=column,
        id_column=None,
        answer_column=next(_answer_columns(facts)),
        comment_column=None,
        verdict_columns=(),
        last_column=max(grid.last_column(rows), *_answer_columns(facts)),
        review_columns=(),
        rows=(),
        answered_rows=(),
        facts=tuple(facts),
    )


def _answer_columns(facts: list[Fact]) -> Iterator[int]:
    return (fact.place.answer_at[1] for fact in facts if fact.place.answer_at)
