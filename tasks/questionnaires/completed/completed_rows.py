"""Reader of completed questionnaires: questions with the answers that a person gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from datetime import date
from typing import NamedTuple

from tasks.errors import UsageError
from tasks.questionnaires.completed.approval_columns import Approval, approval_columns, day_in
from tasks.questionnaires.completed.drafts import draft_key
from tasks.questionnaires.formats.grid import Grid
from tasks.questionnaires.reading.layout import Questionnaire, SheetLayout
from tasks.questionnaires.reading.legend import meaning
from tasks.questionnaires.reading.read_questionnaire import load_grids, read_questionnaire
from tasks.questions.review_columns import STATUS_TITLE, is_draft
from tasks.questions.wording import first_clause, is_placeholder, verdict_of
from tasks.records import Verdict
from tasks.spreadsheets.choice_columns import is_no_mark
from tasks.spreadsheets.evidence_workbooks import is_evidence, refusal

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
    """The answered rows of a questionnaire, in order, and the number of rows left out, by reason."""

    rows: list[CompletedRow]
    left_out: Counter[str]


def read_completed(data: bytes, file_name: str, drafts: Set[str] = frozenset()) -> Completed:
    """Read the rows that a person has answered; bidfolio's drafts that nobody has approved are left out.

    A draft says so in a review column, or its row has a key among ``drafts``: it stands as bidfolio wrote it
    (:func:`tasks.questionnaires.completed.drafts.draft_key`), and no column says who approved it, when or until when.
    An answer may stand in the column of comments alone, where bidfolio itself writes it for a column of yes and no.

    Raises UsageError as :func:`read_questionnaire`, for answers below their questions (an answer of several lines would
    lose all but the first), and for a day of approval or term that cannot be read: it would be taken for none.
    """
    if is_evidence(data):
        raise UsageError(refusal(file_name))
    read = read_questionnaire(data, file_name)
    if stacked := next((sheet for sheet in read.sheets if sheet.is_stacked), None):
        where = f"in sheet '{stacked.sheet_name}' " if stacked.sheet_name else ""
        raise UsageError(
            f"{file_name}: {where}each answer stands below its question, where one would be taken for the other. Put "
            "the questions into one column called 'Question', the answers beside them into one called 'Answer', and "
            "try again."
        )
    return completed_rows(read, load_grids(data, file_name), drafts)


def completed_rows(read: Questionnaire, sheets: Iterable[Grid], drafts: Set[str] = frozenset()) -> Completed:
    """The rows of a questionnaire that a person has answered; ``sheets`` are its grids."""
    asked = read.asked_by_row()
    grids = {grid.sheet_name: grid for grid in sheets}
    found = Completed([], Counter())
    for sheet in read.sheets:
        grid, answered = grids[sheet.sheet_name], frozenset(sheet.answered_rows)
        status = dict(sheet.review_columns).get(STATUS_TITLE)
        approval = approval_columns(grid.row(sheet.header_row))
        for row in sheet.rows:
            if row.row_number not in answered and not _comment(grid, sheet, row.row_number):
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
            elif (said := _answer(grid, sheet, row.row_number)) == (None, None):
                found.left_out[UNANSWERED] += 1
            else:
                owner, approver, since, until = _approval(grid, approval, row.row_number, read.file_name)
                place = sheet.sheet_name, row.row_number
                question = asked[row.question_id]
                done = CompletedRow(row.question_id, question, *said, *place, owner, approver, since, until)
                found.rows.append(done)
    return found


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


def _comment(grid: Grid, sheet: SheetLayout, row: int) -> str:
    written = grid.written(row, sheet.comment_column)
    return "" if is_placeholder(written) else written


def _answer(grid: Grid, sheet: SheetLayout, row: int) -> tuple[Verdict | None, str | None]:
    """The verdict that the row states, and the text of the answer with its comment."""

    crossed = next(iter(_crossed(grid, sheet, row)), None)
    cells = (grid.written(row, column) for column in (sheet.answer_column, sheet.comment_column))
    answer, comment = ("" if is_placeholder(cell) else cell for cell in cells)
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
