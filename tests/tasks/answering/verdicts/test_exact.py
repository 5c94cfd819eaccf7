"""Verdicts that a passage states by itself, and passages that no model may read one from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from configs.plans import Answering, Verdicts
from tasks.answering.decision.decide import decide
from tasks.answering.decision.grounding import check_drafts
from tasks.answering.drafts.draft import Asked, Proposal
from tasks.answering.entailment.labels import Opinions
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.quotes.passages import Passage
from tasks.answering.verdicts.model import Proposed
from tasks.records import Answer, AnswerStatus, Hit, Question, Verdict
from tests.made.chunks import chunk_of
from tests.made.embedding_models import words_as_vectors

PLAN = Answering(decline_below=0.0, review_below=0.0, verdicts=Verdicts(answered_from=0.9, proposed_from=0.5))
SAID = "Yes, each September, although our turnover is well below the threshold at which the law begins to ask."
STATEMENT = f"Do you publish a modern-slavery statement?\nAnswer: {SAID}\nID: 7"


def sure_yes(asked: Sequence[Asked], passages: Sequence[Sequence[Passage]]) -> list[Proposed | None]:
    """A model that is sure of yes, whatever the first passage says."""
    return [Proposed(Proposal("yes", 0.99), 0) if some else None for some in passages]


def answered(question: str, *hits: Hit) -> Answer:
    """The answer where the model is sure of yes."""
    asked = [Asked(Question("q", 0, question, kind="yes_no"), hits)]
    drafts = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2, verdicts=sure_yes).draft(asked)
    (draft,) = check_drafts(asked, drafts, Opinions())
    return decide(asked[0], draft, PLAN, "extractive")


def found(text: str, row: int | None = None, rank: int = 1, document: str = "d") -> Hit:
    """A hit of that text, in a row of a past questionnaire or on a page."""
    chunk = replace(chunk_of(text), row_number=row, document_id=document, file_name=f"{document}.pdf")
    return Hit("q", rank, chunk, 1.0, 0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("question", "proposed", "probability"),
    [
        ("Do you publish a modern slavery statement?", "yes", 1.0),
        ("Do you publish a slavery statement each August?", "yes", 0.99),
    ],
)
def test_a_past_answer_has_its_own_verdict_for_the_same_question_and_is_read_for_another(
    question: str, proposed: Verdict, probability: float
) -> None:
    answer = answered(question, found(STATEMENT, row=3))
    assert (answer.proposed_verdict, answer.verdict_probability) == (proposed, probability)
    assert (answer.text or "").startswith("Yes") == (probability == 1.0), "its yes is not quoted to another question"


def test_a_past_answer_that_a_document_bears_out_is_cited_beside_it() -> None:
    page = found("A modern slavery statement is published each September.", rank=2, document="policy")
    past = found(STATEMENT, row=3)

    def borne_out(asked: Sequence[Asked], passages: Sequence[Sequence[Passage]]) -> list[Proposed | None]:
        documents = [[one.is_past_answer for one in some].index(False) for some in passages]
        return [Proposed(Proposal("yes", 0.99), at, 1 - at) for at in documents]

    asked = [Asked(Question("q", 0, "Is a slavery statement published in September?", kind="yes_no"), [past, page])]
    drafts = ExtractiveGenerator(words_as_vectors, words_as_vectors, 2, verdicts=borne_out).draft(asked)
    answer = decide(asked[0], drafts[0], PLAN, "extractive")
    assert answer.text == page.chunk.text
    assert [one.file_name for one in answer.citations] == ["policy.pdf", "d.pdf"]


@pytest.mark.parametrize(
    ("question", "texts", "said"),
    [
        (
            "Is there a SOC 2 report?",
            ["There is no SOC 3 report.", "There is a SOC 2 report."],
            "There is a SOC 2 report.",
        ),
        ("Is there a SOC 2 report?", ["There is no SOC 3 report."], None),
        (
            "Is data encrypted with AES-128 or stronger?",
            ["Data is encrypted with AES-256."],
            "Data is encrypted with AES-256.",
        ),
    ],
)
def test_another_designator_is_evidence_for_nothing(question: str, texts: list[str], said: str | None) -> None:
    assert (
        answered(question, *(found(text, rank=at, document=str(at)) for at, text in enumerate(texts, 1))).text == said
    )


@pytest.mark.parametrize(
    ("question", "text", "status", "verdict"),
    [
        ("Are backups encrypted?", "All backups are encrypted.", "answered", "yes"),
        ("Are backups encrypted?", "Backups are encrypted: ☐ Yes ☒ No", "answered", "no"),
        ("Are backups encrypted?", "Backups are encrypted: ☐ Yes ☐ No", "needs_review", None),
        (
            "Do you encrypt old backups?",
            "We do not do any of this:\n- encrypt old backups\n- test",
            "needs_review",
            None,
        ),
        (
            "Are gateway passwords rotated every 90 days?",
            "Passwords of the gateway are long. They are rotated every 90 days by the central vault.",
            "answered",
            "yes",
        ),
        (
            "Are gateway passwords rotated every 90 days?",
            "Doors are shut. They are rotated every 90 days by the central vault.",
            "needs_review",
            None,
        ),
    ],
)
def test_a_model_reads_no_verdict_from_what_it_may_misread(
    question: str, text: str, status: AnswerStatus, verdict: Verdict | None
) -> None:
    answer = answered(question, found(text))
    assert (answer.status, answer.verdict) == (status, verdict), answer.detail


def test_a_verdict_is_withheld_where_another_sentence_reads_otherwise() -> None:
    question = "Are visitors of the site escorted?"
    assert answered(question, found("Visitors of the site are escorted.")).verdict == "yes"
    both = "Visitors of the site are escorted. Visitors of the site are not escorted."
    assert answered(question, found(both)).verdict is None
    elsewhere = found("Visitors of the site are not escorted.", rank=2, document="other")
    assert answered(question, found("Visitors of the site are escorted."), elsewhere).verdict is None
