"""Shortening of a quote that is too long for the customer: a shorter quote from the same place, where there is one.

It is a whole sentence, or a line of a past answer, so that it is still a quote. A sentence that says less of what is
asked is not taken: then the long quote stays, and a person is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tasks.answering.drafts.draft import Asked, Draft, longest_text
from tasks.answering.quotes.passages import Passage, heads_a_table, most_like, passages_of
from tasks.answering.quotes.quote_context import announces_nothing, is_announced
from tasks.questions.expected_answer import missed
from tasks.text.dependent_sentences import leans
from tasks.text.negation import denies
from tasks.text.search_terms import terms
from tasks.text.sentences import sentence_spans


def shortened(asked: Asked, draft: Draft) -> Draft:
    """The draft shortened to the customer's limit, where it is verbatim and a shorter quote is there."""
    limit = longest_text(asked.question)
    within = longest_text(asked.question, draft.text or "")
    if draft.text is None or not draft.is_verbatim or limit is None or within is None or len(draft.text) <= within:
        return draft
    lacks = _lacking(asked, draft.text)
    # A line of a past answer has few of the question's words: what it tells is seen by what it has.
    fitting = (
        one
        for one in _shorter(asked, draft)
        if len(one.text) <= limit and (not one.is_past_answer or _lacking(asked, one.text) <= lacks)
    )
    passage = most_like(asked.question.text, fitting)
    if passage is None:
        return draft
    return replace(
        draft,
        text=passage.text,
        citations=passage.citations(),
        nearest_fact=passage.citation(),
        detail=f"the best quote has {len(draft.text)} characters: a shorter one stands in its place",
        compared_text=draft.compared_text if passage.is_past_answer else passage.matched_text,
    )


def _lacking(asked: Asked, text: str) -> set[str]:
    """The reasons why ``text`` is no answer of the kind asked for: a part must not have more of them than the whole."""
    return set(missed(asked.question.text, text)) if asked.question.kind != "yes_no" else set()


def _shorter(asked: Asked, draft: Draft) -> Iterator[Passage]:
    """The passages that may take the place of the draft's quote, from the same document."""
    cited = draft.citations[0]
    needed = set(terms(asked.question.text)) & set(terms(cited.quote))
    for passage in (passage for hit in asked.hits for passage in passages_of(hit)):
        if passage.document_id != cited.document_id:
            continue
        if passage.is_past_answer:
            if passage.start <= cited.start < passage.end:
                # What stands before what is quoted is the yes or no to another question.
                yield from _lines(replace(passage, start=cited.start))
            continue
        says_as_much = needed and needed <= set(terms(passage.quote)) and not _needs_more(passage)
        keeps_verdict = asked.question.kind != "yes_no" or denies(passage.quote) == denies(cited.quote)
        if says_as_much and keeps_verdict:
            yield passage


def _needs_more(passage: Passage) -> bool:
    is_whole = not (passage.begins_midway or passage.ends_midway)
    stands_alone = not (leans(passage.quote) or is_announced(passage))
    return not (is_whole and stands_alone) or announces_nothing(passage) or heads_a_table(passage)


def _lines(passage: Passage) -> Iterator[Passage]:
    """The lines of a past answer and the sentences of these, in order."""
    at = passage.start
    for line in passage.quote.splitlines(keepends=True):
        for begin, end in [(0, len(line.rstrip())), *sentence_spans(line)]:
            yield replace(passage, start=at + begin, end=at + end)
        at += len(line)
