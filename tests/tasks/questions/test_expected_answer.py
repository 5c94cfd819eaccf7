"""What a question asks for, and what is missed in a passage that shares its subject alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import Asked, Draft, Proposal
from tasks.answering.generators.extractive import ExtractiveGenerator
from tasks.answering.quotes.passages import best_quote
from tasks.questions.expected_answer import Wanted, asks_for_more, is_about, missed, only_repeats, wanted
from tasks.records import Hit, Question, QuestionKind
from tests.made.chunks import chunk_of
from tests.made.drafts import PLAN

NO_FIGURE = "the question asks for a figure, but the quote has none: look it up"
BRIDGE = "The conference bridge is 0113 496 0180, and 206 of 214 workers answered it in June 2026."
SURE = Proposal("yes", 1.0)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was the exit plan last rehearsed?", "date"),
        ("Which release is it migrating to, and from when?", "date"),
        ("In which year was the company founded?", "date"),
        ("What responsibilities do members have when they sign up?", "statement"),
        ("What happens, when keys are lost, to the doors?", "statement"),
        ("How long are logs kept?", "figure"),
        ("What is the maximum percentage that may be subcontracted?", "figure"),
        ("Who rehearses the plan?", "name"),
        ("Describe the plan.", "statement"),
        ("", "statement"),
    ],
)
def test_what_is_asked_for(question: str, kind: Wanted) -> None:
    assert wanted(question) == kind


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("What is the number of the bridge?", BRIDGE, []),
        ("How long are logs kept?", "Logs are kept.", [NO_FIGURE]),
        ("By how much did incidents fall since 2019?", "Incidents fell in 2022 versus 2019.", [NO_FIGURE]),
        ("By how much did incidents fall since 2019?", "24% fewer incidents since 2019.", []),
        ("How many loans did Whole Planet grant?", "Loans granted by Whole Planet.", [NO_FIGURE]),
        ("How many loans did Whole Planet grant?", "It granted no loans.", []),
        ("How many megawatts do farms in Spain have?", "Farms in Spain: 1.6 GW.", []),
        ("How many working days of notice are needed?", "Notice of working 2 weeks is needed.", []),
        ("How many hours of support are there?", "Support is always there.", []),
        ("How many people were hired in 2022?", "A further 2,022 people were hired.", []),
        ("How many people do you employ?", "We have 2000 people in all.", []),
        ("How long are logs kept?", "They are kept for ninety days.", []),
        ("How long are logs kept?", "Logs are kept until the contract ends.", []),
        ("How often are logs read?", "Logs are read quarterly.", []),
        ("How often are logs read?", "Logs are read within 14 days of an incident.", ["the question asks how often"]),
        ("What is the frequency of log reviews?", "Logs are reviewed twice a year.", []),
        ("How much of the data of all our tenants is encrypted at rest?", "All of it.", []),
        (
            "When can a member of the plan submit a first appeal?",
            "An appeal is submitted directly.",
            ["the question asks for a date"],
        ),
        ("When can a member of the plan submit a first appeal?", "After a claim was denied.", []),
        (
            "On which date does the old portal of the plan close?",
            "Once all have moved.",
            ["the question asks for a date"],
        ),
        ("On which date does the old portal of the plan close?", "In May 2027.", []),
        (
            "On what date was the last restore test of the plan made?",
            "Quarter Date Longest restore",
            ["the question asks for a date"],
        ),
        ("Who owns the policy for the retention of records?", "The archivist.", []),
        ("Describe your onboarding.", "Onboarding takes a person through three steps.", []),
        ("When?", "It rains.", []),
        (
            "On a scale of 1–5, how mature is incident response?",
            "Incidents are led by two people.",
            ["the question asks for a grade from 1 to 5"],
        ),
        ("Rate your backups from 1 to 10.", "Backups are made.", ["the question asks for a grade from 1 to 10"]),
        ("What is the rate limit of the API?", "It is 600 requests a minute.", []),
        ("Which severity levels, 1 to 4, do you use?", "Levels 1 to 4 are used.", []),
    ],
)
def test_what_is_missed(question: str, answer: str, said: list[str]) -> None:
    found = missed(question, answer)
    assert len(found) == len(said) and all(one.startswith(start) for one, start in zip(found, said, strict=True))


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("How many people do you employ, and where?", True),
        ("How many people do you employ and in which year was the company founded?", True),
        ("Are backups encrypted, and if so with which algorithm?", True),
        ("Do you test backups? How often?", True),
        ("Where is the data stored and is it encrypted?", True),
        ("If no connector exists, who builds it, and how long does that take?", True),
        ("Please list the regions, the size limit and the supported browsers.", True),
        ("State your yearly emissions and the reduction that you aim for.", True),
        ("How is data protected at rest and in transit?", False),
        ("Who decides when access ends?", False),
        ("Do you know who has access?", False),
        ("Is there a process which ensures deletion, which is audited?", False),
        ("List all sub-processors and their locations.", False),
        ("Describe the shared platforms that interfaces are required to use.", False),
        ("", False),
    ],
)
def test_whether_more_than_one_thing_is_asked(question: str, is_so: bool) -> None:
    assert asks_for_more(question) is is_so


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("Is the list of who holds privileged rights reviewed?", "statement"),
        ("Do you repeat checks for people who can reach live systems?", "statement"),
        ("Which norm guided the design, and who checked it?", "name"),
        ("To whom do you report?", "name"),
    ],
)
def test_who_is_not_always_asked_for(question: str, wants: str) -> None:
    assert wanted(question) == wants


@pytest.mark.parametrize(
    ("question", "quote", "is_near"),
    [
        ("Do you send simulated fraudulent messages twice a year?", "Laptops are replaced every four years.", False),
        ("Does a committee oversee security?", "The Security Steering Group meets every two months.", True),
        ("How often?", "Laptops are replaced every four years.", True),
    ],
)
def test_a_nearest_fact_has_a_word_of_the_question(question: str, quote: str, is_near: bool) -> None:
    assert is_about(question, quote) is is_near


@pytest.mark.parametrize(
    ("question", "quote", "is_so"),
    [
        ("What does the Manager of Marketing do?", "Job Title: Manager of Marketing", True),
        ("What does the Manager of Marketing earn?", "Salary: £70,000 a year", False),
        ("Who leads marketing?", "Job Title: Manager of Marketing", False),
        ("What does the Manager of Marketing do?", "Marketing: the manager does marketing.", True),
        ("What does the Manager of Marketing do?", "The Manager of Marketing", True),
        ("Which hours?", "Support hours: 24/7", False),
    ],
)
def test_a_line_that_names_what_the_question_named_tells_nothing(question: str, quote: str, is_so: bool) -> None:
    assert only_repeats(question, quote) is is_so


def test_such_a_line_is_quoted_to_a_question_of_yes_or_no_alone() -> None:
    line, said = "Job Title: Manager of Marketing", "The manager leads a team that sells lamps."
    hit = Hit("q", 1, chunk_of(f"{line}\n{said}"), 1.0, 0.9, 0.9, 0.9)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[float("Marketing" in text), float("Marketing" not in text)] for text in texts], np.float32)

    generator = ExtractiveGenerator(encode, encode, 1)
    kinds: tuple[QuestionKind, ...] = ("free_text", "yes_no")
    asked = [Asked(Question("q", 0, "Is there a Manager of Marketing?", kind=kind), [hit]) for kind in kinds]
    assert [draft.citations[0].quote for draft in generator.draft(asked)] == [said, line]


@pytest.mark.parametrize(
    ("question", "kind", "status"),
    [
        ("Bridge:", "free_text", "needs_review"),
        ("What is the conference bridge?", "free_text", "answered"),
        ("What is the conference bridge, and how many workers answered it?", "free_text", "needs_review"),
        ("Is the bridge manned?", "yes_no", "needs_review"),
    ],
)
def test_who_asks_of_another_bridge_is_told_so(question: str, kind: QuestionKind, status: str) -> None:
    hit = Hit("q", 1, chunk_of(BRIDGE), 1.0, 0.9, 0.9, 0.9)
    quote = best_quote(BRIDGE, hit)
    assert quote is not None
    answer = decide(
        Asked(Question("q", 0, question, kind=kind), [hit]), Draft(BRIDGE, None, (quote,), 1.0), PLAN, "made"
    )
    assert answer.status == status


@pytest.mark.parametrize(("words", "is_told"), [(86, False), (87, True), (5000, True)])
def test_who_asks_at_length_is_told_that_the_end_may_not_be_answered(words: int, is_told: bool) -> None:
    hit = Hit("q", 1, chunk_of(BRIDGE), 1.0, 0.9, 0.9, 0.9)
    quote = best_quote(BRIDGE, hit)
    assert quote is not None
    question = Question("q", 0, f"{'well ' * words}is the conference bridge?", kind="yes_no")
    answer = decide(Asked(question, [hit]), Draft(BRIDGE, None, (quote,), 1.0, proposal=SURE), PLAN, "made")
    assert ("the question is long" in answer.detail) is is_told
    assert (answer.status, answer.verdict) == (("needs_review", None) if is_told else ("answered", "yes"))


@pytest.mark.parametrize(
    ("quote", "is_cut"),
    [
        ("The bridge can be crossed by any of the mem- …", True),
        ("… neither by day nor by night.", True),
        ("The bridge can be crossed by:\n• carts;\n• riders. …", False),
        ("The bridge can be crossed by night.", False),
    ],
)
def test_half_a_sentence_goes_to_a_person_without_its_yes(quote: str, is_cut: bool) -> None:
    hit = Hit("q", 1, chunk_of(BRIDGE), 1.0, 0.9, 0.9, 0.9)
    cited = best_quote(BRIDGE, hit)
    assert cited is not None
    asked = Asked(Question("q", 0, "Can the bridge be crossed by night?", kind="yes_no"), [hit])
    answer = decide(asked, Draft(quote, None, (cited,), 1.0, proposal=SURE), PLAN, "made")
    assert (answer.verdict is None) == is_cut
    assert ("breaks off" in answer.detail) == is_cut


def test_what_is_partly_blacked_out_goes_to_a_person_without_its_yes() -> None:
    text = "The bridge can be crossed by night for █████ euros."
    hit = Hit("q", 1, chunk_of(text), 1.0, 0.9, 0.9, 0.9)
    cited = best_quote(text, hit)
    assert cited is not None
    asked = Asked(Question("q", 0, "Can the bridge be crossed by night?", kind="yes_no"), [hit])
    answer = decide(asked, Draft(text, None, (cited,), 1.0, proposal=SURE), PLAN, "made")
    assert (answer.status, answer.verdict) == ("needs_review", None)
    assert "part of the quote is blacked out" in answer.detail
