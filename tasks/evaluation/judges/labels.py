"""Labelled examples: answers that people have graded, one JSON object a line, to measure judges by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError
from tasks.evaluation.judges.cases import CRITERIA, MARKS, Case
from tasks.records import content_id

SHIPPED = Path(__file__).resolve().parents[3] / "configs" / "judges" / "labelled.jsonl"


class Labelled(NamedTuple):
    """An example: the case, and the ``labels`` that people gave it by criterion."""

    case: Case
    labels: Mapping[str, float]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    question: Annotated[str, Field(min_length=1)]
    contexts: tuple[str, ...] = ()
    answer: str | None = None
    reference: str | None = None
    labels: Annotated[dict[str, float], Field(min_length=1)]


def read_labels(path: str | Path = SHIPPED) -> list[Labelled]:
    """Read the examples of a file, in order.

    Raises UsageError, which names the file, the line and what is wrong with it, or an empty or missing file.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the labelled examples {path}: {error}") from error
    found = [_labelled(f"{path}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise UsageError(f"{path} has no labelled example: one JSON object a line is expected")
    return found


def parted(examples: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """Split the examples into those that a judge may learn from and those that it is then measured by.

    Questions alternate in the order of their hashes, each with all its examples, so that no question is in both.
    """
    questions = sorted({one.case.question for one in examples}, key=content_id)
    learnt, measured = (
        [one for one in examples if one.case.question in some] for some in (set(questions[::2]), set(questions[1::2]))
    )
    return learnt, measured


def _labelled(where: str, line: str) -> Labelled:
    try:
        read = _Line.model_validate(json.loads(line))
    except (json.JSONDecodeError, ValidationError) as error:
        told = wrong_keys(error, "line") if isinstance(error, ValidationError) else f"JSON: {error}"
        raise UsageError(f"labelled examples {where}: {told}") from error
    for name, label in read.labels.items():
        if name not in CRITERIA:
            raise UsageError(f"labelled examples {where}: no criterion is called {name!r}: {', '.join(CRITERIA)}")
        marks = MARKS.get(CRITERIA[name].scale)
        if not (label in marks if marks else 0 <= label <= 1):
            wanted = f"one of {', '.join(map(str, marks))}" if marks else "a share from 0 to 1"
            raise UsageError(f"labelled examples {where}: {name}: {label:g} is not {wanted}")
    return Labelled(Case(read.question, read.contexts, read.answer, read.reference), read.labels)
