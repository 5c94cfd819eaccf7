"""What is quoted is about the thing that the question names, or about another with a name like it."""

from __future__ import annotations

import pytest

from tasks.answering.decision.decide import decide
from tasks.answering.decision.name_mismatch import other_name
from tasks.answering.drafts.draft import Asked, Draft, Proposal
from tasks.answering.quotes.passages import best_quote
from tasks.records import Hit, Question, QuestionKind
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN

PLUS = "Does Acme Cloud Plus cover restores?"


@pytest.mark.parametrize(
    ("question", "quote", "expected"),
    [
        (PLUS, "Acme Standard covers two restores a year.", ("Acme Cloud Plus", "Acme Standard")),
        (PLUS, "With the Acme Cloud Basic plan, restores are yours.", ("Acme Cloud Plus", "Acme Cloud Basic")),
        (
            "What is the role of the Manager of Technical Product Marketing?",
            "The Manager of Product Management leads the team.",
            ("Manager of Technical Product Marketing", "Manager of Product Management"),
        ),
        (
            "Is Windows Server 2016 in use?",
            "We run Windows Server 2022.",
            ("Windows Server 2016", "Windows Server 2022"),
        ),
    ],
)
def test_another_of_the_same_kind_is_told(question: str, quote: str, expected: tuple[str, str]) -> None:
    assert other_name(question, quote, "plans.pdf Cover") == expected


@pytest.mark.parametrize(
    ("question", "quote", "places"),
    [
        (PLUS, "Acme Cloud Plus covers five restores a year, Acme Standard two.", "plans.pdf"),
        (PLUS, "Acme Standard covers two restores a year, which is less.", "Acme-Cloud-Plus.pdf Cover"),
        (PLUS, "Two restores a year are covered.", "plans.pdf Acme Standard"),
        (PLUS, "Acme Cloud covers two restores a year.", "plans.pdf"),
        (PLUS, "The Data Centre covers two restores a year.", "plans.pdf"),
        ("Do you cover restores?", "Acme Standard covers two restores a year.", "plans.pdf"),
        ("Does Acme cover restores?", "Acme Standard covers two restores a year.", "plans.pdf"),
        ("What Is Your Data Retention Policy?", "Our Data Protection Policy says so.", "policy.pdf"),
        (PLUS, "", ""),
        ("", "Acme Standard covers two restores a year.", ""),
    ],
)
def test_nothing_is_told(question: str, quote: str, places: str) -> None:
    assert other_name(question, quote, places) is None


@pytest.mark.parametrize("kind", ["yes_no", "free_text"])
def test_what_is_said_of_another_goes_to_a_person_without_its_yes(kind: QuestionKind) -> None:
    hit = Hit("q", 1, chunk_of("Acme Standard covers two restores a year."), 1.0, 0.9, 0.9, 0.9)
    quote = best_quote(hit.chunk.text, hit)
    assert quote is not None
    asked = Asked(Question("q", 0, PLUS, kind=kind), [hit])
    draft = Draft(quote.quote, None, (quote,), 1.0, proposal=Proposal("yes", 1.0))
    answer = decide(asked, draft, PLAN, "made")
    assert (answer.status, answer.verdict) == ("needs_review", None)
    assert "about “Acme Cloud Plus”, the quote about “Acme Standard”" in answer.detail
    own = Question("q", 0, "Does Acme Standard cover two restores a year?", kind=kind)
    right = decide(Asked(own, [hit]), draft, PLAN, "made")
    assert (right.status, right.verdict) == ("answered", "yes" if kind == "yes_no" else None)
