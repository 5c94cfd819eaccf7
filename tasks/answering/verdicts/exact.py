"""Verdicts that a passage states by itself, and passages that no model may read a verdict from.

These come before the fitted model: a past answer to the same question has its own yes or no, a form has its boxes, and
an item of a list says the opposite where what announces the list denies it.
"""

from __future__ import annotations

from tasks.answering.conflicts.past_answers import asks_the_same
from tasks.answering.entailment.polarity import has_choices, past_verdict, sentence_verdict
from tasks.answering.quotes.passages import Passage
from tasks.answering.quotes.quote_context import in_full, is_announced
from tasks.chunking.cuts import leans
from tasks.embedding.bm25 import terms
from tasks.records import Verdict


def stated_verdict(question: str, passage: Passage) -> Verdict | None:
    """The verdict of a past answer to the same question, or the choice that is set in a form; None of other text."""
    if passage.is_past_answer:
        return past_verdict(passage.quote) if asks_the_same(question, passage.past_question) else None
    return sentence_verdict(question, passage.quote) if has_choices(passage.quote) else None


def reading_fault(question: str, passage: Passage) -> str:
    """Why a person has to read the verdict from the passage, in at most 80 characters; "" where a model may."""
    if passage.is_past_answer:
        return ""
    if has_choices(passage.quote):
        return "the passage has boxes or marks: see which one is set"
    if is_announced(passage):
        return "it is an item of a list: see what the list is of"
    if leans(passage.quote) and set(terms(question)) - set(terms(in_full(passage).quote)):
        return "the sentence goes on from another, which does not name what is asked"
    return ""
