"""Gold sets: questions with known answers and the places that hold them, one JSON a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.errors import UsageError
from tasks.questionnaires.words import question_kind
from tasks.records import GoldEvidence, GoldQuestion, Question


class _Evidence(BaseModel):
    model_config = ConfigDict(frozen=True)

    file: str
    page: Annotated[int, Field(ge=1)] | None = None
    sheet: str | None = None
    row: Annotated[int, Field(ge=1)] | None = None


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: str
    question: Annotated[str, Field(min_length=1)]
    answerable: bool | None = None
    answer: str | None = None
    verdict: Literal["yes", "no", "partial", "not_applicable"] | None = None
    evidence: tuple[_Evidence, ...] = ()
    questionnaire: str | None = None


def read_gold(path: str, *, may_be_unlabelled: bool = False) -> list[GoldQuestion]:
    """The gold questions of a file, in order. Where they may be unlabelled, a line may have nothing but ``id`` and
    ``question``.

    Raises UsageError that names the file, the line and the wrong key or the id given twice, or a missing or empty
    file.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the gold set {path}: {error}") from error
    found: dict[str, GoldQuestion] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        question = _gold_question(path, number, line)
        if not question.is_labelled and not may_be_unlabelled:
            raise UsageError(f"gold set {path}, line {number}: answerable: Field required, true or false")
        if question.question_id in found:
            raise UsageError(f"gold set {path}, line {number}: the id {question.question_id!r} is there already")
        found[question.question_id] = question
    if not found:
        raise UsageError(f"the gold set {path} is empty: one JSON object a line is expected")
    return list(found.values())


def as_question(gold: GoldQuestion, ordinal: int) -> Question:
    """The gold question as one that can be asked; one with a verdict is a yes/no question."""
    kind = question_kind(gold.question, (), yes_no_header=gold.verdict is not None)
    return Question(question_id=gold.question_id, ordinal=ordinal, text=gold.question, kind=kind)


def _gold_question(path: str, number: int, line: str) -> GoldQuestion:
    try:
        parsed = _Line.model_validate(json.loads(line))
    except (json.JSONDecodeError, ValidationError) as error:
        reasons = error.errors() if isinstance(error, ValidationError) else [{"loc": ("JSON",), "msg": str(error)}]
        named = "; ".join(f"{'.'.join(map(str, reason['loc']))}: {reason['msg']}" for reason in reasons)
        raise UsageError(f"gold set {path}, line {number}: {named}") from error
    return GoldQuestion(
        question_id=parsed.id,
        question=parsed.question,
        answerable=parsed.answerable is not False,
        answer=parsed.answer,
        verdict=parsed.verdict,
        evidence=tuple(GoldEvidence(Path(e.file).name, e.page, e.sheet, e.row) for e in parsed.evidence),
        is_labelled=parsed.answerable is not None,
        questionnaire=parsed.questionnaire,
    )
