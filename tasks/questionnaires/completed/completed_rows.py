"""Reader of completed questionnaires: questions with the answers that a person gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.completed.approval_columns import Approval, approval_columns, day_in
from tasks.questionnaires.completed.drafts import draft_key
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import Questionnaire, QuestionRow, SheetLayout
from tasks.questionnaires.reading.legend import meaning
from tasks.questionnaires.reading.read_questionnaire import load_grids, read_questionnaire
from tasks.questionnaires.word.questions import form_of, read_word_questionnaire
from tasks.questions.review_columns import STATUS_TITLE, is_draft
from tasks.questions.wording import first_clause, is_placeholder, looks_like_question, verdict_of
from tasks.records import Verdict
from tasks.spreadsheets.choice_columns import is_no_mark
from tasks.spreadsheets.evidence_workbooks import is_evidence, refusal
from tasks.spreadsheets.question_labels import label_of

_APPROVED: frozenset[Approval] = frozenset(("approved_by", "approved_on", "valid_until"))
DRAFTS = "answers that are bidfolio's own drafts"
UNANSWERED = "questions that nobody has answered"
AMBIGUOUS = "questions with more than one choice marked"


class CompletedRow(NamedTuple):
    """A question with its answer: the verdict that the row states, the text of the answer, its sheet and row; and who
    stands behind it, since when and until when, where columns of the sheet say so.
    """

    question_id: str
    question: str
    verdict: Verdict | None
    answer: str | None
    sheet_name: str | None
    row_number: int
    owner: str = ""
    approved_by: str = ""
    approved_on: date | None = None
    valid_until: date | None = None


class Completed(NamedTuple):
    """The answered rows of a questionnaire, in order, and the number of rows left out, by reason.

    ``free`` are the sheets, "" for CSV, whose answers do not stand in a column below a header: a refresh would not find
    them there.
    """

    rows: list[CompletedRow]
    left_out: Counter[str]
    free: Set[str] = frozenset()


def read_completed(data: bytes, file_name: str, drafts: Set[str] = frozenset()) -> Completed:
    """Read the rows that a person has answered; bidfolio's drafts that nobody has approved are left out.

    A draft says so in a review column, or its row has a key among ``drafts``: it stands as bidfolio wrote it
    (:func:`tasks.questionnaires.completed.drafts.draft_key`), and no column says who approved it, when or until when.
    An answer may stand in the column of comments alone, where bidfolio itself writes it for a column of yes and no; or
    below its question, in a sheet without a header, or in a Word form. Its lines are kept.

    Raises UsageError as :func:`read_questionnaire`, and for a day of approval or term that cannot be read: it would be
    taken for none.
    """
    if is_evidence(data):
        raise UsageError(refusal(file_name))
    if form := form_of(data, file_name):
        read = read_word_questionnaire(form, data, file_name)
        found = completed_rows(read, (*form.tables, form.running_text), drafts)
        return found._replace(free={sheet.sheet_name or "" for sheet in read.sheets})
    return completed_rows(read_questionnaire(data, file_name), load_grids(data, file_name), drafts)


def completed_rows(read: Questionnaire, sheets: Iterable[Grid], drafts: Set[str] = frozenset()) -> Completed:
    """The rows of a questionnaire that a person has answered; ``sheets`` are its grids."""
    asked, rows_of = read.asked_by_row(), {one.question_id: one.row_number for one in read.questions}
    grids = {grid.sheet_name: grid for grid in sheets}
    free = (one.sheet_name or "" for one in read.sheets if one.is_stacked or not one.titles)
    found = Completed([], Counter(), frozenset(free))
    for layout in read.sheets:
        grid = grids[layout.sheet_name]
        sheet = _with_answers(grid, layout)
        answered = frozenset(sheet.answered_rows)
        own_rows = frozenset(
            at
            for row in sheet.rows
            for at in (rows_of[read.asked_in(row.question_id)[0][0]], *(cell[0] for cell in sheet.cells_of(row)))
            if at
        )
        status = dict(sheet.review_columns).get(STATUS_TITLE)
        approval = approval_columns(grid.row(sheet.header_row))
        for row in sheet.rows:
            number = rows_of[read.asked_in(row.question_id)[0][0]] or row.row_number
            said = _answer(grid, sheet, row, own_rows)
            if row.row_number not in answered and not _cell(grid, row, sheet.comment_cell(row)):
                found.left_out[UNANSWERED] += 1
            elif len(_crossed(grid, sheet, row.row_number)) > 1:
                # Two marks are ambiguous.
                found.left_out[AMBIGUOUS] += 1
            elif (
                is_draft(grid.text(row.row_number, status))
                if status is not None
                # Whom or what a row names as its approval has taken the draft over, as it stands.
                else not any(grid.written(row.row_number, approval[role]) for role in _APPROVED & approval.keys())
                and bool(drafts)
                and draft_key(asked[row.question_id], grid, sheet, row) in drafts
            ):
                found.left_out[DRAFTS] += 1
            elif said == (None, None):
                found.left_out[UNANSWERED] += 1
            else:
                owner, approver, since, until = _approval(grid, approval, row.row_number, read.file_name)
                place = sheet.sheet_name, number
                question = asked[row.question_id]
                done = CompletedRow(row.question_id, question, *said, *place, owner, approver, since, until)
                found.rows.append(done)
    return found


def _with_answers(grid: Grid, sheet: SheetLayout) -> SheetLayout:
    """The layout of a sheet without a header, in which the empty column was taken for the answers, with the column
    right of the questions that holds them; any other layout as it is.
    """
    rows = [row.row_number for row in sheet.rows]
    if sheet.is_stacked or sheet.titles or sheet.is_given or sheet.answered_rows or not sheet.answer_column:
        return sheet
    for column in range(sheet.question_column + 1, sheet.answer_column):
        written = tuple(row for row in rows if (text := grid.written(row, column)) and not is_placeholder(text))
        if written:
            return replace(sheet, answer_column=column, answered_rows=written)
    return sheet


def _approval(
    grid: Grid, columns: Mapping[Approval, int], row: int, file_name: str
) -> tuple[str, str, date | None, date | None]:
    """The owner, the approver, the day of approval and the last day of the row; "" and None where none is stated."""
    said = {role: grid.written(row, column) for role, column in columns.items()}
    days: dict[str, date | None] = {}
    wanted: tuple[Approval, Approval] = ("approved_on", "valid_until")
    for role in wanted:
        cell = said.get(role, "")
        days[role] = None if not cell or is_placeholder(cell) else day_in(cell)
        if cell and not is_placeholder(cell) and days[role] is None:
            where = f"sheet '{grid.sheet_name}', " if grid.sheet_name else ""
            title = role.replace("_", " ")
            raise UsageError(
                f"{file_name}: {where}row {row}: “{cell}” under “{title}” is no day that can be read: write it as "
                "YYYY-MM-DD, or leave the cell empty"
            )
    return said.get("owner", ""), said.get("approved_by", ""), days["approved_on"], days["valid_until"]


def _cell(grid: Grid, row: QuestionRow, cell: tuple[int, int] | None) -> str:
    """The text that a cell shows behind its own label; "" for no cell, and for a placeholder."""
    written = grid.written(*cell).removeprefix(row.label).strip() if cell else ""
    return "" if is_placeholder(written) else written


def _with_lines_below(grid: Grid, text: str, cell: tuple[int, int], own_rows: Set[int]) -> str:
    """The text of an answer below its question, with the lines in the rows right below it.

    A row of another question, a title in bold and a text beside others are no further lines.
    """
    lines, (number, column) = [text], cell
    while (number := number + 1) not in own_rows and list(grid.texts.get(number, ())) == [column]:
        line = grid.text(number, column)
        if (number, column) in grid.bold or label_of(line).kind or looks_like_question(line):
            break
        lines.append(line)
    return "\n".join(lines)


def _answer(grid: Grid, sheet: SheetLayout, row: QuestionRow, own_rows: Set[int]) -> tuple[Verdict | None, str | None]:
    """The verdict that the row states, and the text of the answer with its comment."""
    crossed = next(iter(_crossed(grid, sheet, row.row_number)), None)
    cell = sheet.answer_cell(row)
    answer, comment = _cell(grid, row, cell), _cell(grid, row, sheet.comment_cell(row))
    if sheet.is_stacked and answer and cell:
        answer = _with_lines_below(grid, answer, cell, own_rows)
    verdict = crossed or meaning(first_clause(answer), sheet) or verdict_of(answer)
    # A cell with only a yes or no is the verdict; any other text, and the comment, is the answer.
    only_verdict = crossed is not None or meaning(answer, sheet) is not None
    said = "\n".join(filter(None, ("" if only_verdict else answer, comment)))
    return verdict, said or None


def _crossed(grid: Grid, sheet: SheetLayout, row: int) -> list[Verdict]:
    """The verdicts that the row marks; "0" and an empty box are no marks, "No" below No is one without others."""
    cells = [(one.verdict, grid.written(row, one.column)) for one in sheet.verdict_columns]
    marked = [verdict for verdict, cell in cells if cell and not is_placeholder(cell) and not is_no_mark(cell)]
    return marked or [verdict for verdict, cell in cells if verdict_of(cell, whole=True) == verdict]
