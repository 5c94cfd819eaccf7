"""Doubts about an answer because of the language of its question."""

from __future__ import annotations

from configs.plans import Plan
from tasks.text.language_detection import foreign_language

MULTILINGUAL = "bidfolio_multilingual"


def doubts_of_language(question: str, plan: Plan) -> list[str]:
    """The reason why a question in another language than English is for a person; none for all other questions.

    A plan for English names the plan that finds texts by such questions.
    """
    spoken = foreign_language(question)
    if spoken is None:
        return []
    if plan.embedding.align_languages:
        return [f"the question is in {spoken.name}, and answers are weighed in English alone: check the quote"]
    return [
        f"the question is in {spoken.name}, which the plan {plan.name} does not search by: take --plan {MULTILINGUAL} "
        "(of bidfolio's extra multilingual), or ask in English"
    ]
