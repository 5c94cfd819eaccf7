"""What is listed below a heading that denies it: the words of the list alone would say the opposite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.quotes.passages import best_quote
from tasks.records import Hit, Question
from tests.made.drafts import PLAN, checked
from tests.made.hits import hits

LIST = "• Site-to-site tunnels and leased lines.\n• Carrier pigeons of any breed."
DENYING = "Guide > 6 What is not supported"


def below(heading: str, text: str = LIST) -> list[Hit]:
    return [replace(hit, chunk=replace(hit.chunk, section_path=heading)) for hit in hits(text)]


@pytest.mark.parametrize("heading", [DENYING, "Exclusions", "Guide > Out of scope", "Unsupported networks"])
def test_what_a_heading_denies_bears_nothing_out(heading: str) -> None:
    for right in ("No leased lines, and no site-to-site tunnels.", "There are no carrier pigeons of any breed."):
        assert checked(right, below(heading)).declined is None
    draft = checked("There are carrier pigeons of any breed.", below(heading))
    assert draft.declined == "unsupported" and "the same yes or no" in draft.checks[0].detail


@pytest.mark.parametrize(
    ("heading", "said", "text"),
    [
        ("Guide > 6 What is supported", LIST, "There are carrier pigeons of any breed."),
        ("", LIST, "There are carrier pigeons of any breed."),
        (f"{DENYING} > 6.1 Networks", LIST, "There are carrier pigeons of any breed."),
        (DENYING, "Tunnels are offered to all partners.", "Tunnels are offered to partners."),
    ],
)
def test_the_nearest_heading_counts_and_a_sentence_speaks_for_itself(heading: str, said: str, text: str) -> None:
    assert checked(text, below(heading, said)).declined is None


@pytest.mark.parametrize(
    ("heading", "question", "is_told"),
    [
        (DENYING, "Do you offer leased lines?", True),
        (DENYING, "Which networks are not supported?", False),
        ("Guide > 6 Networks", "Do you offer leased lines?", False),
    ],
)
def test_who_asks_for_something_else_sees_what_is_denied(heading: str, question: str, is_told: bool) -> None:
    (hit,) = below(heading)
    quote = best_quote("leased lines", hit)
    assert quote is not None and quote.section_path == heading
    answer = decide(Asked(Question("q", 0, question), [hit]), Draft(quote.quote, None, (quote,), 1.0), PLAN, "made")
    assert ("it is listed under “6 What is not supported”" in answer.detail) == is_told
    assert answer.status == "needs_review" or not is_told
