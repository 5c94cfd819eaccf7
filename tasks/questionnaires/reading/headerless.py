"""Sheets of questions without a header: a column of questions, cells that end in "Answer:", boxes below questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.column_detection import Columns
from tasks.questionnaires.reading.layout import QuestionRow, SheetLayout
from tasks.questionnaires.reading.sections import AskedRow
from tasks.questions.wording import header_role, is_placeholder, looks_like_question, words_of
from tasks.spreadsheets.question_labels import bare_kind, refers

LEAST_QUESTIONS = 3
SURE = 0.6
"""The share of a column's cells with several words that ask, from which it is surely a column of questions."""
_LAST_LINE = re.compile(r"\n\s*(?P<label>[^\n]{1,40})\s*$")


def columns_without_header(grid: Grid) -> Columns | None:
    """The columns of a sheet whose questions have no header; None where no column surely has questions.

    The answers go to the first column on the right that is empty beside all questions.
    """
    texts = _by_column(grid)
    shares = {column: _asking(cells) for column, cells in texts.items()}
    sure = [column for column, share in shares.items() if share >= SURE and _asked(texts[column]) >= LEAST_QUESTIONS]
    if not sure:
        return None
    column = max(sure, key=lambda at: _asked(texts[at]))
    return columns_of(grid, column)


def columns_of(grid: Grid, question: int) -> Columns:
    """The columns of a sheet without a header whose questions stand in the column ``question``."""
    cells = _by_column(grid).get(question, {})
    first = min((row for row, text in cells.items() if looks_like_question(text)), default=min(cells, default=1))
    rows, above = [row for row in cells if row >= first], grid.row(first - 1)
    numbers = (at for at in range(question - 1, 0, -1) if _numbers(grid, rows, at))
    return Columns(
        header_row=first - 1,
        last_header_row=first - 1,
        question=question,
        id=next(numbers, None),
        section=None,
        answer=_answer_column(grid, rows, question),
        comment=None,
        verdicts=(),
        # The titles of an earlier fill with the evidence inline stand in the row above the first question.
        review=tuple((title.casefold(), at) for at, title in above.items() if header_role(title) == "review"),
        headers={},
    )


def _answer_column(grid: Grid, rows: Sequence[int], question: int) -> int:
    """The column right of the questions with a dropdown or a placeholder beside them, else the first empty one."""
    used = {column for row in rows for column, text in grid.texts[row].items() if not is_placeholder(text)}
    last = max((column for row in rows for column in grid.texts[row]), default=question)
    free = [column for column in range(question + 1, last + len(used) + 2) if column not in used]
    own = [column for column in free if all(grid.anchor(row, column) == (row, column) for row in rows)] or free
    made = [column for column in own if any(grid.text(row, column) or grid.choices(row, column) for row in rows)]
    return (made or own)[0]


def read_boxes(grid: Grid) -> tuple[SheetLayout, tuple[AskedRow, ...]] | None:
    """Read a sheet that has an empty box, merged from several rows, below each question; None for any other."""
    asked: list[AskedRow] = []
    rows: list[QuestionRow] = []
    for number, cells in sorted(grid.texts.items()):
        column, text = max(cells.items())
        area = grid.merge(number + 1, column)
        is_box = area is not None and area.top == number + 1 and area.bottom > area.top and area.left <= column
        if area is not None and is_box and not grid.text(area.top, area.left) and len(words_of(text)) > 1:
            front = (cells[before].strip() for before in sorted(cells) if before < column)
            asked.append(AskedRow(number, text.strip(), next(filter(refers, front), ""), ""))
            rows.append(QuestionRow("", number + 1, answer_at=(area.top, area.left)))
    if len(rows) < 2:
        return None
    return labelled_layout(grid, rows, max(grid.texts[asked[0].row_number])), tuple(asked)


def read_ending_in_labels(grid: Grid) -> tuple[SheetLayout, tuple[AskedRow, ...]] | None:
    """Read a sheet whose cells hold a question and, in their last line, the label of its answer; else None."""
    asked: list[AskedRow] = []
    rows: list[QuestionRow] = []
    column = 0
    for number, cells in sorted(grid.texts.items()):
        for at, text in cells.items():
            found = _LAST_LINE.search(text)
            if found and bare_kind(found["label"]) == "answer":
                column = column or at
                front = (cells[before].strip() for before in sorted(cells) if before < at)
                asked.append(AskedRow(number, text[: found.start()].strip(), next(filter(refers, front), ""), ""))
                rows.append(QuestionRow("", number, answer_at=(number, at), label=text.strip()))
    if len(rows) < 2:
        return None
    return labelled_layout(grid, rows, column), tuple(asked)


def labelled_layout(grid: Grid, rows: Sequence[QuestionRow], question: int) -> SheetLayout:
    """The layout of a sheet with a place of its own for each answer; ``question`` is the column of the questions."""
    cells = [row.answer_at or (row.row_number, question) for row in rows]
    return SheetLayout(
        sheet_name=grid.sheet_name,
        header_row=max(0, rows[0].row_number - 1),
        question_column=question,
        id_column=None,
        answer_column=cells[0][1],
        comment_column=None,
        verdict_columns=(),
        last_column=max(grid.last_column([row for row, _ in cells]), *(column for _, column in cells)),
        review_columns=(),
        rows=tuple(rows),
        answered_rows=(),
        is_stacked=True,
    )


def _by_column(grid: Grid) -> dict[int, dict[int, str]]:
    found: dict[int, dict[int, str]] = {}
    for row, cells in grid.texts.items():
        for column, text in cells.items():
            found.setdefault(column, {})[row] = text
    return found


def _asked(cells: Mapping[int, str]) -> int:
    return sum(map(looks_like_question, cells.values()))


def _asking(cells: Mapping[int, str]) -> float:
    wordy = [text for text in cells.values() if len(words_of(text)) > 2 and not refers(text)]
    return sum(map(looks_like_question, wordy)) / len(wordy) if wordy else 0.0


def _numbers(grid: Grid, rows: list[int], column: int) -> bool:
    texts = [grid.text(row, column) for row in rows]
    return 2 * sum(map(refers, texts)) >= len(rows)
