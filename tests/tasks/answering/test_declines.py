"""What a decline tells: the nearest fact with its place, the nearest documents, and who owns them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.answering.decision.decide import Remarks, decide
from tasks.answering.decision.decline_advice import owner_in, what_to_do
from tasks.answering.drafts.draft import Asked, Draft
from tasks.answering.quotes.passages import best_quote
from tasks.questionnaires.formats.safe_cell_text import cited_inline
from tasks.records import Citation, Hit, Question
from tests.made.chunks import chunk_of, document_of
from tests.made.drafts import PLAN

FACT = "The exit plan is rehearsed in spring by the operations team."


def hits() -> list[Hit]:
    first = replace(chunk_of(FACT, file_name="plan.pdf", page_number=8), section_path="Plan > 1.3 Exit")
    second = chunk_of("Doors are guarded at night by two people.", file_name="site.pdf", page_number=2)
    chunks = (first, first, second)
    return [Hit("q", n, chunk, 1 / n, 0.9, 0.5, 0.1) for n, chunk in enumerate(chunks, 1)]


def fact() -> Citation:
    found = best_quote(FACT, hits()[0])
    assert found is not None
    return found


def owner(document_id: str) -> str | None:
    return "Chief Architect" if document_id == hits()[0].chunk.document_id else None


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When was the exit plan last rehearsed?", "date"),
        ("How many people rehearse the exit plan?", "figure"),
        ("Who rehearses the exit plan?", "name"),
        ("Is the exit plan rehearsed abroad?", "statement"),
    ],
)
def test_the_nearest_fact_is_quoted_with_its_place_and_its_owner(question: str, wanted: str) -> None:
    assert what_to_do(question, fact(), hits(), owner) == (
        f"no exact {wanted} found; the closest text is “{FACT}” [§ 1.3 Exit, p. 8], plan.pdf; "
        "look in: plan.pdf, p. 8 (owner: Chief Architect); site.pdf, p. 2"
    )


def test_a_document_is_named_with_the_page_of_what_is_quoted_from_it() -> None:
    quoted = replace(fact(), page_number=7)
    told = what_to_do("When was the exit plan last rehearsed?", quoted, hits(), owner)
    assert told.endswith("look in: plan.pdf, p. 7 (owner: Chief Architect); site.pdf, p. 2")
    elsewhere = replace(quoted, document_id="another")
    assert "look in: plan.pdf, p. 8 (" in what_to_do("When was it?", elsewhere, hits(), owner)


def test_nothing_near_tells_nothing() -> None:
    assert what_to_do("When?", None, [], owner) == ""


def test_a_decline_says_what_to_do() -> None:
    asked = Asked(Question("q", 0, "When was the exit plan last rehearsed?"), hits())
    draft = Draft(FACT, None, (fact(),), 0.1, is_verbatim=True)
    remarks = Remarks(to_do=lambda nearest: what_to_do(asked.question.text, nearest, asked.hits, owner))
    answer = decide(asked, draft, PLAN, "extractive", remarks)
    assert (answer.status, answer.decline_reason) == ("declined", "weak_evidence")
    assert "no exact date found; the closest text is" in answer.detail and "owner: Chief Architect" in answer.detail


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("Corvane Ltd\nPlan\nVersion | 4.3\nOwner | Head of Operations\nDistribution | All", "Head of Operations"),
        ("Plan\nDocument owner: Ines Farrow", "Ines Farrow"),
        ("Política\nResponsável: Rui Sousa", "Rui Sousa"),
        ("Activity | RTO | Owner\nMail | 2 h | Head of Support", None),
        ("The owner of each system is told.", None),
        ("", None),
    ],
)
def test_the_first_page_names_the_owner(page: str, name: str | None) -> None:
    assert owner_in(document_of([page, "Owner: Somebody Else"])) == name


def test_inline_places_stand_behind_the_text_as_far_as_there_is_room() -> None:
    page, sheet = fact(), replace(fact(), page_number=None, sheet_name="Past", row_number=7)
    assert cited_inline("It is.", [page, page, sheet], None) == "It is. [plan.pdf, § 1.3 Exit, p. 8]"
    named = replace(page, document_name="Exit Plan")
    assert cited_inline("It is.", [named], None) == "It is. [Exit Plan, § 1.3 Exit, p. 8]"
    assert cited_inline("It is.", [replace(named, section_path="", page_number=None)], None) == "It is. [Exit Plan]"
    assert cited_inline("It is.", [page, sheet], 30) == "It is. [§ 1.3 Exit, p. 8]"
    assert cited_inline("It is.", [page], 10) == "It is."
    bare = replace(page, section_path="", page_number=None)
    assert [bare.inline, replace(bare, page_number=3).inline] == ["[plan.pdf]", "[p. 3]"]


@pytest.mark.parametrize("question", ["How long?", "数据保留期限是多久？"])
@pytest.mark.parametrize(("known", "is_shown"), [(None, True), (0.3, True), (0.0, False)])
def test_of_a_question_of_whose_words_no_document_has_one_nothing_is_near(
    question: str, known: float | None, is_shown: bool
) -> None:
    """A question that is about nothing by itself takes any sentence, and a model may have quoted one to another."""
    asked = Asked(Question("q", 0, question), [replace(hit, known_words=known) for hit in hits()])
    remarks = Remarks(
        of_citations=["plan.pdf is from 2019"], to_do=lambda near: what_to_do(question, near, hits(), owner)
    )
    answer = decide(asked, Draft(None, None, (), 0.0, "unsupported", "it says more", fact()), PLAN, "x", remarks)
    assert answer.status == "declined" and (answer.nearest_fact == fact()) == is_shown
    assert ("plan.pdf" in answer.detail) == is_shown
    assert (answer.detail == "it says more; no document mentions it") == (not is_shown)
