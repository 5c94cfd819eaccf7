"""Questions as rows of the lake's table ``questions``, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from tasks.questions.answer_limits import without_limit
from tasks.records import Question


def question_rows(identity: Mapping[str, Any], questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
    """The rows of the table ``questions``; ``identity`` names the run."""
    for question in questions:
        written = question.written or question.text
        yield {
            **identity,
            "question_id": question.question_id,
            "question_index": question.ordinal,
            "question": written,
            "asked_as": question.text if question.text not in (written, without_limit(written)[0]) else None,
            "said_before": question.said_before,
            "kind": question.kind,
            "section": question.section,
            "sheet_name": question.sheet_name,
            "row_number": question.row_number,
            "max_characters": question.max_characters,
            "verdict_apart": question.verdict_apart,
        }


def questions_of(rows: pa.Table) -> list[Question]:
    """The questions of those rows, in their order."""
    return [_question_of(row) for row in rows.sort_by("question_index").to_pylist()]


def _question_of(row: Mapping[str, Any]) -> Question:
    # Without a recorded limit the text was searched as it is, even if it states one.
    text, limit = without_limit(row["question"]) if row["max_characters"] else (row["question"], None)
    return Question(
        question_id=row["question_id"],
        ordinal=row["question_index"],
        text=row["asked_as"] or text,
        kind=row["kind"],
        section=row["section"] or "",
        sheet_name=row["sheet_name"],
        row_number=row["row_number"],
        max_characters=row["max_characters"],
        written=row["question"] if limit or row["asked_as"] else None,
        verdict_apart=bool(row["verdict_apart"]),
        said_before=row["said_before"],
    )
