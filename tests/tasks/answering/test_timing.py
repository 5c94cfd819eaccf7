from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, cast

import pytest

from tasks.answering.answerer import Answerer
from tasks.answering.audit import Settled
from tasks.answering.drafting import Attempt
from tasks.answering.timing import TIMED_QUESTIONS, drafting_times_ms, model_times_ms
from tasks.records import Hit, Question
from tests.tasks.answering.test_audit import settled


class Drafting:
    """In the place of an answerer: tells what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def settle(self, questions: Sequence[Question], hits: Mapping[str, Sequence[Hit]]) -> list[Settled]:
        self.asked += [question.question_id for question in questions]
        return []


def with_attempts(*attempts: Attempt, question_id: str = "q") -> Settled:
    one = settled(question_id)
    return one._replace(draft=replace(one.draft, attempts=attempts))


def test_of_a_model_it_is_what_its_attempts_took_and_nothing_is_asked_again() -> None:
    drafting = Drafting()
    some = [
        with_attempts(Attempt("openai", "m", seconds=0.25), Attempt("openai", "m", seconds=0.5)),
        with_attempts(Attempt("openai", "m", seconds=0.0)),
        with_attempts(Attempt("openai", "m", seconds=1.0), Attempt("extractive")),
    ]
    assert model_times_ms(some) == [pytest.approx(750), pytest.approx(1000)], "the second reply was kept from before"
    assert drafting_times_ms(some, cast(Any, drafting), {}, lambda: 0.0) == (750.0, 1000.0) and not drafting.asked
    assert drafting_times_ms(some[1:2], cast(Any, drafting), {}, lambda: 0.0) == ()


def test_without_a_model_some_are_drafted_alone() -> None:
    drafting, ticks = Drafting(), count(step=3.0)
    some = [with_attempts(Attempt("extractive"), question_id=f"q{number}") for number in range(TIMED_QUESTIONS + 5)]
    times = drafting_times_ms(some, cast(Answerer, drafting), {}, lambda: next(ticks))
    assert times == (3.0,) * TIMED_QUESTIONS
    assert drafting.asked == [one.asked.question.question_id for one in some[:TIMED_QUESTIONS]]
