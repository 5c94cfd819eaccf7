"""Layout of a questionnaire: the cells of its questions and the cells for their answers.

questionnaire → sheet layouts → question rows; filled answers come back by ``question_id``.
Rows and columns are 1-based, as a spreadsheet shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tasks.records import AnswerStatus, Citation, Question, Verdict


class VerdictColumn(NamedTuple):
    """A column that is crossed with an ``x`` where its verdict holds (CAIQ)."""

    verdict: Verdict
    column: int


class Word(NamedTuple):
    """A word of the customer's for a verdict."""

    text: str
    verdict: Verdict


Fill = Literal["answered", "proposed"]
"""The verdicts that go into the customer's cells: only those sure enough to be sent,
or also those proposed for review.
"""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The row of a question; ``choices`` are the answers that its dropdown allows, in its spelling.

    ``choices`` is empty where there is no dropdown, or none that can be read without calculating. ``max_answer`` and
    ``max_comment`` are the numbers of characters that the cells take, None where none is stated.
    """

    question_id: str
    row_number: int
    choices: tuple[str, ...] = ()
    max_answer: int | None = None
    max_comment: int | None = None


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """The columns of a sheet that has questions; ``sheet_name`` is None for CSV.

    With ``yes_no_only`` the answer column takes a yes or no and never a text; ``words`` are the customer's words for
    them, where the customer lists any. ``answered_rows`` are question rows that a person has answered: they are never
    overwritten. ``last_column`` is the rightmost column in use; ``review_columns`` are those of an earlier fill. If
    ``is_stacked``, its rows are those of the answers, which stand below their questions.
    """

    sheet_name: str | None
    header_row: int
    question_column: int
    id_column: int | None
    answer_column: int | None
    comment_column: int | None
    verdict_columns: tuple[VerdictColumn, ...]
    last_column: int
    review_columns: tuple[tuple[str, int], ...]
    rows: tuple[QuestionRow, ...]
    answered_rows: tuple[int, ...]
    yes_no_only: bool = False
    is_stacked: bool = False
    words: tuple[Word, ...] = ()

    def has_verdict_apart(self, row: QuestionRow) -> bool:
        """Tell if the row has separate cells for the yes or no and for the text."""
        return bool(row.choices or self.verdict_columns) or self.yes_no_only or self.comment_column is not None


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A customer's file as read: its questions in reading order, and a layout for each sheet with questions.

    A row whose cell asks several questions has its ``parts``: the id and the mark of each question, in order.
    """

    file_name: str
    content_sha256: str
    format: Literal["xlsx", "csv", "docx", "text"]
    questions: tuple[Question, ...]
    sheets: tuple[SheetLayout, ...]
    parts: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def asked_in(self, row_id: str) -> tuple[tuple[str, str], ...]:
        """The id and the mark of each question in a row; the row's own id and an empty mark where it asks only one."""
        return self.parts.get(row_id, ((row_id, ""),))

    def place(self, question_id: str) -> tuple[SheetLayout, QuestionRow]:
        """The sheet and row of a question. Raises KeyError for an id that is not of this file."""
        found = ((sheet, row) for sheet in self.sheets for row in sheet.rows if row.question_id == question_id)
        if (place := next(found, None)) is None:
            raise KeyError(question_id)
        return place


@dataclass(frozen=True, slots=True)
class FilledAnswer:
    """The texts for the row of a question.

    ``answer_text`` is the text of the answer cell: for yes/no the word as the dropdown spells it
    (:func:`tasks.questions.wording.spell_verdict`), else the text. It is not written for a declined or
    failed question. ``reason`` follows the status in the status column;
    ``proposed_verdict`` is shown to the reviewer with its probability.
    """

    question_id: str
    status: AnswerStatus
    answer_text: str = ""
    comment_text: str = ""
    verdict: Verdict | None = None
    confidence_label: str = ""
    confidence: float | None = None
    citations: str = ""
    reason: str = ""
    proposed_verdict: Verdict | None = None
    verdict_probability: float | None = None
    cited: tuple[Citation, ...] = ()
