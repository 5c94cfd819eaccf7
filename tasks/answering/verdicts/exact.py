"""Exact verdicts: those that a passage states by itself, and passages from which no model may read a verdict.

They come before the fitted model: a past answer to the same question has its own yes or no, a form has its boxes, and
an item of a list says the opposite where the announcement of the list denies it.
"""

from __future__ import annotations

import re

from tasks.answering.conflicts.past_answers import asks_the_same
from tasks.answering.quotes.passages import Passage
from tasks.answering.quotes.quote_context import in_full, is_announced
from tasks.questions.past_rows import VERDICT_PATTERN, VERDICT_WORDS, past_verdict
from tasks.records import Verdict
from tasks.text.dependent_sentences import leans
from tasks.text.names.figures_and_names import figures_of
from tasks.text.negation import denies
from tasks.text.search_terms import terms

LEAST_SHARE = 0.6
"""The least share of the question's words beside a form's choice: the topic alone is no answer."""
_BOX = re.compile("[☐☑☒]")
_SET_STATEMENT = re.compile("[☑☒] [^☐☑☒|]*")
_MARK_CELL = re.compile(r"(?<=[|:])\s*[☐☑☒xX✓✔✗✘●•]\s*(?=\||$)")
_SET_CELL = re.compile(r"(?<=: )[xX✓✔●•](?=\s*(?:\||$))")
_CHOICES = (
    re.compile(rf"(?P<box>[☐☑☒])[\s|:]*(?P<said>{VERDICT_PATTERN})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<said>{VERDICT_PATTERN})\b[\s|:]*(?P<box>[☐☑☒])", re.IGNORECASE),
)


def stated_verdict(question: str, passage: Passage) -> Verdict | None:
    """The verdict of a past answer to the same question, or of a form's set choice; None for other text."""
    if passage.is_past_answer:
        return past_verdict(passage.quote) if asks_the_same(question, passage.past_question) else None
    return chosen_verdict(question, passage.quote) if has_choices(passage.quote) else None


def has_choices(text: str) -> bool:
    """Tell if ``text`` has boxes or marks of a form; a single statement behind a set box is plain text."""
    is_marked = _BOX.search(text) or _MARK_CELL.search(text)
    return bool(is_marked) and not _SET_STATEMENT.fullmatch(text.strip())


def chosen_verdict(question: str, text: str) -> Verdict | None:
    """The verdict of a form's only set box: "☐ Yes ☒ No" is a no, and so is "No: X".

    None for boxes without labels, too few words or not the figures of the question, and a question that denies.
    """
    asked = frozenset(terms(question))
    is_about = bool(asked) and len(asked.intersection(terms(text))) >= LEAST_SHARE * len(asked)
    if not is_about or denies(question) or figures_of(question) - figures_of(text):
        return None
    marked = _SET_CELL.sub("☒", text)
    boxes = len(_BOX.findall(marked))
    readings = [found for pattern in _CHOICES if len(found := list(pattern.finditer(marked))) == boxes]
    chosen = {one["said"].lower() for one in readings[0] if one["box"] != "☐"} if len(readings) == 1 else set()
    return VERDICT_WORDS[chosen.pop()] if len(chosen) == 1 else None


def reading_fault(question: str, passage: Passage) -> str:
    """The reason why a person has to read the verdict, in at most 80 characters; "" where a model may."""
    if passage.is_past_answer:
        return ""
    if has_choices(passage.quote):
        return "the passage has boxes or marks: check which one is set"
    if is_announced(passage):
        return "the quote is an item of a list: read what the list is of"
    if leans(passage.quote) and set(terms(question)) - set(terms(in_full(passage).quote)):
        return "the quote continues another sentence: read both on the page"
    return ""
