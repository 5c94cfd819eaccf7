"""The nearest fact, shown where there is no answer: a whole sentence, a row, or an item with what announces it.

A heading or a title says nothing, and the rest of a sentence may say the opposite of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.answering.quotes.context_passages import is_of
from tasks.answering.quotes.passages import Passage, heads_a_table, most_like, passages_of
from tasks.answering.quotes.quote_context import announces_nothing, in_full
from tasks.questions.expected_answer import is_about
from tasks.records import Citation, Hit
from tasks.text.dependent_sentences import BULLET, CELLS, LABEL, NUMBER

_ENDS = re.compile(r"[.!…;][\s\"'”’)\]]*$")


def whole_fact(near: Citation | None, question: str, hits: Sequence[Hit]) -> Citation | None:
    """The nearest fact: ``near`` where it is whole, else the whole sentence around it, else another fact of the hits
    that is about the question; None where there is no such fact, and where ``near`` is None.
    """
    if near is None:
        return None
    passages = [passage for hit in hits for passage in passages_of(hit)]
    touching = [one for one in passages if is_of(near, one)]
    if any(
        one.is_past_answer or (near.start <= one.start and one.end <= near.end and is_whole(one)) for one in touching
    ):
        return near
    for one in touching:
        if is_whole(full := in_full(one)):
            return full.citation()
    others = [one for one in passages if is_whole(one) and is_about(question, one.quote)]
    best = most_like(question, others)
    return best.citation() if best else None


def is_whole(passage: Passage) -> bool:
    """Tell if a passage says something as it stands: no title, no head of a table, no part of a sentence."""
    if passage.is_past_answer:
        return True
    quote = passage.quote.strip()
    begins_small = quote[:1].islower() and not quote[1:2].isupper()
    if passage.begins_midway or passage.ends_midway or begins_small:
        return False
    if heads_a_table(passage) or announces_nothing(passage):
        return False
    if quote.casefold() in (line.strip().casefold() for line in passage.chunk.context.splitlines()):
        return False
    is_row = passage.chunk.row_number is not None or bool(CELLS.search(quote))
    # "Owner: Head of Operations" is no sentence, and tells something.
    is_listed = any(mark.match(quote) for mark in (BULLET, NUMBER, LABEL)) or "\n" in quote
    return is_row or is_listed or bool(_ENDS.search(quote))
