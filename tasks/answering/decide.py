"""From a draft to an answer: answered, needs review, or declined, with a confidence."""

from __future__ import annotations

from typing import Literal

from configs.plans import Answering
from tasks.answering.drafting import Asked, Draft, longest_text
from tasks.answering.evidence import confidence_of
from tasks.records import Answer, Chunk, Citation

HIGH_CONFIDENCE = 0.65


def decide(asked: Asked, draft: Draft, plan: Answering, generator: str) -> Answer:
    """The answer that ``draft`` becomes under the plan's thresholds."""
    question_id = asked.question.question_id
    confidence = confidence_of(asked.hits, draft.support, plan)
    if draft.declined is not None or draft.text is None or not draft.citations:
        return Answer(
            question_id,
            "failed" if draft.declined == "generator_failed" else "declined",
            confidence=confidence,
            decline_reason=draft.declined or "unsupported",
            detail=draft.detail or "the draft cites nothing",
            generator=generator,
            nearest_fact=draft.nearest_fact,
        )
    if confidence < plan.decline_below:
        return Answer(
            question_id,
            "declined",
            confidence=confidence,
            decline_reason="weak_evidence",
            detail="the documents come near and do not settle it",
            generator=generator,
            nearest_fact=draft.citations[0],
        )
    doubts = []
    # A yes or no on thin evidence would be signed too easily: the passage is shown, and a person says it.
    verdict = draft.verdict if confidence >= plan.review_below else None
    limit = asked.question.max_characters
    if limit is not None and len(draft.text) > (longest_text(asked.question) or 0):
        doubts.append(f"the answer has {len(draft.text)} characters, and the customer takes {limit}")
    if others := _otherwise(asked, draft):
        doubts.append(f"the same is said with other figures or names in {', '.join(others)}: which is meant?")
    if confidence < plan.review_below:
        doubts.append("the evidence is thin")
    elif asked.question.kind == "yes_no" and verdict is None:
        doubts.append("the passage does not say yes or no")
    return Answer(
        question_id,
        "needs_review" if doubts else "answered",
        text=draft.text,
        verdict=verdict,
        confidence=confidence,
        detail="; ".join(filter(None, [*doubts, draft.detail])),
        generator=generator,
        citations=draft.citations,
    )


def _otherwise(asked: Asked, draft: Draft) -> list[str]:
    """Where twins of what the draft cites say it otherwise, each once."""
    return list(
        dict.fromkeys(
            other.locator
            for hit in asked.hits
            for other in hit.duplicates
            if other.differs and any(_is_from(citation, hit.chunk) for citation in draft.citations)
        )
    )


def _is_from(citation: Citation, chunk: Chunk) -> bool:
    is_same = citation.document_id == chunk.document_id
    return is_same and citation.start < chunk.end and chunk.start < citation.end


def confidence_label(confidence: float | None, plan: Answering) -> Literal["high", "medium", "low"] | None:
    """The word for a confidence; None where there is none.

    Of a probability, what is answered is high and what a person has to look at medium.
    """
    if confidence is None:
        return None
    high, medium = max(HIGH_CONFIDENCE, plan.review_below), plan.review_below
    if plan.confidence is not None:
        high, medium = plan.review_below, plan.decline_below
    if confidence >= high:
        return "high"
    return "medium" if confidence >= medium else "low"
