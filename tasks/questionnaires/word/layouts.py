"""Layouts of a Word form's questions: of its running text, and of tables without a header row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import Fact, QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questionnaires.word.form import ANSWER, COMMENT, PARAGRAPHS, QUESTION, WordForm
from tasks.questionnaires.word.paragraphs import Asked
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import is_placeholder, looks_like_question

_MOST_REFERENCE = 12


def running_text_layouts(form: WordForm) -> Iterator[tuple[SheetLayout, tuple[AskedRow, ...]]]:
    """The questions of the running text: a layout for those with a place for comments, and one for the others."""
    for has_comment in (False, True):
        asked = [one for one in form.asked if (one.comment is not None) == has_comment]
        if asked:
            rows = tuple(_row(one) for one in asked if not one.is_fact)
            yield _layout(asked, has_comment=has_comment), rows


def headless_layout(grid: Grid) -> tuple[SheetLayout, tuple[AskedRow, ...]] | None:
    """The layout of a table without a header row: questions in one column, empty cells or choices in the next.

    None where most of its rows are not so.
    """
    columns = sorted({column for cells in grid.texts.values() for column in cells})
    for question in columns:
        rows = [row for row in sorted(grid.texts) if _is_asked(grid, row, question)]
        filled = [row for row in sorted(grid.texts) if grid.text(row, question)]
        if rows and 2 * len(rows) >= len(filled):
            return _table_layout(grid, question, rows)
    return None


def _is_asked(grid: Grid, row: int, question: int) -> bool:
    answer = _beside(grid, row, question)
    if answer > grid.width:
        return False
    text, choices = grid.text(row, question), grid.choices(row, answer)
    is_free = not grid.text(row, answer) or is_placeholder(grid.text(row, answer))
    return looks_like_question(text) and (is_free or bool(choices) or text.endswith("?"))


def _beside(grid: Grid, row: int, column: int) -> int:
    """The column of the cell to the right of a cell, which may be merged."""
    area = grid.merge(row, column)
    return (area.right if area else column) + 1


def _table_layout(grid: Grid, question: int, rows: Sequence[int]) -> tuple[SheetLayout, tuple[AskedRow, ...]]:
    answer = _beside(grid, rows[0], question)
    spare = _beside(grid, rows[0], answer)
    is_spare_free = spare <= grid.width and not any(grid.text(row, spare) for row in rows)
    comment = spare if is_spare_free and any(grid.choices(row, answer) for row in rows) else None
    before = [grid.text(row, question - 1) for row in rows] if question > 1 else []
    numbered = [any(map(str.isalnum, text)) and len(text) <= _MOST_REFERENCE for text in before]
    reference = question - 1 if before and all(numbered) else None
    layout = SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=0,
        question_column=question,
        id_column=reference,
        answer_column=answer,
        comment_column=comment,
        verdict_columns=(),
        last_column=grid.width,
        review_columns=(),
        rows=tuple(
            QuestionRow(
                "",
                row,
                grid.choices(row, answer),
                _least(without_limit(grid.text(row, question))[1], grid.max_characters(row, answer)),
            )
            for row in rows
        ),
        answered_rows=tuple(row for row in rows if grid.text(row, answer)),
    )
    asked = (AskedRow(row, grid.text(row, question), grid.written(row, reference), "") for row in rows)
    return layout, tuple(asked)


def _layout(asked: Sequence[Asked], *, has_comment: bool) -> SheetLayout:
    return SheetLayout(
        sheet_name=PARAGRAPHS,
        header_row=0,
        question_column=QUESTION,
        id_column=None,
        answer_column=ANSWER,
        comment_column=COMMENT if has_comment else None,
        verdict_columns=(),
        last_column=COMMENT,
        review_columns=(),
        rows=tuple(_place(one) for one in asked if not one.is_fact),
        answered_rows=tuple(one.number for one in asked if one.answer.text or (one.comment and one.comment.text)),
        facts=tuple(Fact(one.text, _place(one)) for one in asked if one.is_fact),
    )


def _place(one: Asked) -> QuestionRow:
    return QuestionRow(
        "",
        one.number,
        one.answer.choices,
        _least(without_limit(one.text)[1], one.answer.max_characters, one.max_characters),
        one.comment.max_characters if one.comment else None,
    )


def _row(one: Asked) -> AskedRow:
    return AskedRow(one.number, one.text, one.reference, one.section)


def _least(*limits: int | None) -> int | None:
    return min(filter(None, limits), default=None)
