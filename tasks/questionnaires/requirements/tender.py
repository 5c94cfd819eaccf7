"""A tender in free text as a questionnaire: each requirement is a question, whose answer has a row in a matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tasks.errors import UsageError
from tasks.questionnaires.reading.layout import Questionnaire, QuestionRow, SheetLayout
from tasks.questionnaires.requirements.find_requirements import Requirement
from tasks.questionnaires.requirements.obligations import is_request
from tasks.questionnaires.word.questions import has_places
from tasks.questions.answer_limits import without_limit
from tasks.questions.wording import question_kind
from tasks.records import Question, content_id

_SUFFIXES = (".pdf", ".md", ".markdown", ".html", ".htm")
_REQUIREMENT, _CODE, _RESPONSE = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Tender(Questionnaire):
    """A tender as read: the requirement of each row by its id."""

    requirements: Mapping[str, Requirement] = field(default_factory=dict)


def is_tender(data: bytes, file_name: str) -> bool:
    """Tell if a file is text to be answered beside it: a PDF, Markdown or HTML, or a Word file without answer places.

    Raises UsageError for a Word file that cannot be read.
    """
    if data.startswith(b"%PDF") or file_name.casefold().endswith(_SUFFIXES):
        return True
    return not has_places(data, file_name)


def read_tender(requirements: Iterable[Requirement], file_name: str, content_sha256: str) -> Tender:
    """The questions of a tender. Raises UsageError where it requires nothing."""
    found = tuple(requirements)
    if not found:
        raise UsageError(
            f"{file_name}: no requirement or question was found, and no place for an answer. Send the document that "
            "lists what is required, or copy its questions to an .xlsx or .csv file."
        )
    numbers = Counter(one.number for one in found)
    questions: list[Question] = []
    for ordinal, one in enumerate(found):
        question_id = one.number
        if numbers[one.number] > 1:
            question_id = content_id("requirement", file_name, ordinal, one.text)
        text, limit = without_limit(one.text)
        # What is no question and no request is complied with, or not.
        is_statement = not is_request(text) and not text.rstrip().endswith("?")
        kind = question_kind(text, (), yes_no_header=is_statement)
        questions.append(
            Question(
                question_id=question_id,
                ordinal=ordinal,
                text=text,
                kind=kind,
                section=one.section,
                row_number=ordinal + 1,
                max_characters=limit,
                written=one.text if limit else None,
                verdict_apart=True,
            )
        )
    rows = tuple(
        QuestionRow(one.question_id, one.ordinal + 1, reference=requirement.number)
        for one, requirement in zip(questions, found, strict=True)
    )
    layout = SheetLayout(
        sheet_name=None,
        header_row=0,
        question_column=_REQUIREMENT,
        id_column=None,
        answer_column=_CODE,
        comment_column=_RESPONSE,
        verdict_columns=(),
        last_column=_RESPONSE,
        review_columns=(),
        rows=rows,
        answered_rows=(),
    )
    return Tender(
        file_name=file_name,
        content_sha256=content_sha256,
        format="text",
        questions=tuple(questions),
        sheets=(layout,),
        requirements={question.question_id: one for question, one in zip(questions, found, strict=True)},
    )
