"""Placement of answers in cells: nothing is overwritten, and nothing is lost.

A text without a free cell of the customer's goes to the column ``bidfolio answer``, and the status says why. That
happens without an answer or comment column, for a cell that a person filled, a formula, a word that the dropdown
lacks, a text where only a yes or no belongs, and a text that is too long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import FilledAnswer, QuestionRow, SheetLayout
from tasks.questionnaires.reading.legend import meaning, spell
from tasks.questions.review_columns import ANSWER_TITLE, REVIEW_TITLES
from tasks.questions.wording import is_placeholder

LAST_COLUMN = 16_384
NO_CHOICE = "the answer column has no choice for this answer"
NO_TEXT = "the answer column takes a yes or no, and no text"
MOST_SHOWN = 6
"""The choices of a dropdown that a note names; of more it names the first and the last."""
WIDTHS = {
    ANSWER_TITLE: 60.0,
    "bidfolio verdict": 17.0,
    "bidfolio confidence": 20.0,
    "bidfolio citations": 45.0,
    "bidfolio status": 60.0,
}


class CellWrite(NamedTuple):
    """A text to write to a cell. A new column takes the style of the cell ``like``; None keeps the cell's own style."""

    row: int
    column: int
    text: str
    like: tuple[int, int] | None = None


class Placement(NamedTuple):
    """The cells to write, and the width of each new column."""

    cells: tuple[CellWrite, ...]
    widths: dict[int, float]


class _Row(NamedTuple):
    """A row while it is placed: ``spare`` are texts without a cell so far, ``notes`` follow the status."""

    cells: list[CellWrite]
    spare: list[str]
    notes: list[str]


def place_answers(grid: Grid, layout: SheetLayout, answers: Mapping[str, FilledAnswer]) -> Placement:
    """The cells for the answers to this sheet's questions; none where no answer is for this sheet.

    Raises UsageError where the sheet has no free column left.
    """
    taken: set[tuple[int, int]] = set()
    rows = {
        row.row_number: (answer, _place_row(grid, layout, row, answer, taken))
        for row in layout.places
        if (answer := answers.get(row.question_id))
    }
    if not rows:
        return Placement((), {})
    no_answer_cell = layout.answer_column is None and not layout.verdict_columns
    titles = [ANSWER_TITLE] if no_answer_cell or any(row.spare for _, row in rows.values()) else []
    columns, new = _review_columns(layout, [*titles, *REVIEW_TITLES])
    header = (layout.header_row, layout.question_column)
    # Without a header row the columns stay without titles.
    cells = [CellWrite(layout.header_row, column, title, header) for title, column in new.items() if layout.header_row]
    for number, (answer, row) in rows.items():
        question = (number, layout.question_column)
        texts = dict(zip(REVIEW_TITLES, _review_texts(answer), strict=True))
        if spare := "\n".join(row.spare):
            old = grid.text(number, columns[ANSWER_TITLE])
            if old in ("", spare):
                texts[ANSWER_TITLE] = spare
            else:
                row.notes.append("the text already in 'bidfolio answer' is kept")
        elif ANSWER_TITLE in new:
            texts[ANSWER_TITLE] = ""
        texts["bidfolio status"] = "; ".join([texts["bidfolio status"], *row.notes])
        cells += row.cells
        cells += [CellWrite(number, columns[title], text, question) for title, text in texts.items()]
    return Placement(tuple(cells), {column: WIDTHS[title] for title, column in new.items()})


def _place_row(
    grid: Grid, layout: SheetLayout, row: QuestionRow, answer: FilledAnswer, taken: set[tuple[int, int]]
) -> _Row:
    placed = _Row([], [], [])

    def put(name: str, at: tuple[int, int], text: str, limit: int | None) -> bool:
        """Write the text to the cell, or to the top left of its merged range, if it may go there; True if it did."""
        cell = grid.anchor(*at)
        old = grid.text(*cell)
        if row.label and old == row.label:
            # The label of the answer stands in the answer's own cell.
            old, text = "", f"{row.label} {text}"
        if cell in grid.formulas:
            placed.notes.append(f"the {name} cell holds a formula and is kept")
        elif cell in taken:
            placed.notes.append(f"the {name} cell is shared with another question or column")
        elif old and not is_placeholder(old):
            placed.notes.append(f"the {name} already in the file is kept")
        elif limit is not None and len(text) > limit:
            placed.notes.append(f"the {name} cell takes {limit} characters, and the text has {len(text)}")
        else:
            taken.add(cell)
            placed.cells.append(CellWrite(*cell, text))
            return True
        return False

    comment = answer.comment_text
    answered = row.row_number in layout.answered_rows
    is_wordless = bool(row.choices) and not (spell("yes", layout, row) or spell("no", layout, row))
    misfit = NO_TEXT if layout.yes_no_only and not row.choices else NO_CHOICE
    if is_wordless:
        misfit = f"the answer column asks for one of {_shown(row.choices)}: choose one"
    if answered:
        placed.notes.append("the answer already in the file is kept")
    if answer.status not in ("declined", "failed") and (answer.answer_text or answer.verdict):
        text, column, unfit = _answer_cell(layout, row, answer)
        beside = None if column is None else (row.row_number, column)
        at = layout.answer_cell(row) if beside and column == layout.answer_column else beside
        if at is None or answered or not put("answer", at, text, row.max_answer):
            unfit = unfit or answer.answer_text
        has_place = layout.answer_column is not None or (bool(layout.verdict_columns) and answer.verdict is not None)
        if (unfit or is_wordless) and column is None and has_place:
            placed.notes.append(misfit)
        if unfit and not comment and not answered and meaning(unfit, layout) is None:
            comment, unfit = unfit, ""
        placed.spare.extend(filter(None, [unfit]))
    elif not answered and (
        (is_wordless and answer.status == "needs_review")
        or ((row.choices or layout.yes_no_only) and answer.status == "answered")
    ):
        placed.notes.append(misfit)
    if comment:
        cell = layout.comment_cell(row)
        if cell is None or answered or not put("comment", cell, comment, row.max_comment):
            placed.spare.append(comment)
    if not placed.spare and NO_TEXT in placed.notes:
        placed.notes.remove(NO_TEXT)  # the text has its place
    return placed


def _shown(choices: Sequence[str]) -> str:
    """The choices of a dropdown in a line; of many the first and the last."""
    return ", ".join(choices) if len(choices) <= MOST_SHOWN else f"{choices[0]} … {choices[-1]}"


def _answer_cell(layout: SheetLayout, row: QuestionRow, answer: FilledAnswer) -> tuple[str, int | None, str]:
    """The text for the answer cell, its column (None if none fits), and the text that does not fit in."""
    text = answer.answer_text
    verdict = answer.verdict or meaning(text, layout)
    bare = not text or meaning(text, layout) is not None
    if layout.verdict_columns:
        column = next((c for v, c in layout.verdict_columns if v == verdict), None)
        return "x", column, "" if bare and column else text
    if layout.yes_no_only and not row.choices:
        word = text if text and bare else spell(verdict, layout, row) if verdict else ""
        return word or "", layout.answer_column if word else None, "" if bare else text
    if not row.choices:
        is_long = row.max_answer is not None and len(text) > row.max_answer
        if is_long and verdict and (word := spell(verdict, layout, row)):
            return word, layout.answer_column, text
        return text, layout.answer_column if text else None, ""
    choice = next((c for c in row.choices if c.casefold() == text.strip().casefold()), None)
    if choice:
        return choice, layout.answer_column, ""
    choice = spell(verdict, layout, row) if verdict else None
    return choice or "", layout.answer_column if choice else None, "" if bare and choice else text


def _review_texts(answer: FilledAnswer) -> tuple[str, str, str, str]:
    verdict: str = answer.verdict or answer.proposed_verdict or ""
    if verdict and answer.verdict_probability is not None:
        verdict = f"{'' if answer.verdict else 'proposed: '}{verdict} ({answer.verdict_probability:.0%})"
    value = "" if answer.confidence is None else f"{answer.confidence:.2f}"
    both = answer.confidence_label and value
    confidence = f"{answer.confidence_label} ({value})" if both else answer.confidence_label or value
    status = f"{answer.status}: {answer.reason}" if answer.reason else answer.status
    return verdict, confidence, answer.citations, status


def _review_columns(layout: SheetLayout, titles: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """The column of each title, and the new ones among these; columns of an earlier fill are reused."""
    columns = dict(layout.review_columns)
    new: dict[str, int] = {}
    for title in titles:
        if title not in columns:
            columns[title] = new[title] = layout.last_column + len(new) + 1
    if max(columns.values()) > LAST_COLUMN:
        raise UsageError(f"sheet {layout.sheet_name!r}: no free column is left to the right. Delete unused columns.")
    return columns, new
