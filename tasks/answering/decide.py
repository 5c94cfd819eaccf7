"""From a draft to an answer: answered, needs review, or declined, with a confidence.

The evidence score in [0, 1] is the mean of two signals that do not know each other: the draft's support, and the
share of what the question's words could give in BM25 that the best hit gives. Support is, of extractive drafts, how
near the best quote is to the question in the dense space; of a model's, the share of
the words of its weakest sentence that the cited passages hold.
The length of the question plays no part.
"""

from __future__ import annotations

from typing import Literal

from configs.plans import Answering
from tasks.answering.drafting import Asked, Draft, longest_text
from tasks.records import Answer, Hit

HIGH_CONFIDENCE = 0.65


def evidence_score(hits: list[Hit] | tuple[Hit, ...], support: float) -> float:
    """How well the documents bear the question out, in [0, 1]; 0 without hits."""
    share = max((hit.bm25_share for hit in hits), default=0.0)
    return min(1.0, max(0.0, (support + share) / 2))


def decide(asked: Asked, draft: Draft, plan: Answering, generator: str) -> Answer:
    """The answer that ``draft`` becomes under the plan's thresholds."""
    question_id = asked.question.question_id
    confidence = evidence_score(tuple(asked.hits), draft.support)
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


def confidence_label(confidence: float | None, plan: Answering) -> Literal["high", "medium", "low"] | None:
    """The word for a confidence; None where there is none."""
    if confidence is None:
        return None
    if confidence >= max(HIGH_CONFIDENCE, plan.review_below):
        return "high"
    return "medium" if confidence >= plan.review_below else "low"
