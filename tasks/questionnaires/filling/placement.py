"""Placement of answers in cells: nothing is overwritten, and nothing is lost.

A text may have no free cell of the customer's: without an answer or comment column, for a cell that a person filled, a
formula, a word that the dropdown lacks, a text where only a yes or no belongs, and a text that is too long. Notes say
why. With review columns, the text goes to the column ``bidfolio answer``, and the notes follow the status; without,
nothing but the customer's own cells is written, and a sheet that has no place for answers gets a column "Answer".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
ANSWERED = "the answer already in the file is kept"
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


@dataclass(slots=True)
class _Row:
    """A row while it is placed: ``spare`` are texts without a cell so far, ``notes`` say why.

    ``taken`` are the cells of the sheet that have got a text. A row that has its answer in the file gets none.
    """

    grid: Grid
    question: QuestionRow
    taken: set[tuple[int, int]]
    is_answered: bool
    cells: list[CellWrite] = field(default_factory=list)
    spare: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def put(self, name: str, at: tuple[int, int] | None, text: str, limit: int | None) -> bool:
        """Write the text to the cell, or to the top left of its merged range, if it may go there; True if it did."""
        if at is None or self.is_answered:
            return False
        cell = self.grid.anchor(*at)
        old, label = self.grid.text(*cell), self.question.label
        if label and old == label:
            # The label of the answer stands in the answer's own cell.
            old, text = "", f"{label} {text}"
        text = ticked(old, text)
        if cell in self.grid.formulas:
            self.notes.append(f"the {name} cell holds a formula and is kept")
        elif cell in self.taken:
            self.notes.append(f"the {name} cell is shared with another question or column")
        elif old and not is_placeholder(old) and not is_empty_box(old) and (old, text) != TICK:
            self.notes.append(f"the {name} already in the file is kept")
        elif (limit is not None and len(text) > limit) or not fits_cell(text):
            room = min(limit or MAX_CELL_CHARACTERS, MAX_CELL_CHARACTERS)
            self.notes.append(f"the {name} cell takes {room} characters, and the text has {len(text)}")
        else:
            self.taken.add(cell)
            self.cells.append(CellWrite(*cell, text))
            return True
        return False


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
        row.row_number: (answer, _Row(grid, row, taken, row.row_number in layout.answered_rows))
        for row in layout.places
        if (answer := answers.get(row.question_id))
    }
    for answer, placed in rows.values():
        _place_row(layout, answer, placed, mark, own_cells=own_cells)
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


def _place_row(layout: SheetLayout, answer: FilledAnswer, placed: _Row, mark: str, *, own_cells: bool) -> None:
    """Put the texts of an answer into the cells of its row. ``mark`` is the sheet's for the column of a verdict."""
    row = placed.question
    if placed.is_answered:
        placed.notes.append(ANSWERED)
    comment = answer.comment_text
    if answer.status not in ("declined", "failed") and (answer.answer_text or answer.verdict):
        text, column, unfit = _answer_cell(layout, row, answer)
        if column is not None and layout.verdict_columns:
            text = mark_for(placed.grid, row.row_number, column, mark)
        if not placed.put("answer", _cell_of(layout, row, column), text, row.max_answer):
            unfit = unfit or answer.answer_text
        if column is None and (unfit or _is_wordless(layout, row)) and _has_place(layout, answer):
            placed.notes.append(_misfit(layout, row))
        if not placed.is_answered:
            comment, unfit = _beside_comment(layout, comment, unfit, own_cells=own_cells)
        placed.spare.extend(filter(None, [unfit]))
    elif not placed.is_answered and _lacks_choice(layout, row, answer):
        placed.notes.append(_misfit(layout, row))
    if comment and not placed.put("comment", layout.comment_cell(row), comment, row.max_comment):
        placed.spare.append(comment)
    if answer.withheld_text and own_cells:
        placed.notes.append(WITHHELD)
    elif answer.withheld_text:
        placed.spare.append(answer.withheld_text)
    if not placed.spare and NO_TEXT in placed.notes:
        placed.notes.remove(NO_TEXT)  # the text has its place


def _cell_of(layout: SheetLayout, row: QuestionRow, column: int | None) -> tuple[int, int] | None:
    """The cell of the row for an answer in that column."""
    if column is None:
        return None
    return layout.answer_cell(row) if column == layout.answer_column else (row.row_number, column)


def _has_place(layout: SheetLayout, answer: FilledAnswer) -> bool:
    """Tell if the sheet has a column that could take the answer, if the column took such a text."""
    return layout.answer_column is not None or (bool(layout.verdict_columns) and answer.verdict is not None)


def _is_wordless(layout: SheetLayout, row: QuestionRow) -> bool:
    """Tell if the row's dropdown has neither a yes nor a no."""
    return bool(row.choices) and not (spell("yes", layout, row) or spell("no", layout, row))


def _lacks_choice(layout: SheetLayout, row: QuestionRow, answer: FilledAnswer) -> bool:
    """Tell if a row without a draft for its answer cell wants a choice that a person has to make."""
    if answer.status == "needs_review":
        return _is_wordless(layout, row)
    return answer.status == "answered" and (bool(row.choices) or layout.yes_no_only)


def _misfit(layout: SheetLayout, row: QuestionRow) -> str:
    """The reason why the answer column takes no such text."""
    if _is_wordless(layout, row):
        return f"the answer column asks for one of {_shown(row.choices)}: choose one"
    return NO_TEXT if layout.yes_no_only and not row.choices else NO_CHOICE


def _beside_comment(layout: SheetLayout, comment: str, unfit: str, *, own_cells: bool) -> tuple[str, str]:
    """The texts for the comment cell and for no cell, where the text ``unfit`` has none of its own."""
    is_word = meaning(unfit, layout) is not None
    if unfit and own_cells and layout.comment_column:
        # The only cell that is left: without its word, the text would leave open if it says yes or no.
        return (". " if is_word else "\n").join(filter(None, (unfit, comment))), ""
    return (unfit, "") if unfit and not comment and not is_word else (comment, unfit)


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
