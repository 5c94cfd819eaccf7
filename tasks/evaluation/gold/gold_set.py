"""Gold sets: questions with known answers and the places that hold them, one JSON object a line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError
from tasks.questions.wording import question_kind
from tasks.records import GoldEvidence, GoldQuestion, Question

SHOWN_LINES = 10


def _with_words(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "it is blank")
    return text


class _Evidence(BaseModel):
    model_config = ConfigDict(frozen=True)

    file: Annotated[str, Field(min_length=1)]
    page: Annotated[int, Field(ge=1)] | None = None
    sheet: str | None = None
    row: Annotated[int, Field(ge=1)] | None = None


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    id: Annotated[str, AfterValidator(_with_words)]
    held_out: tuple[str, ...] = ()
    question: Annotated[str, AfterValidator(_with_words)]
    answerable: bool | None = None
    answer: str | None = None
    verdict: Literal["yes", "no", "partial", "not_applicable"] | None = None
    evidence: tuple[_Evidence, ...] = ()
    questionnaire: str | None = None


class GoldLine(NamedTuple):
    """A gold question and its line number, from 1. ``has_empty_answer``: its answer is blank, and so unknown."""

    number: int
    question: GoldQuestion
    has_empty_answer: bool = False


def read_gold(path: str, *, may_be_unlabelled: bool = False) -> list[GoldQuestion]:
    """Read the gold questions of a file, in order; see :func:`read_gold_lines`."""
    return [line.question for line in read_gold_lines(path, may_be_unlabelled=may_be_unlabelled)]


def read_gold_lines(path: str, *, may_be_unlabelled: bool = False) -> list[GoldLine]:
    """Read the lines of a gold set, in order, without blank lines.

    With ``may_be_unlabelled``, a line may have just ``id`` and ``question``. Raises UsageError, which names a missing
    or empty file, or the number of wrong lines and, for the first SHOWN_LINES, what is wrong: invalid JSON, a key, a
    duplicate id. One wrong line refuses the whole file: figures over the rest of a gold set would be compared with
    figures over all of it.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"cannot read the gold set {path}: it is not text in UTF-8; save it as such, or have one made of a "
            "completed questionnaire by `bidfolio gold import`"
        ) from error
    except OSError as error:
        raise UsageError(f"cannot read the gold set {path}: {error}") from error
    found: dict[str, GoldLine] = {}
    wrong: list[str] = []
    bare: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            read = _gold_line(number, line)
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
            continue
        question = read.question
        if not question.is_labelled and not may_be_unlabelled:
            bare.append(number)
        elif question.question_id in found:
            first = found[question.question_id].number
            wrong.append(f"line {number}: the id {question.question_id!r} is there already, in line {first}")
        else:
            found[question.question_id] = read
    if bare:
        others = f", and so in {len(bare) - 1} others" if len(bare) > 1 else ""
        wrong.append(
            f"line {bare[0]}: answerable: true or false is missing{others}; bare questions are what tune --grid takes"
        )
    if wrong:
        more = f"; and {len(wrong) - SHOWN_LINES} more" if len(wrong) > SHOWN_LINES else ""
        count = "" if len(wrong) == 1 else f"{len(wrong)} lines are wrong: "
        raise UsageError(f"gold set {path}, {count}{'; '.join(wrong[:SHOWN_LINES])}{more}")
    if not found:
        raise UsageError(f"the gold set {path} is empty: one JSON object a line is expected")
    return list(found.values())


def as_question(gold: GoldQuestion, ordinal: int) -> Question:
    """Convert the gold question to a question that can be asked; with a verdict it is a yes/no question."""
    kind = question_kind(gold.question, (), yes_no_header=gold.verdict is not None)
    return Question(question_id=gold.question_id, ordinal=ordinal, text=gold.question, kind=kind)


def gold_json(gold: GoldQuestion) -> dict[str, Any]:
    """Convert the gold question to the JSON of its line; empty optional keys are left out."""
    line = {
        "id": gold.question_id,
        "question": gold.question,
        "answer": gold.answer,
        "verdict": gold.verdict,
        "answerable": gold.answerable,
        "evidence": [_evidence_json(one) for one in gold.evidence],
        "held_out": list(gold.held_out),
        "questionnaire": gold.questionnaire,
    }
    optional = ("verdict", "held_out", "questionnaire")
    return {key: value for key, value in line.items() if value or key not in optional}


def gold_text(gold: Iterable[GoldQuestion]) -> str:
    """Format a gold set as the text of its file."""
    return "".join(f"{json.dumps(gold_json(one), ensure_ascii=False)}\n" for one in gold)


def gold_counts(gold: Sequence[GoldQuestion]) -> dict[str, int]:
    """Count the questions of a gold set by kind.

    ``without_page`` are answerable and name no place, so that figures of pages leave them out.
    """
    counts = Counter(
        answerable=sum(one.answerable for one in gold),
        with_verdict=sum(one.verdict is not None for one in gold),
        without_page=sum(one.answerable and not one.evidence for one in gold),
    )
    return {"questions": len(gold), "unanswerable": len(gold) - counts["answerable"], **counts}


def _evidence_json(evidence: GoldEvidence) -> dict[str, Any]:
    line: dict[str, Any] = {"file": evidence.file_name, "page": evidence.page_number}
    if evidence.row_number is not None:
        line |= {"sheet": evidence.sheet_name, "row": evidence.row_number}
    return line


def _gold_line(number: int, line: str) -> GoldLine:
    """Parse a line. Raises ValueError, which describes what is wrong with it."""
    try:
        raw = json.loads(line)
        if not isinstance(raw, dict):
            raise ValueError("one JSON object is expected")
        parsed = _Line.model_validate(raw)
    except json.JSONDecodeError as error:
        raise ValueError(f"JSON: {error}") from error
    except ValidationError as error:
        raise ValueError(wrong_keys(error, "line")) from error
    if parsed.answerable is False and (parsed.evidence or parsed.verdict):
        raise ValueError("answerable is false, and yet it has evidence or a verdict: take one of them out")
    is_empty = parsed.answer is not None and not parsed.answer.strip()
    question = GoldQuestion(
        question_id=parsed.id,
        question=parsed.question,
        answerable=parsed.answerable is not False,
        answer=None if is_empty else parsed.answer,
        verdict=parsed.verdict,
        evidence=tuple(GoldEvidence(Path(e.file).name, e.page, e.sheet, e.row) for e in parsed.evidence),
        is_labelled=parsed.answerable is not None,
        held_out=parsed.held_out,
        questionnaire=parsed.questionnaire,
    )
    return GoldLine(number, question, is_empty and question.answerable)
