"""Labelled examples: answers that people have graded, one JSON object a line, to measure judges by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tasks.errors import UsageError
from tasks.evaluation.judges.cases import CRITERIA, MARKS, Case, Scale
from tasks.records import content_id

SHIPPED = Path(__file__).resolve().parents[3] / "configs" / "judges" / "labelled.jsonl"
_WITHIN: Mapping[Scale, str] = {
    "1-5": "a grade from 1 to 5",
    "1/3/5/7/10": "1, 3, 5, 7 or 10",
    "0/1": "0 or 1",
    "share": "a share from 0 to 1",
}


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
    learnt = set(questions[::2])
    return [one for one in examples if one.case.question in learnt], [
        one for one in examples if one.case.question not in learnt
    ]


def _labelled(where: str, line: str) -> Labelled:
    try:
        read = _Line.model_validate(json.loads(line))
    except (json.JSONDecodeError, ValidationError) as error:
        reasons = error.errors() if isinstance(error, ValidationError) else [{"loc": ("JSON",), "msg": str(error)}]
        told = "; ".join(f"{'.'.join(map(str, reason['loc']))}: {reason['msg']}" for reason in reasons)
        raise UsageError(f"labelled examples {where}: {told}") from error
    for name, label in read.labels.items():
        if name not in CRITERIA:
            raise UsageError(f"labelled examples {where}: no criterion is called {name!r}: {', '.join(CRITERIA)}")
        scale = CRITERIA[name].scale
        if not is_on(scale, label):
            raise UsageError(f"labelled examples {where}: {name}: {label:g} is not {_WITHIN[scale]}")
    return Labelled(Case(read.question, read.contexts, read.answer, read.reference), read.labels)


def is_on(scale: Scale, score: float) -> bool:
    """Tell if a score is on the scale."""
    return 0 <= score <= 1 if scale == "share" else score in MARKS[scale]
