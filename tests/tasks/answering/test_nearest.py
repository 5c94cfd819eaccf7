"""The nearest fact of a decline: a whole sentence or row, and no title or rest of a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.quotes.nearest_fact import whole_fact
from tasks.answering.quotes.passages import sentences_of_hit
from tasks.records import Chunk, Citation, Hit, Question
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN

QUESTION = "When was the penetration test of last year?"
TEXT = """Halden Gate Security Policy
Penetration tests
The last
test was in November 2024.
Owner: Head of Operations and Security
A penetration test is carried out once a year.
Test | Interval | Done by
Penetration test | 12 months | Outside firm"""


def hit(text: str = TEXT, start: int = 0) -> Hit:
    chunk = replace(chunk_of(text, start=start), section_path="Policy > Penetration tests", context="Product FAQ")
    return Hit("q", 1, chunk, 0.9, 0.9, 0.5, 0.9)


def quoted(quote: str, chunk: Chunk) -> Citation:
    at = chunk.start + chunk.text.index(quote)
    return Citation(chunk.document_id, chunk.file_name, "0", 1, quote, at, at + len(quote))


@pytest.mark.parametrize(
    ("near", "shown"),
    [
        ("A penetration test is carried out once a year.", "A penetration test is carried out once a year."),
        ("Penetration test | 12 months | Outside firm", "Penetration test | 12 months | Outside firm"),
        ("Owner: Head of Operations and Security", "Owner: Head of Operations and Security"),
        ("test was in November 2024.", "A penetration test is carried out once a year."),
        ("Penetration tests", "A penetration test is carried out once a year."),
        ("Halden Gate Security Policy", "A penetration test is carried out once a year."),
        ("Test | Interval | Done by", "A penetration test is carried out once a year."),
    ],
)
def test_what_is_no_whole_fact_gives_way_to_one(near: str, shown: str) -> None:
    found = whole_fact(quoted(near, hit().chunk), QUESTION, [hit()])
    assert found is not None and found.quote == shown
    assert TEXT[found.start : found.end] == found.quote


def test_where_there_is_no_other_nothing_is_shown() -> None:
    chunk = hit("objective is 15 minutes.\nProduct FAQ\nHalden Gate Security Policy", start=500)
    for passage in sentences_of_hit(chunk):
        assert whole_fact(passage.citation(), "What is the recovery point objective?", [chunk]) is None
    assert whole_fact(None, QUESTION, [hit()]) is None
    near = quoted("A penetration test is carried out once a year.", hit().chunk)
    assert whole_fact(near, "Which colour has the canteen?", [hit()]) == near
    assert whole_fact(near, QUESTION, []) is None


def test_the_whole_sentence_is_shown_where_a_part_of_it_is_near() -> None:
    text = "Restores are rehearsed twice a year by the operations team. Doors are shut."
    found = whole_fact(quoted("twice a year by the operations", hit(text).chunk), "How often?", [hit(text)])
    assert found is not None and found.quote == text.partition(" Doors")[0]


def test_a_past_answer_stays_as_it_is_quoted() -> None:
    past = hit("Question: Is there a test?\nAnswer: Yes\nComments: once a year")
    row = replace(past, chunk=replace(past.chunk, row_number=4))
    near = quoted("once a year", row.chunk)
    assert whole_fact(near, QUESTION, [row]) == near


def test_a_decline_shows_no_title() -> None:
    asked = Asked(Question("q", 0, QUESTION), [hit()])
    near = quoted("Halden Gate Security Policy", hit().chunk)
    draft = Draft(None, None, (), 0.0, declined="unsupported", nearest_fact=near)
    answer = decide(asked, draft, PLAN, "openai")
    assert answer.nearest_fact is not None
    assert answer.nearest_fact.quote == "A penetration test is carried out once a year."
