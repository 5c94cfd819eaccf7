"""Lessons of a review: approved answers as entries of the library, and drafts beside what became of them."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.library.entries import Edit, EntryEvidence, LibraryEntry
from tasks.questionnaires.evidence.statuses import DECIDED, SENT
from tasks.review.items import ReviewItem


def entries_of(items: Iterable[ReviewItem]) -> list[LibraryEntry]:
    """An entry for each approved or edited answer, with the places that bore it out."""
    return [
        LibraryEntry(
            question=item.question,
            answer=item.state.final_answer,
            verdict=item.state.final_verdict,
            owner=item.state.owner,
            approved_by=item.state.reviewer,
            approved_on=item.state.at.date() if item.state.at else None,
            sheet_name=item.sheet_name,
            row_number=item.row_number,
            evidence=tuple(EntryEvidence.of(citation) for citation in item.citations),
        )
        for item in items
        if item.state.status in SENT
    ]


def edits_of(items: Iterable[ReviewItem], run_id: str) -> list[Edit]:
    """The draft and what became of it, for each answer of the run on which somebody decided; a rejected one has no
    final text.
    """
    return [
        Edit(
            answer_run_id=run_id,
            question_id=item.question_id,
            question=item.question,
            proposed=item.text,
            final=item.state.final_answer,
            proposed_verdict=item.draft_verdict,
            final_verdict=item.state.final_verdict,
            verdict_probability=item.verdict_probability,
            status=item.state.status,
            edited_by=item.state.reviewer,
            edited_at=item.state.at,
        )
        for item in items
        if item.state.status in DECIDED and item.state.run_id == run_id
    ]
