"""What was answered once: quoted without the yes of another question, and shown to a person where it may be old."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from numpy.typing import NDArray

from configs.weights import Selecting
from tasks.answering.conflicts.past_answers import asks_the_same, doubts_of, without_verdict
from tasks.answering.decision.decide import Remarks, decide
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.quotes.passages import best_quote, passages_of
from tasks.answering.quotes.sentence_selection import FEATURES
from tasks.records import Hit, Question, QuestionKind
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN
from tests.made.embedding_models import words_as_vectors

PAST = "Recovery time objective of four hours or less\nAnswer: Fully\nComments: Enterprise: 4 hours.\nRef: 7"


def row(text: str = PAST, file_name: str = "past.csv") -> Hit:
    return Hit("q", 1, chunk_of(text, file_name=file_name, page_number=None, row_number=7), 1.0, 0.9, 0.9, 0.9)


def page(text: str = "Core tenants are back within eight hours.", file_name: str = "plan.pdf") -> Hit:
    return Hit("q", 2, chunk_of(text, file_name=file_name), 0.9, 0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Answer: Fully\nComments: Enterprise: 4 hours.", "Enterprise: 4 hours."),
        ("Answer: Yes. A mapping of 19 pages is sent.", "A mapping of 19 pages is sent."),
        ("Answer: No, since 2019 another is used", "since 2019 another is used"),
        ("Answer: Not met", None),
        ("Answer: Yes\nComments: ", None),
        ("Answer: 214 people", "Answer: 214 people"),
        ("Answer: Nothing is known", "Answer: Nothing is known"),
    ],
)
def test_what_is_left_of_a_past_answer_without_its_yes_or_no(answer: str, left: str | None) -> None:
    (passage,) = passages_of(row(f"What is asked?\n{answer}"))
    found = without_verdict(passage)
    assert (found.quote.strip() if found else None) == left
    if found:
        assert found.quote == found.chunk.text[found.start - found.chunk.start : found.end - found.chunk.start]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Answer: Yes\nComments: By two people. [row 3] [§ 8 Keys, p. 14]", "Yes. By two people."),
        ("Answer: No. We never sell it [sheet Security controls, row 15].", "No. We never sell it."),
        ("Answer: 214 people [p. 3]", "214 people."),
        ("Answer: It is on by default [unless it is disabled].", "It is on by default [unless it is disabled]."),
    ],
)
def test_a_past_answer_is_given_without_the_places_that_it_cited(answer: str, said: str) -> None:
    (passage,) = passages_of(row(f"What is asked?\n{answer}"))
    assert passage.text == said
    assert passage.quote.strip() == answer, "the passage stays verbatim"


def test_a_past_answer_is_cited_cell_by_cell_without_the_labels_of_its_columns() -> None:
    said = row("Are backups made?\nAnswer: Yes\nComments: By two people, each day.\nRef: 7")
    (passage,) = passages_of(said)
    cited = passage.citations()
    assert [one.quote for one in cited] == ["Yes", "By two people, each day."]
    assert all(said.chunk.text[one.start - said.chunk.start : one.end - said.chunk.start] == one.quote for one in cited)
    assert {one.row_number for one in cited} == {7} and passage.citation() == cited[1]


@pytest.mark.parametrize(
    ("said", "text", "cited"),
    [
        ("Logs are kept for 13 months.", "Logs are kept for 13 months.", ["plan.pdf", "past.csv"]),
        ("Logs are kept for 24 months.", "13 months online.", ["past.csv"]),
        ("Employees stay for 13 months.", "13 months online.", ["past.csv"]),
    ],
)
def test_a_document_with_the_facts_of_a_past_answer_is_quoted_with_it(said: str, text: str, cited: list[str]) -> None:
    past = row("How long are tenant audit logs kept?\nAnswer: 13 months online.")
    asked = Asked(Question("q", 0, "How long are the tenant audit logs kept?"), [past, page(said)])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([asked])
    answer = decide(asked, draft, PLAN, "extractive")
    assert answer.text == text and [one.file_name for one in answer.citations] == cited


@pytest.mark.parametrize(("of_document", "first"), [(2.7, "past.csv"), (3.3, "plan.pdf")])
def test_a_past_answer_and_a_document_of_other_facts_are_ranked_alike(of_document: float, first: str) -> None:
    """ "27 people work part-time" of a handbook stood before "we employ 207" of last year's questionnaire."""
    asked = Asked(
        Question("q", 0, "How many people work for you?"),
        [row("How many people do you employ?\nAnswer: 207 in May."), page("At present 27 people work part-time.")],
    )

    def read(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return np.array([3.0 if "207" in passage else of_document for _, passage in pairs], np.float32)

    by_reading = Selecting(weights=dict.fromkeys(FEATURES, 0.0) | {"reading": 1.0}, intercept=0, share=0, reading=1)
    generator = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1, read, weights=by_reading)
    (draft,) = generator.draft([asked])
    assert [one.file_name for one in draft.citations] == [first]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("How many people do you employ?", "How many people do you employ", True),
        ("When was your last penetration test?", "When was the last penetration test?", True),
        ("What is your recovery time objective?", "Recovery time objective of four hours or less", False),
        ("Is a restore tested within 4 hours?", "Is a restore tested within 8 hours?", False),
        ("Is a penetration test made every year?", "Is a threat-led penetration test made?", False),
        ("Is data encrypted at rest?", "Is your data encrypted at rest?", True),
        ("Is data encrypted at rest?", "Is data at rest encrypted?", False),
        ("Do your employees have access to our data?", "Do our employees have access to your data?", False),
        ("Does the vendor tell the customer of breaches?", "Does the customer tell the vendor of breaches?", False),
        ("Is production data copied to test systems?", "Is test data copied to production systems?", False),
        ("Do you scan your suppliers?", "Do you scan our suppliers?", False),
        ("Is there a secure area?", "Is there a security area?", False),
        ("Are policies reviewed yearly?", "Is the policy reviewed yearly?", True),
        ("Do you employ a DPO?", "Do you employ any DPO, please?", True),
        ("Is data stored in the EU?", "Is data stored outside the EU?", False),
        ("Is data encrypted at rest?", "Is data not encrypted at rest?", False),
        ("Is support given during the night?", "Is support given outside the night?", False),
        ("Can data be read with approval?", "Can data be read without approval?", False),
        ("Is it tested before release?", "Is it tested after release?", False),
        ("Are backups made on site?", "Are backups made off site?", False),
        ("May customers audit you?", "May you audit customers?", False),
        ("Is access given in the Enterprise plan?", "Is access given in the Starter plan?", False),
        ("Is it kept for three years?", "Is it kept for 3 years?", True),
        ("Are all logs kept?", "Are logs kept?", False),
        ("Do you hold ISO 27001?", "Do you hold an ISO/IEC 27001?", True),
        ("Is it built after BS EN ISO 22301?", "Is it built after ISO 22301?", True),
        ("Do you follow SP 800-53?", "Do you follow NIST SP 800-53?", True),
        ("Do you hold ISO/IEC 27001 and ISO 9001?", "Do you hold ISO 27001 and ISO 9001?", True),
        ("Do you hold ISO 27001?", "Do you hold ISO/IEC 27701?", False),
        ("Do you hold ISO 27001?", "Do you hold ISO 27001:2022?", False),
        ("Do you follow NIST 27001?", "Do you follow ISO 27001?", False),
        ("Do you hold ISO 27001 and SOC 2?", "Do you hold SOC 2 and ISO 27001?", False),
        ("Is data kept in the EU 30 days?", "Is data kept 30 days?", False),
        ("Is SSL 3 in use?", "Is TLS 3 in use?", False),
        ("", "", True),
        ("Is it?", "Are they?", False),
        ("What is your recovery time objective (RTO)?", "What is your RTO?", True),
        ("What is your recovery time objective (RTO)?", "What is the recovery time objective?", True),
        ("What is your recovery time objective (RTO)?", "What is your recovery point objective (RPO)?", False),
        ("Is data encrypted (at rest)?", "Is data encrypted (in transit)?", False),
    ],
)
def test_which_questions_ask_the_same(one: str, other: str, is_same: bool) -> None:
    assert asks_the_same(one, other) is is_same


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("What is your recovery time objective?", "free_text", "Enterprise: 4 hours."),
        ("Is the recovery time of a tenant tested?", "yes_no", "Enterprise: 4 hours."),
        ("Recovery time objective of four hours or less?", "yes_no", "Fully. Enterprise: 4 hours."),
    ],
)
def test_the_yes_of_a_past_answer_is_said_to_its_own_question_alone(
    question: str, kind: QuestionKind, text: str
) -> None:
    generator = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1)
    (draft,) = generator.draft([Asked(Question("q", 0, question, kind=kind), [row()])])
    assert draft.text == text


def test_a_bare_yes_to_something_else_is_no_evidence() -> None:
    bare = row("Is a threat-led penetration test made?\nAnswer: Yes")
    asked = Asked(Question("q", 0, "Who makes the penetration test?"), [bare])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([asked])
    assert (draft.text, draft.declined) == (None, "no_evidence")
    beside = asked._replace(hits=[bare, page("The penetration test is made by an outside firm.")])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([beside])
    assert draft.text == "The penetration test is made by an outside firm."


def test_a_past_answer_that_is_older_than_a_document_or_was_asked_otherwise_goes_to_a_person() -> None:
    question = Question("q", 0, "What is your recovery time objective?")
    asked = Asked(question, [row(), page()])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([asked])
    days = {row().chunk.document_id: date(2025, 6, 12), page().chunk.document_id: date(2026, 7, 6)}
    doubts = doubts_of(asked, draft.citations, days.get)
    assert doubts == [
        "past.csv answered another question: “Recovery time objective of four hours or less”",
        "past.csv (12 June 2025) is older than plan.pdf (6 July 2026): check that it still holds",
    ]
    answer = decide(asked, draft, PLAN, "extractive", Remarks(doubts=doubts))
    assert answer.status == "needs_review" and doubts[1] in answer.detail


def test_a_past_answer_that_is_newer_and_was_asked_alike_is_not_doubted() -> None:
    said = row("How many people do you employ?\nAnswer: 214")
    asked = Asked(Question("q", 0, "How many people do you employ?"), [said, page("We employ people in two towns.")])
    citation = next(passages_of(said)).citation()
    days = {said.chunk.document_id: date(2026, 8, 1), page().chunk.document_id: date(2026, 7, 6)}
    assert doubts_of(asked, [citation], days.get) == []
    assert doubts_of(asked, [citation], {page().chunk.document_id: date(2026, 7, 6)}.get) == [], "of no known day"


def test_approved_answers_are_not_held_against_the_days_of_documents() -> None:
    said = row("How many people do you employ?\nAnswer: 214", file_name="library:approved.csv")
    asked = Asked(Question("q", 0, "How many people do you employ?"), [said, page()])
    days = {said.chunk.document_id: date(2025, 8, 1), page().chunk.document_id: date(2026, 7, 6)}
    assert doubts_of(asked, [next(passages_of(said)).citation()], days.get) == []


def test_what_a_document_says_is_not_doubted_for_a_past_answer_beside_it() -> None:
    asked = Asked(Question("q", 0, "How soon are Core tenants back?"), [row(), page()])
    citation = next(passages_of(page())).citation()
    assert doubts_of(asked, [citation], lambda document_id: date(2026, 7, 6)) == []


TESTED = "Supplier performs threat-led penetration testing.\nAnswer: {}. A yearly penetration test is done by a firm."


@pytest.mark.parametrize(
    ("answer", "claim", "is_kept"),
    [
        ("Not met", "The supplier performs threat-led penetration testing.", False),
        ("Not met", "A yearly penetration test is done by a firm.", True),
        ("Partly met", "The supplier performs threat-led penetration testing.", False),
        ("Partly met", "The supplier performs threat-led penetration testing in part.", True),
        ("Met", "The supplier performs threat-led penetration testing.", True),
    ],
)
def test_what_was_asked_bears_nothing_out_that_was_not_answered_by_yes(answer: str, claim: str, is_kept: bool) -> None:
    hit = row(TESTED.format(answer))
    cited = best_quote(claim, hit)
    assert cited is not None
    asked = Asked(Question("q", 0, "Do you test?", kind="free_text"), [hit])
    (draft,) = check_drafts([asked], [Draft(claim, None, (cited,), 0.0)], Opinions())
    assert (draft.text == claim) is is_kept
