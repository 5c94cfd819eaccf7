"""Follow-ups asked alone or joined, by rule and by a model server that says what a test has written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.chat.candidates import Candidate, Finding
from tasks.chat.query_rewriting import MAX_CHARACTERS, Condensed, Turn, condense
from tasks.errors import ServiceAway
from tasks.questions.answer_limits import without_limit
from tasks.records import Hit
from tasks.retrieval.finding import Found
from tests.made.chunks import chunk_of
from tests.made.scripted_server import scripted_server

AT = "2026-01-01T00:00:00+00:00"
FAR, NEAR = -4.0, 4.0


def turn(question: str, asked_as: str = "", answer: str | None = "Yes, with AES-256.") -> Turn:
    return Turn(question, asked_as or question, "answered", answer, AT)


KEPT = turn("How long are backups kept?", answer="Backups are kept for 35 days.")


def finding(relevances: Mapping[str, float | None], other: float | None = NEAR) -> Finding:
    """Finds one hit for each text, of the relevance that is given for it, or else of the ``other``."""

    def find(text: str) -> Candidate:
        hit = replace(Hit("ask", 1, chunk_of("A sentence."), 1.0, 1.0, 0.0, 0.0), relevance=relevances.get(text, other))
        return Candidate(text, Found([[hit]], []), 1.0)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 1), np.float32)

    return Finding(find, encode)


def refused(_: object) -> NoReturn:
    raise AssertionError("nothing is looked for")


NO_FINDING = Finding(refused, refused)
"""Fails a test that looks for evidence."""


def test_a_follow_up_is_asked_joined_and_what_was_found_for_it_goes_along() -> None:
    question = "Can administrators delete them?"
    found = condense(question, [KEPT], None, finding({question: FAR}))
    assert (found.text, found.by, found.reason) == ("Can administrators delete them (backups)?", "rule", None)
    assert found.candidate and found.candidate.text == found.text


def test_for_one_that_surely_leans_nothing_is_looked_for() -> None:
    found = condense("Are they tested?", [KEPT], None, finding({}, FAR))
    assert found == Condensed("Are they tested (backups)?", "rule", said_before=KEPT.answer)


def test_it_goes_on_from_what_was_asked_in_the_turn_before() -> None:
    between = turn("and for logs?", "How long are logs kept?")
    assert condense("Who reads them?", [KEPT, between], None, finding({}, FAR)).text == "Who reads them (logs)?"


@pytest.mark.parametrize(
    "question", ["Do you encrypt the laptops of your employees?", "Is multi-factor authentication required for staff?"]
)
def test_a_question_that_surely_stands_alone_is_asked_at_once(question: str) -> None:
    assert condense(question, [KEPT], None, NO_FINDING) == Condensed(question, "nobody")


def test_without_turns_a_question_is_asked_as_it_is() -> None:
    assert condense("and for logs?", [], None, NO_FINDING) == Condensed("and for logs?", "nobody")


def test_one_that_may_stand_alone_is_asked_so_where_it_finds_evidence() -> None:
    question = "Are suppliers audited?"
    found = condense(question, [KEPT], None, finding({question: NEAR}, FAR))
    assert (found.text, found.by) == (question, "nobody")


def test_without_a_cross_encoder_the_wording_decides() -> None:
    assert condense("Who decides that?", [KEPT], None, finding({}, None)).by == "rule"


def test_in_another_language_the_model_and_the_evidence_decide() -> None:
    question = "Onde ficam guardadas as cópias?"
    with scripted_server((200, {"question": "Onde ficam as cópias da base?"}), (200, {"question": question})) as (
        server,
        _,
    ):
        found = condense(question, [KEPT], server, finding({question: NEAR}, FAR))
        same = condense(question, [turn("?", question)], server, NO_FINDING)
    assert found.text == same.text == question


def test_a_model_writes_the_question_and_sees_the_last_turns_as_data() -> None:
    history = [turn(f"Question {number}?") for number in range(9)]
    with scripted_server((200, {"question": "Is question 8 encrypted?"})) as (server, requests):
        found = condense("Is it encrypted?", history, server, finding({"Is it encrypted?": FAR}))
        first = condense("Is it encrypted?", [], server, finding({}))
    assert (found.text, found.by, found.reason) == ("Is question 8 encrypted?", "model", None)
    assert (first.text, first.by, len(requests)) == ("Is it encrypted?", "nobody", 1)
    prompt = requests[0]["messages"][1]["content"]
    shown = json.loads(prompt.partition("\n")[2].rpartition("\n\nLast question: ")[0])
    assert [one["question"] for one in shown] == [f"Question {number}?" for number in range(3, 9)]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"question": " "}, "0 characters"),
        ({"question": "x" * (MAX_CHARACTERS + 1)}, "characters"),
        ({"question": "Are backups kept for 90 days?"}, "a figure that the conversation has not"),
        ({"query": "backups"}, "not of the asked shape"),
        ("no JSON", "not of the asked shape"),
    ],
)
def test_a_reply_of_no_use_leaves_it_to_the_rule(reply: object, reason: str) -> None:
    with scripted_server((200, reply)) as (server, requests):
        found = condense("Are they tested?", [KEPT], server, finding({}, FAR))
    assert (found.text, found.by) == ("Are they tested (backups)?", "rule")
    assert reason in (found.reason or "") and len(requests) == 2, "it is asked once more with what was wrong"


def test_how_long_an_answer_may_be_is_of_its_question_alone() -> None:
    first = turn("In at most 20 words, how long are backups kept?")
    assert condense("Are they tested?", [first], None, finding({}, FAR)).text == "Are they tested (backups)?"
    found = condense("Are they tested (max. 50 words)?", [first], None, finding({}, FAR))
    assert found.text == "Are they tested (backups)? (answer in max. 250 characters)"
    assert without_limit(found.text) == ("Are they tested (backups)?", 250)


def test_a_server_that_is_away_leaves_it_to_the_rule() -> None:
    class Away:
        model = "m"

        def ask(self, *_: object, **__: object) -> NoReturn:
            raise ServiceAway("no model server answers")

        exchange = stream = ask

    found = condense("Are they tested?", [KEPT], Away(), finding({}, FAR))
    assert (found.by, found.reason) == ("rule", "no model server answers")
