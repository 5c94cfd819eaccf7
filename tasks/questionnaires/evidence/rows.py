"""Rows of the evidence workbook, from a run's questions, answers and citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.questionnaires.evidence.columns import EvidenceRow
from tasks.questionnaires.evidence.statuses import shown
from tasks.records import Citation


def evidence_row(
    asked: Mapping[str, Any],
    given: Mapping[str, Any],
    citations: Sequence[Citation],
    *,
    notes: Sequence[str] = (),
    reference: str = "",
    index_version: str = "",
) -> EvidenceRow:
    """The row of a question: ``asked`` is its row of the table ``questions``, ``given`` that of ``answers``.

    The final answer is the proposed one where the question is answered, and empty where a person has to look at it.
    ``notes`` are what happened to the text in the customer's file; they follow the reason.
    """
    text = given["text"] or ""
    status = given["status"]
    # The confidence is how near the documents come to the question, and no probability of the answer.
    probability = given["verdict_probability"]
    if probability is None:
        probability = given["draft_probability"]
    first = citations[0] if citations else None
    return EvidenceRow(
        question_id=given["question_id"],
        question=asked["question"],
        status=status,
        reference=reference,
        sheet_name=asked["sheet_name"] or "",
        row_number=asked["row_number"],
        section=asked["section"] or "",
        proposed=text,
        final=text if status == "answered" else "",
        verdict=given["verdict"] or given["proposed_verdict"],
        probability=probability,
        reason=reason_of(given, asked["asked_as"], notes),
        file_name=first.file_name if first else "",
        page_number=first.page_number if first else None,
        page_label=first.page_label if first else "",
        place=_place(first) if first else "",
        quote=first.quote if first else "",
        further="\n".join(f"{citation.locator}: “{citation.quote}”" for citation in citations[1:]),
        content_sha256=first.content_sha256 if first else "",
        index_version=index_version,
    )


def reason_of(given: Mapping[str, Any], asked_as: str | None, notes: Sequence[str] = ()) -> str:
    """The reason to look at an answer, from its row of the table ``answers``; empty where there is none."""
    declined = given["decline_reason"] if given["status"] == "declined" else None
    told = [shown(declined) if declined else None, given["detail"], f"understood as “{asked_as}”" if asked_as else None]
    return "; ".join(filter(None, (*told, *notes)))


def _place(citation: Citation) -> str:
    if citation.row_number is None:
        return citation.section_path.rsplit(" > ", 1)[-1]
    sheet = f"sheet {citation.sheet_name}, " if citation.sheet_name else ""
    return f"{sheet}row {citation.row_number}"
