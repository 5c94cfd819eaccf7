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

EvidencePlace = Literal["file", "inline", "none"]
"""The place of the evidence: a workbook beside the filled copy, review columns in the copy itself, or nowhere."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The row of a question; ``choices`` are the answers that its dropdown allows, in its spelling.

    ``choices`` is empty where there is no dropdown, or none that can be read without calculating. ``max_answer`` and
    ``max_comment`` are the numbers of characters that the cells take, None where none is stated. ``answer_at`` and
    ``comment_at`` are the row and column of the cells where these are not in the row and the sheet's columns;
    ``label`` is a text such as "Answer:" that stands in the answer's own cell and stays before the answer.
    ``reference`` is the customer's own number of the question, "" without one.
    """

    question_id: str
    row_number: int
    choices: tuple[str, ...] = ()
    max_answer: int | None = None
    max_comment: int | None = None
    answer_at: tuple[int, int] | None = None
    comment_at: tuple[int, int] | None = None
    label: str = ""
    reference: str = ""


class Fact(NamedTuple):
    """A cell for a fact about the supplier's own company, such as its name: no document is searched for it."""

    label: str
    place: QuestionRow


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """The columns of a table of questions; ``sheet_name`` is None for CSV. A sheet may have several tables.

    With ``yes_no_only`` the answer column takes a yes or no and never a text; ``words`` are the customer's words for
    them, where the customer lists any. ``answered_rows`` are question rows that a person has answered: they are never
    overwritten. ``last_column`` is the rightmost column in use; ``review_columns`` are those of an earlier fill. If
    ``is_stacked``, its rows are those of the answers, which stand below their questions. ``header_row`` is 0 where no
    row is a header. ``titles`` are the header's texts by column, and ``section_column`` that of the sections' names.
    ``is_given``: a person has named the columns.
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
    facts: tuple[Fact, ...] = ()
    section_column: int | None = None
    titles: Mapping[int, str] = field(default_factory=dict)
    is_given: bool = False

    @property
    def places(self) -> tuple[QuestionRow, ...]:
        """The rows that may be filled: those of the questions, and those of facts about the company."""
        return (*self.rows, *(fact.place for fact in self.facts))

    def answer_cell(self, row: QuestionRow) -> tuple[int, int] | None:
        """The row and column for the answer's text; None where it has none."""
        return row.answer_at or ((row.row_number, self.answer_column) if self.answer_column else None)

    def comment_cell(self, row: QuestionRow) -> tuple[int, int] | None:
        """The row and column for the comment; None where it has none."""
        return row.comment_at or ((row.row_number, self.comment_column) if self.comment_column else None)

    @property
    def answer_cells(self) -> tuple[int, ...]:
        """The columns that a supplier fills: those of the verdicts, the answer and the comment, from left to right."""
        columns = (self.answer_column, self.comment_column, *(column for _, column in self.verdict_columns))
        return tuple(sorted(column for column in columns if column))

    def cells_of(self, row: QuestionRow) -> tuple[tuple[int, int], ...]:
        """The cells of the row that a supplier fills: those for the answer, the comment and each verdict."""
        marked = ((row.row_number, column) for _, column in self.verdict_columns)
        return tuple(sorted(filter(None, (*marked, self.answer_cell(row), self.comment_cell(row)))))

    def has_verdict_apart(self, row: QuestionRow) -> bool:
        """Tell if the row has separate cells for the yes or no and for the text."""
        return bool(row.choices or self.verdict_columns) or self.yes_no_only or self.comment_cell(row) is not None


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """A customer's file as read: its questions in reading order, and a layout for each sheet with questions.

    A row whose cell asks several questions has its ``parts``: the id and the mark of each question, in order.
    ``skipped`` has the sheets without questions to answer, each with the reason; ``warnings`` say what a person should
    look at.
    """

    file_name: str
    content_sha256: str
    format: Literal["xlsx", "csv", "docx", "text"]
    questions: tuple[Question, ...]
    sheets: tuple[SheetLayout, ...]
    parts: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    def asked_in(self, row_id: str) -> tuple[tuple[str, str], ...]:
        """The id and the mark of each question in a row; the row's own id and an empty mark where it asks only one."""
        return self.parts.get(row_id, ((row_id, ""),))

    def asked_by_row(self) -> dict[str, str]:
        """The text of all questions in a row on one line, each behind its mark, by the row's id."""
        texts = {question.question_id: " ".join(question.text.split()) for question in self.questions}
        return {
            row.question_id: " ".join(
                filter(None, (part for one, mark in self.asked_in(row.question_id) for part in (mark, texts[one])))
            )
            for sheet in self.sheets
            for row in sheet.rows
        }

    def place(self, question_id: str) -> tuple[SheetLayout, QuestionRow]:
        """The sheet and row of a question. Raises KeyError for an id that is not of this file."""
        found = ((sheet, row) for sheet in self.sheets for row in sheet.places if row.question_id == question_id)
        if (place := next(found, None)) is None:
            raise KeyError(question_id)
        return place


@dataclass(frozen=True, slots=True)
class FilledAnswer:
    """The texts for the row of a question.

    ``answer_text`` is the text of the answer cell: for yes/no the word as the dropdown spells it
    (:func:`tasks.questions.wording.spell_verdict`), else the text. It is not written for a declined or
    failed question. ``reason`` follows the status in the status column;
    ``proposed_verdict`` is shown to the reviewer with its probability. ``withheld_text`` is a draft that is
    contradicted or out of date: it goes to the reviewer alone.
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
    withheld_text: str = ""
