"""Approved answers: reused where the documents bear them out or are silent, and shown to a person where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from tasks.answering.conflicts.approved_answers import (
    Approved,
    EntryState,
    Library,
    approved_answers,
    contradicted_by_past,
    without_past_answers,
)
from tasks.answering.decision.decide import Remarks, decide
from tasks.answering.drafts.draft import Asked, Draft, Proposal, declined
from tasks.answering.quotes.passages import passages_of
from tasks.library.entries import LibraryEntry
from tasks.records import Citation, Hit, Question, QuestionKind, Verdict
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN
from tests.made.embedding_models import words_as_vectors

NOTICE = "How soon are customers told of a breach?"
AS_IT_IS = str
CUSTOMERS = "The supplier tells customers of a breach within 24 hours."


def entry(question: str = NOTICE, answer: str = "Answer: Within 48 hours.", name: str = "library:past.csv") -> Hit:
    return Hit(
        "q", 1, chunk_of(f"{question}\n{answer}", file_name=name, page_number=None, row_number=7), 1, 0.9, 0.9, 0.9
    )


def page(text: str = CUSTOMERS) -> Hit:
    return Hit("q", 2, chunk_of(text, file_name="agreement.pdf"), 0.9, 0.9, 0.9, 0.9)


def found(
    question: str,
    hits: Sequence[Hit],
    *,
    kind: QuestionKind = "free_text",
    says: Verdict | None = None,
    sure: float = 0.9,
    state: EntryState | None = None,
    not_in_force: str = "",
) -> tuple[Asked, Approved]:
    """What the library gives, where the documents alone would answer with their first sentence."""

    def quote(asked: Sequence[Asked]) -> list[Draft]:
        return [_quoted(item, says, sure) for item in asked]

    def encode(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
        vectors = words_as_vectors(texts)
        return vectors, [vector[None] for vector in vectors]

    asked = Asked(Question("q", 0, question, kind=kind), list(hits))
    library = Library(
        encode, quote, lambda chunk: state or EntryState(), lambda _: date(2024, 1, 1), lambda _: not_in_force, AS_IT_IS
    )
    (one,) = approved_answers([asked], [without_past_answers(hits)], library)
    return asked, one


def _quoted(asked: Asked, says: Verdict | None, sure: float) -> Draft:
    passage = next((one for hit in asked.hits for one in passages_of(hit)), None)
    if passage is None:
        return declined("no_evidence", "nothing")
    proposal = Proposal(says, sure) if says else None
    return Draft(passage.text, None, passage.citations(), 0.9, is_verbatim=True, probability=sure, proposal=proposal)


def test_an_approved_answer_that_a_document_contradicts_goes_to_a_person_with_both_texts() -> None:
    asked, one = found(NOTICE, [entry(), page()])
    assert one.draft is not None
    answer = decide(asked, one.draft, PLAN, "library", Remarks())
    assert answer.status == "needs_review" and answer.text == "Within 48 hours."
    assert answer.detail == (
        "the approved answer and the documents contradict each other: library:past.csv, row 7 says “Within 48 hours.”, "
        f"agreement.pdf, p. 1 says “{CUSTOMERS}”: decide which is right"
    )
    assert (answer.confidence or 0.0) < PLAN.review_below, "what is doubted is not shown as sure"
    assert answer.is_withheld and answer.nearest_fact is not None and answer.nearest_fact.quote == CUSTOMERS


@pytest.mark.parametrize(
    ("hits", "cited"),
    [
        ([entry()], ["library:past.csv"]),
        ([entry(), page("The supplier has an office in Cork for its customers.")], ["library:past.csv"]),
        ([entry(), page("Customers are told of a breach within two days.")], ["agreement.pdf", "library:past.csv"]),
    ],
    ids=["alone", "silent", "borne out in another unit"],
)
def test_it_is_given_where_the_documents_bear_it_out_or_are_silent(hits: list[Hit], cited: list[str]) -> None:
    asked, one = found(NOTICE, hits)
    assert one.draft is not None
    answer = decide(asked, one.draft, PLAN, "library", Remarks())
    assert (answer.status, answer.text, answer.detail) == ("answered", "Within 48 hours.", "")
    assert not answer.is_withheld and answer.nearest_fact is None
    assert [citation.file_name for citation in answer.citations] == cited


@pytest.mark.parametrize(("says", "status", "verdict"), [("no", "needs_review", None), ("yes", "answered", "yes")])
def test_the_opposite_yes_or_no_is_a_contradiction(says: Verdict, status: str, verdict: str | None) -> None:
    past = entry("Are laptops encrypted?", "Answer: Yes\nComments: By BitLocker.")
    asked, one = found(
        "Are laptops encrypted?", [past, page("Laptops are encrypted or not.")], kind="yes_no", says=says
    )
    assert one.draft is not None
    answer = decide(asked, one.draft, PLAN, "library", Remarks())
    assert (answer.status, answer.verdict, answer.proposed_verdict) == (status, verdict, "yes")
    assert answer.verdict_probability == (1.0 if verdict else 0.5), "a doubted yes is not filled in"


@pytest.mark.parametrize(("sure", "not_in_force"), [(0.3, ""), (0.9, "superseded by version 2")])
def test_a_doubtful_quote_and_a_document_out_of_force_overrule_nothing(sure: float, not_in_force: str) -> None:
    _, one = found(NOTICE, [entry(), page()], sure=sure, not_in_force=not_in_force)
    assert one.draft is not None and not one.draft.overruled_by


def test_an_answer_in_nearly_the_words_of_a_sentence_is_held_against_it_however_doubtful_it_is() -> None:
    past = entry(answer="Answer: The supplier tells customers of a breach within 48 hours.")
    _, one = found(NOTICE, [past, page()], sure=0.1)
    assert one.draft is not None and "within 24 hours" in one.draft.overruled_by[0]


def test_an_entry_that_no_longer_stands_goes_to_a_person_and_cites_where_its_evidence_is_now() -> None:
    place = Citation("d", "agreement.pdf", "0", 4, "within 48 hours", 0, 15)
    told = "the page changed: agreement.pdf, p. 3 read “within 48 hours”, it reads now: “within 24 hours”"
    asked, one = found(NOTICE, [entry()], state=EntryState((told,), (place,)))
    assert one.draft is not None
    answer = decide(asked, one.draft, PLAN, "library", Remarks())
    assert (answer.status, answer.detail) == ("needs_review", told)
    assert [citation.file_name for citation in answer.citations] == ["agreement.pdf", "library:past.csv"], (
        "a page that can be looked at first"
    )


def test_the_newest_in_the_same_words_is_taken_and_another_that_differs_is_shown() -> None:
    other = replace(entry(answer="Answer: Within 10 hours.", name="library:older.csv"), rank=2)
    _, one = found(NOTICE, [entry(), other])
    assert one.draft is not None and one.draft.text == "Within 48 hours."
    assert one.draft.overruled_by == [
        "two approved answers contradict each other: library:past.csv, row 7 says “Within 48 hours.”, "
        "library:older.csv, row 7 says “Within 10 hours.”: decide which is right"
    ]


@pytest.mark.parametrize(
    ("kind", "verdict", "text", "given"),
    [
        ("yes_no", "yes", "We enforce\nMFA", "We enforce\nMFA"),
        ("yes_no", "yes", "Yes. We enforce MFA.", "Yes. We enforce MFA."),
        ("yes_no", "yes", None, "Yes"),
        ("yes_no", "not_applicable", "We have no office.", "N/A. We have no office."),
        ("free_text", "yes", "We enforce MFA.", "Yes. We enforce MFA."),
        ("free_text", None, "We enforce MFA.", "We enforce MFA."),
    ],
)
def test_the_text_is_as_it_was_approved_and_says_its_verdict_only_where_nothing_else_does(
    kind: QuestionKind, verdict: Verdict | None, text: str | None, given: str
) -> None:
    question = "Is MFA enforced?"
    cells = f"Answer: {'Yes' if verdict == 'yes' else 'N/A'}\nComments: We enforce MFA" if text else "Answer: Yes"
    state = EntryState(entry=LibraryEntry(question, text, verdict))
    _, one = found(question, [entry(question, cells)], kind=kind, state=state)
    assert one.draft is not None and one.draft.text == given


def test_two_approved_answers_in_one_wording_with_opposite_verdicts_contradict_each_other() -> None:
    asked, full = "Is MFA enforced for admins?", "Is multi-factor authentication enforced for administrators?"
    hits = [
        entry(asked, "Answer: Yes\nComments: We enforce MFA."),
        replace(entry(full, "Answer: No\nComments: We enforce MFA.", "library:other.csv"), rank=2),
    ]
    _, one = found("Is multi-factor authentication (MFA) enforced for admins?", hits, kind="yes_no")
    assert one.draft is not None and one.draft.is_contradicted
    (told,) = one.draft.overruled_by
    assert "row 7 says yes: “We enforce MFA.”, library:other.csv, row 7 says no: “We enforce MFA.”" in told


def test_a_similar_question_is_shown_beside_the_draft_and_answers_nothing() -> None:
    _, one = found("How soon are customers told of a breach of personal data?", [entry(), page()])
    assert one.draft is None
    assert one.similar == (f"similar, approved (library:past.csv, row 7): “{NOTICE}” → “Within 48 hours.”",)
    assert found("How soon?", [page()])[1] == Approved()


def test_a_draft_that_a_past_submission_contradicts_is_shown_with_it() -> None:
    past, document = entry(name="tender-2023.csv"), page()
    asked = Asked(Question("q", 0, NOTICE), [document, past])
    draft = _quoted(Asked(asked.question, [document]), None, 0.9)
    assert contradicted_by_past(asked, draft, AS_IT_IS) == [
        f"an earlier answer says otherwise: agreement.pdf, p. 1 says “{CUSTOMERS}”, tender-2023.csv, row 7 says "
        "“Within 48 hours.”: decide which is right"
    ]
    agreeing = asked._replace(hits=[document, entry(answer="Answer: 24 hours.", name="tender-2023.csv")])
    assert contradicted_by_past(agreeing, draft, AS_IT_IS) == []
    assert contradicted_by_past(asked, declined("no_evidence", ""), AS_IT_IS) == []


def test_hits_without_past_answers_are_those_of_documents() -> None:
    assert without_past_answers([]) == []
    assert [hit.chunk.file_name for hit in without_past_answers([entry(), page()])] == ["agreement.pdf"]
    mixed = replace(page(), handed_over=(entry().chunk, page().chunk))
    assert [chunk.file_name for chunk in without_past_answers([mixed])[0].chunks] == ["agreement.pdf"]
