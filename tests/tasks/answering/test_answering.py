"""Passages, stated verdicts, the extractive generator and the decision, on chunks made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from configs.plans import Answering, Confidence, Selection
from tasks.answering.decision.answerability import read_for, weakest_match
from tasks.answering.decision.decide import confidence_label, decide
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.quotes.passages import passages_of
from tasks.answering.verdicts.exact import chosen_verdict, has_choices
from tasks.questions.past_rows import past_verdict
from tasks.records import Answer, PageSpan, Question
from tests.made.drafts import PLAN
from tests.made.embedding_models import words_as_vectors
from tests.made.hits import hit


def test_a_sentence_over_a_page_end_is_cut_there() -> None:
    text = "Backups are taken every four hours and copied to Dublin each day at noon."
    middle = 100 + text.index("and copied")
    spans = (PageSpan(1, 100, middle), PageSpan(2, middle, 100 + len(text)))
    found = list(passages_of(hit(text, spans=spans)))
    assert [(p.page_number, p.quote) for p in found] == [
        (1, "Backups are taken every four hours "),
        (2, "and copied to Dublin each day at noon."),
    ]
    assert all(p.quote in text for p in found)


@pytest.mark.parametrize(
    "text",
    [
        "Is every backup encrypted before it leaves the region?",
        "4.2 Backups . . . . . . . . . . . . . . . . . 12",
        "Backups",
        "Yes. No. 12.",
    ],
)
def test_what_says_nothing_is_not_quoted(text: str) -> None:
    assert not list(passages_of(hit(text)))


def test_of_a_past_answer_only_the_answer_is_quoted() -> None:
    row = hit("Do you encrypt backups?\nAnswer: Yes\nComments: With AES-256.\nRef: TC-02", row=7)
    (passage,) = passages_of(row)
    assert passage.text == "Yes. With AES-256."
    assert passage.quote == "Answer: Yes\nComments: With AES-256."
    assert passage.is_past_answer and passage.matched_text == row.chunk.text
    assert passage.citation().locator == "policy.pdf, row 7"


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("Answer: Yes, since 2019", "yes"),
        ("Answer: Yes\nComments: With AES-256.", "yes"),
        ("Answer: No", "no"),
        ("Answer: Not met", "no"),
        ("Answer: Partly", "partial"),
        ("Answer: Y\nComments: With AES-256.", "yes"),
        ("Answer: N", "no"),
        ("Answer: N. America alone", None),
        ("Answer: n.a.", None),
        ("Answer: NA", "not_applicable"),
        ("Answer: Fully compliant. By TDE.", "yes"),
        ("Answer: Compliant", "yes"),
        ("Answer: Compliant hosts are scanned", None),
        ("Answer: Partially compliant", "partial"),
        ("Answer: Non-compliant", "no"),
        ("Answer: Not implemented (planned)", "no"),
        ("Answer: Fully", "yes"),
        ("Answer: N/A", "not_applicable"),
        ("Answer: Nothing is known", None),
        ("Answer: £5 million each.", None),
        ("Answer: No later than 30 days, yes", None),
        ("Answer: No issues were found; yes", None),
        ("We said: Yes", None),
    ],
)
def test_past_verdicts(quote: str, verdict: str | None) -> None:
    assert past_verdict(quote) == verdict


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        ("Are access logs reviewed daily?", "☐ Access logs are reviewed daily.", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily? ☒ Yes ☐ No", "yes"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily? | ☐ Yes | ☒ No", "no"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | Yes ☒ | No ☐", "yes"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily? ☐ Yes ☒", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily? ☒ Yes ☒ No", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily? ☐ Yes ☐ No", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | ☐ | ☒", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | X", None),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | Yes: X", "yes"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | No: X", "no"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | N/A: ✓", "not_applicable"),
        ("Are access logs reviewed daily?", "Access logs are reviewed daily | Planned: X", None),
        ("Are access logs not reviewed daily?", "Access logs are reviewed daily? ☒ Yes ☐ No", None),
        ("Are access logs of 90 days reviewed daily?", "Access logs are reviewed daily? ☒ Yes ☐ No", None),
        ("Are laptops encrypted?", "Access logs are reviewed daily? ☒ Yes ☐ No", None),
        ("", "☒ Yes ☐ No", None),
    ],
)
def test_the_choice_that_is_set_in_a_form_is_its_verdict(question: str, text: str, verdict: str | None) -> None:
    assert has_choices(text) and chosen_verdict(question, text) == verdict


def test_one_statement_behind_a_set_box_is_plain_text() -> None:
    assert not has_choices("☒ Access logs are reviewed daily.") and not has_choices("Logs are reviewed.")


def test_the_extractive_answer_is_verbatim_and_on_its_page() -> None:
    text = "We close at six. Database snapshots are taken every four hours and kept for 35 days. Cats may come too."
    question = Question("q", 0, "How often are database snapshots taken?")
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([Asked(question, [hit(text)])])
    assert draft.text == "Database snapshots are taken every four hours and kept for 35 days."
    (citation,) = draft.citations
    assert (citation.page_number, citation.quote) == (3, draft.text)
    assert text[citation.start - 100 : citation.end - 100] == citation.quote


@pytest.mark.parametrize(
    ("limit", "sentences", "doubted"),
    [(None, 2, False), (200, 2, False), (90, 1, False), (30, 1, True)],
)
def test_a_limit_of_the_customer_is_kept_or_named(limit: int | None, sentences: int, doubted: bool) -> None:
    text = "Database snapshots are taken every four hours. Database snapshots are taken also every four weeks."
    question = Question("q", 0, "How often are database snapshots taken?", max_characters=limit)
    asked = Asked(question, [hit(text)])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([asked])
    assert draft.text and len(draft.citations) == sentences
    answer = decide(asked, draft, PLAN, "extractive")
    assert ("too long" in answer.detail) == doubted
    assert not doubted or answer.status == "needs_review"


def test_a_yes_or_no_takes_its_part_of_a_limit_only_where_it_shares_the_cell() -> None:
    text = "All backups are encrypted with AES-256 before they are kept."
    shared = Question("q", 0, "Are all backups encrypted with AES-256?", kind="yes_no", max_characters=len(text))
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([Asked(shared, [hit(text)])])
    said = decide(Asked(shared, [hit(text)]), draft, PLAN, "extractive").detail
    assert "too long at 60 characters: shorten it to 51, which the yes or no leaves of 60" in said
    apart = Asked(replace(shared, verdict_apart=True), [hit(text)])
    assert "too long" not in decide(apart, draft, PLAN, "extractive").detail
    short = Asked(replace(apart.question, max_characters=59), apart.hits)
    said = decide(short, draft, PLAN, "extractive").detail
    assert "too long at 60 characters: shorten it to 59" in said and "yes or no leaves" not in said


def test_a_sentence_that_leans_is_drafted_with_the_one_before_it_and_compared_alone() -> None:
    leaning = "They are rotated every 90 days by the vault."
    text = f"Keys of customers are kept in Dublin. {leaning} Visitors sign in at the desk."
    question = Question("q", 0, "Are they rotated every 90 days by the vault?", kind="yes_no")
    generator = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1)
    (draft,) = generator.draft([Asked(question, [hit(text)])])
    assert draft.text == f"Keys of customers are kept in Dublin. {leaning}" == draft.citations[0].quote
    assert draft.compared_text == leaning == read_for(Asked(question, [hit(text)]), draft)
    short = replace(question, max_characters=60)
    (draft,) = generator.draft([Asked(short, [hit(text)])])
    assert draft.text == leaning, "the customer leaves no room for more"


def test_a_heading_within_a_chunk_is_no_draft() -> None:
    text = "Backups are kept for 35 days.\nWhere and how backups are kept safe\nCopies of them stand in Dublin."
    sectioned = hit(text)
    starts = ((100 + text.index("Where"), "Operations > Where and how backups are kept safe"),)
    sectioned = replace(sectioned, chunk=replace(sectioned.chunk, section_starts=starts))
    question = Question("q", 0, "Where and how are backups kept safe?")
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 1).draft([Asked(question, [sectioned])])
    assert draft.text == "Backups are kept for 35 days."


def test_no_hits_decline_with_no_evidence() -> None:
    asked = Asked(Question("q", 0, "Anything?"), [])
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([asked])
    answer = decide(asked, draft, PLAN, "extractive")
    assert (answer.status, answer.decline_reason, answer.text) == ("declined", "no_evidence", None)
    assert ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([]) == []


def test_a_question_without_a_word_is_declined_for_that() -> None:
    asked = [Asked(Question("q", at, text), []) for at, text in enumerate(['" ( :', "Anything?"])]
    drafts = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft(asked)
    assert [draft.detail for draft in drafts] == ["the question has no words", "no document has a sentence about it"]


def test_what_a_document_says_twice_is_quoted_once() -> None:
    said = "Backups are encrypted with AES-256."
    text = f"{said} Snapshots are taken every four hours. {said}"
    question = Question("q", 0, "Are backups encrypted?")
    (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([Asked(question, [hit(text)])])
    assert (draft.text or "").count(said) == 1


@pytest.mark.parametrize(
    ("support", "share", "kind", "verdict", "status"),
    [
        (0.9, 0.7, "free_text", None, "answered"),
        (0.9, 0.7, "yes_no", "yes", "needs_review"),
        (0.9, 0.7, "yes_no", None, "needs_review"),
        (0.5, 0.3, "free_text", None, "needs_review"),
        (0.3, 0.1, "free_text", None, "declined"),
    ],
)
def test_decisions(support: float, share: float, kind: str, verdict: str | None, status: str) -> None:
    found = hit("Database snapshots are taken every four hours.", share=share)
    (passage,) = passages_of(found)
    asked = Asked(Question("q", 0, "How often?", kind=kind), [found])  # type: ignore[arg-type]
    draft = Draft(passage.quote, verdict, (passage.citation(),), support, is_verbatim=True)  # type: ignore[arg-type]
    answer = decide(asked, draft, PLAN, "extractive")
    assert answer.status == status
    assert (answer.nearest_fact is not None) == (status == "declined")
    assert answer.confidence == pytest.approx((support + share) / 2)


def test_what_a_model_wrote_is_for_a_person_where_the_evidence_is_thin_and_not_lost() -> None:
    found = hit("Database snapshots are taken every four hours.", share=0.1)
    (passage,) = passages_of(found)
    draft = Draft("They are taken every four hours.", None, (passage.citation(),), 0.1)
    answer = decide(Asked(Question("q", 0, "How often?"), [found]), draft, PLAN, "openai")
    assert (answer.status, answer.text) == ("needs_review", draft.text) and "the evidence is thin" in answer.detail


@pytest.mark.parametrize(
    ("probability", "doubt"),
    [(0.9, ""), (0.6, "the documents seem to tell it, perhaps elsewhere: check that the quote answers the question")],
)
def test_a_quote_that_may_not_be_the_right_one_is_not_called_thin_evidence(probability: float, doubt: str) -> None:
    """A high confidence beside thin evidence read as a contradiction."""
    found = hit("Database snapshots are taken every four hours.", share=0.9)
    (passage,) = passages_of(found)
    draft = Draft(passage.quote, None, (passage.citation(),), 0.9, is_verbatim=True, probability=probability)
    plan = PLAN.model_copy(update={"selection": Selection(answered_from=0.75)})
    answer = decide(Asked(Question("q", 0, "How often are snapshots taken?"), [found]), draft, plan, "extractive")
    assert answer.detail == doubt and answer.status == ("needs_review" if doubt else "answered")


@pytest.mark.parametrize(
    ("support", "relevance", "known", "status", "label"),
    [
        (0.5, 8.0, 1.0, "answered", "high"),
        (0.5, 0.0, 1.0, "needs_review", "medium"),
        (0.5, 0.0, 0.2, "declined", None),
        (0.0, 0.0, 1.0, "needs_review", "medium"),
        (-0.2, 0.0, 1.0, "declined", None),
        (0.5, None, 1.0, "declined", None),
    ],
)
def test_fitted_weights_decide_by_draft_and_retrieval(
    support: float, relevance: float | None, known: float, status: str, label: str | None
) -> None:
    weights = Confidence(support=2.0, relevance=4.0, known_words=2.0, intercept=-3.0)
    plan = Answering(decline_below=0.7, review_below=0.9, confidence=weights)
    first, second = hit("Database snapshots are taken every four hours."), hit("Cats come at noon.", rank=2)
    found = [replace(first, relevance=relevance, known_words=known), replace(second, relevance=9.0, known_words=known)]
    (passage,) = passages_of(found[0])
    asked = Asked(Question("q", 0, "How often are snapshots taken?"), found)
    draft = Draft(passage.quote, None, (passage.citation(),), support, is_verbatim=True)
    answer = decide(asked, draft, plan, "extractive")
    likely = 0.0 if relevance is None else 1 / (1 + np.exp(-relevance))
    wanted = 1 / (1 + np.exp(-(2.0 * support + 4.0 * likely + 2.0 * known - 3.0)))
    assert answer.confidence == pytest.approx(wanted)
    assert (answer.status, confidence_label(answer, plan)) == (status, label)
    assert decide(Asked(asked.question, []), Draft(None, None, (), 0.0), plan, "extractive").confidence == 0.0


@pytest.mark.parametrize(("confidence", "label"), [(None, None), (0.9, "high"), (0.5, "medium"), (0.2, "low")])
def test_confidence_labels(confidence: float | None, label: str | None) -> None:
    made = Answer("q", "answered", text="Yes.", confidence=confidence)
    assert confidence_label(made, PLAN) == label
    assert confidence_label(replace(made, status="declined", text=None), PLAN) is None


def test_the_weakest_match_is_low_where_a_word_of_the_question_finds_nothing() -> None:
    """Eleven tokens: a tenth of them is one, and the tenth quantile is the second least."""
    axes = np.eye(12, dtype=np.float32)
    assert weakest_match(axes[:11], axes[:11]) == pytest.approx(1.0)
    assert weakest_match(axes[:11], axes[:10]) == pytest.approx(1.0), "one word that finds nothing is any question's"
    assert weakest_match(axes[:11], axes[:9]) == pytest.approx(0.0)
    assert weakest_match(axes[:0], axes) == weakest_match(axes, axes[:0]) == 0.0


def test_a_question_is_held_against_the_quote_or_the_whole_row_of_a_past_questionnaire() -> None:
    found = hit("Database snapshots are taken every four hours. They are kept for 35 days.")
    quotes = [passage.citation() for passage in passages_of(found)]
    asked = Asked(Question("q", 0, "How often?"), [found])
    assert read_for(asked, Draft("x", None, tuple(quotes), 0.5)) == quotes[0].quote
    assert read_for(asked, Draft(None, None, (), 0.0, "no_evidence", nearest_fact=quotes[1])) == quotes[1].quote
    assert read_for(asked, Draft(None, None, (), 0.0, "no_evidence")) is None
    past = hit("Question: How often?\nAnswer: Each day, at noon.", row=4)
    (passage,) = passages_of(past)
    assert passage.is_past_answer
    assert read_for(Asked(asked.question, [past]), Draft("x", None, (passage.citation(),), 0.5)) == past.chunk.text


def test_what_stands_beside_an_empty_box_goes_to_a_person() -> None:
    question = Question("q", 0, "Which keys do administrators use?")
    for mark, status in (("☒", "answered"), ("☐", "needs_review")):
        asked = Asked(question, [hit(f"{mark} Administrators use hardware security keys.")])
        (draft,) = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2).draft([asked])
        answer = decide(asked, draft, PLAN, "extractive")
        assert answer.status == status and ("empty box" in answer.detail) == (mark == "☐")
