"""Placement of answers in cells: nothing is overwritten, and nothing is lost.

A text may have no free cell of the customer's: without an answer or comment column, for a cell that a person filled, a
formula, a word that the dropdown lacks, a text where only a yes or no belongs, and a text that is too long. Notes say
why. With review columns, the text goes to the column ``bidfolio answer``, and the notes follow the status; without,
nothing but the customer's own cells is written, and a sheet that has no place for answers gets a column "Answer".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.filling.choice_marks import TICKED_VALUE, UNTICKED_VALUE, mark_for, ticked, usual_mark
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.formats.safe_cell_text import MAX_CELL_CHARACTERS, fits_cell
from tasks.questionnaires.reading.layout import FilledAnswer, QuestionRow, SheetLayout
from tasks.questionnaires.reading.legend import meaning, spell
from tasks.questions.review_columns import ANSWER_TITLE, REVIEW_TITLES
from tasks.questions.wording import is_placeholder
from tasks.spreadsheets.choice_columns import is_empty_box

LAST_COLUMN = 16_384
NO_CHOICE = "the answer column has no choice for this answer"
NO_TEXT = "the answer column takes a yes or no, and no text"
NO_CELL = "the file has no cell for the text"
WITHHELD = "it is not in the customer's file until somebody decides"
TICK = (UNTICKED_VALUE, TICKED_VALUE)
OWN_TITLE = "Answer"
"""The title of the column that a sheet without any place for answers gets."""
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
    """The cells to write, and the width of each new column.

    ``notes`` say by question why a text has no cell of the customer's. ``unplaced`` are the questions with a draft of
    which nothing has one, ``added`` the column that was added for the answers, None where there was a place for them.
    """

    cells: tuple[CellWrite, ...]
    widths: dict[int, float]
    notes: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    unplaced: tuple[str, ...] = ()
    added: int | None = None


class _Row(NamedTuple):
    """A row while it is placed: ``spare`` are texts without a cell so far, ``notes`` say why."""

    cells: list[CellWrite]
    spare: list[str]
    notes: list[str]


_Rows = Mapping[int, tuple[FilledAnswer, _Row]]


def place_answers(
    grid: Grid, layout: SheetLayout, answers: Mapping[str, FilledAnswer], *, review_columns: bool = True
) -> Placement:
    """The cells for the answers to this sheet's questions; none where no answer is for this sheet.

    Review columns of an earlier fill are filled in any case: they would tell of other answers. Raises UsageError where
    the sheet has no free column left.
    """
    taken: set[tuple[int, int]] = set()
    mark = usual_mark(grid, layout)
    own_cells = not (review_columns or layout.review_columns)
    rows = {
        row.row_number: (answer, _place_row(grid, layout, row, answer, taken, mark, own_cells=own_cells))
        for row in layout.places
        if (answer := answers.get(row.question_id))
    }
    if not rows:
        return Placement((), {})
    return _in_own_cells(layout, rows) if own_cells else _with_review(grid, layout, rows)


def _in_own_cells(layout: SheetLayout, rows: _Rows) -> Placement:
    """The customer's own cells, or those of one new column where the sheet has no place for answers at all."""
    cells = [cell for _, row in rows.values() for cell in row.cells]
    columns = (layout.answer_column, layout.comment_column, *layout.verdict_columns)
    if any(columns) or not any(row.spare for _, row in rows.values()):
        for _, row in rows.values():
            if row.spare and not row.notes:
                row.notes.append(NO_CELL)
        unplaced = (answer.question_id for answer, row in rows.values() if _is_draft(answer) and not row.cells)
        return Placement(tuple(cells), {}, _notes(rows), tuple(unplaced))
    column = layout.last_column + 1
    _require_column(layout, column)
    header = (layout.header_row, layout.question_column)
    cells += [CellWrite(layout.header_row, column, OWN_TITLE, header)] if layout.header_row else []
    for number, (_, row) in rows.items():
        cells.append(CellWrite(number, column, "\n".join(row.spare), (number, layout.question_column)))
    return Placement(tuple(cells), {column: WIDTHS[ANSWER_TITLE]}, _notes(rows), added=column)


def _notes(rows: _Rows) -> dict[str, tuple[str, ...]]:
    return {answer.question_id: tuple(row.notes) for answer, row in rows.values() if row.notes}


def _is_draft(answer: FilledAnswer) -> bool:
    return answer.status in ("answered", "needs_review") and bool(
        answer.answer_text or answer.comment_text or answer.verdict
    )


def _with_review(grid: Grid, layout: SheetLayout, rows: _Rows) -> Placement:
    """The customer's own cells and those of the review columns to the right."""
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
    return Placement(tuple(cells), {column: WIDTHS[title] for title, column in new.items()}, _notes(rows))


def _place_row(
    grid: Grid,
    layout: SheetLayout,
    row: QuestionRow,
    answer: FilledAnswer,
    taken: set[tuple[int, int]],
    mark: str,
    *,
    own_cells: bool,
) -> _Row:
    placed = _Row([], [], [])

    def put(name: str, at: tuple[int, int], text: str, limit: int | None) -> bool:
        """Write the text to the cell, or to the top left of its merged range, if it may go there; True if it did."""
        cell = grid.anchor(*at)
        old = grid.text(*cell)
        if row.label and old == row.label:
            # The label of the answer stands in the answer's own cell.
            old, text = "", f"{row.label} {text}"
        text = ticked(old, text)
        if cell in grid.formulas:
            placed.notes.append(f"the {name} cell holds a formula and is kept")
        elif cell in taken:
            placed.notes.append(f"the {name} cell is shared with another question or column")
        elif old and not is_placeholder(old) and not is_empty_box(old) and (old, text) != TICK:
            placed.notes.append(f"the {name} already in the file is kept")
        elif (limit is not None and len(text) > limit) or not fits_cell(text):
            room = min(limit or MAX_CELL_CHARACTERS, MAX_CELL_CHARACTERS)
            placed.notes.append(f"the {name} cell takes {room} characters, and the text has {len(text)}")
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
        if column is not None and layout.verdict_columns:
            text = mark_for(grid, row.row_number, column, mark)
        beside = None if column is None else (row.row_number, column)
        at = layout.answer_cell(row) if beside and column == layout.answer_column else beside
        if at is None or answered or not put("answer", at, text, row.max_answer):
            unfit = unfit or answer.answer_text
        has_place = layout.answer_column is not None or (bool(layout.verdict_columns) and answer.verdict is not None)
        if (unfit or is_wordless) and column is None and has_place:
            placed.notes.append(misfit)
        is_word = meaning(unfit, layout) is not None
        if unfit and not answered and own_cells and layout.comment_column:
            # The only cell that is left: without its word, the text would leave open if it says yes or no.
            comment, unfit = (". " if is_word else "\n").join(filter(None, (unfit, comment))), ""
        elif unfit and not comment and not answered and not is_word:
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
    if answer.withheld_text and own_cells:
        placed.notes.append(WITHHELD)
    elif answer.withheld_text:
        placed.spare.append(answer.withheld_text)
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
        return "", column, "" if bare and column else text
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
    _require_column(layout, max(columns.values()))
    return columns, new


def _require_column(layout: SheetLayout, column: int) -> None:
    if column > LAST_COLUMN:
        raise UsageError(f"sheet {layout.sheet_name!r}: no free column is left to the right. Delete unused columns.")
