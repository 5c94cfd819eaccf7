"""A completed questionnaire: what a person has answered is known to be right."""

from __future__ import annotations

from tasks.errors import UsageError
from tasks.evaluation.gold_readers.source import WORKBOOKS, Gathering, Imported, Source
from tasks.questionnaires.grid import Grid
from tasks.questionnaires.layout import STATUS_TITLE, SheetLayout, is_draft
from tasks.questionnaires.read import load_grids, read_questionnaire
from tasks.questionnaires.words import is_placeholder, verdict_of
from tasks.records import GoldQuestion, Verdict, content_id

DRAFTS = "answers that are bidfolio's own drafts"


class CompletedQuestionnaire:
    """An XLSX or CSV file with a column of questions, and answers beside them."""

    name = "questionnaire"

    def recognises(self, source: Source) -> bool:
        """A workbook is one; a CSV file where a column of questions and one for answers are found in it."""
        if source.path.suffix.lower() in WORKBOOKS:
            return True
        if source.path.suffix.lower() != ".csv" or source.has_columns("relevant_passage_ids"):
            return False
        try:
            sheets = read_questionnaire(source.path.read_bytes(), source.path.name).sheets
        except UsageError:
            return False
        return any(sheet.answered_rows for sheet in sheets)

    def read(self, source: Source) -> Imported:
        """The answered questions. Nobody says which page an answer was taken from, so there is no evidence; and the
        file is held out, since it would answer its own questions.

        Answers that bidfolio drafted and nobody has approved are left out, as by them it would be right about itself.
        """
        data = source.path.read_bytes()
        read = read_questionnaire(data, source.path.name)
        texts = {question.question_id: question.text for question in read.questions}
        grids = {grid.sheet_name: grid for grid in load_grids(data, source.path.name)}
        found = Gathering()
        for sheet in read.sheets:
            grid, answered = grids[sheet.sheet_name], frozenset(sheet.answered_rows)
            for row in sheet.rows:
                if row.row_number not in answered:
                    found.left_out["questions that nobody has answered"] += 1
                    continue
                if _is_draft(grid, sheet, row.row_number):
                    found.left_out[DRAFTS] += 1
                    continue
                verdict, answer = _answer(grid, sheet, row.row_number)
                found.add(
                    GoldQuestion(
                        content_id("question", source.path.name, row.question_id),
                        " ".join(texts[row.question_id].split()),
                        answerable=True,
                        answer=answer,
                        verdict=verdict,
                        questionnaire=source.path.name,
                        held_out=(source.path.name,),
                    )
                )
        return found.imported()


def _answer(grid: Grid, sheet: SheetLayout, row: int) -> tuple[Verdict | None, str | None]:
    """The verdict that the row states, and the words beside it."""

    def text(column: int | None) -> str:
        said = grid.text(*grid.anchor(row, column)) if column else ""
        return "" if is_placeholder(said) else said

    crossed = next((one.verdict for one in sheet.verdict_columns if text(one.column)), None)
    answer, comment = text(sheet.answer_column), text(sheet.comment_column)
    verdict = crossed or verdict_of(answer)
    # A cell that only says yes is the verdict; what else it says, and the comment, is the answer.
    only_verdict = crossed is not None or verdict_of(answer, whole=True) is not None
    said = "\n".join(filter(None, ("" if only_verdict else answer, comment)))
    return verdict, said or None


def _is_draft(grid: Grid, sheet: SheetLayout, row: int) -> bool:
    status = next((column for title, column in sheet.review_columns if title.casefold() == STATUS_TITLE), None)
    return status is not None and is_draft(grid.text(row, status))
