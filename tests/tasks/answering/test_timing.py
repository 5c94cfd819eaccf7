from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pytest

from tasks.answering.audit.log import Settled, Times
from tasks.answering.drafts.draft import Attempt
from tasks.answering.timing import TIMED_QUESTIONS, Clock, drafting_times_ms, model_times_ms, timed
from tasks.records import Question
from tests.made.settled import settled

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Alone:
    """Answers questions one at a time in 3 ms, and keeps their ids."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, question: Question) -> Sequence[tuple[Settled, Times]]:
        self.asked.append(question.question_id)
        return [(settled(question.question_id), Times(NOON, NOON, 0.0, 3.0))]


def with_attempts(*attempts: Attempt, question_id: str = "q") -> Settled:
    one = settled(question_id)
    return one._replace(draft=replace(one.draft, attempts=attempts))


def test_of_a_model_it_is_what_its_attempts_took_and_nothing_is_asked_again() -> None:
    alone = Alone()
    some = [
        with_attempts(Attempt("openai", "m", seconds=0.25), Attempt("openai", "m", seconds=0.5)),
        with_attempts(Attempt("openai", "m", seconds=0.0)),
        with_attempts(Attempt("openai", "m", seconds=1.0), Attempt("extractive")),
    ]
    assert model_times_ms(some) == [pytest.approx(750), pytest.approx(1000)], "the second reply was kept from before"
    assert drafting_times_ms(some, alone) == (750.0, 1000.0) and not alone.asked
    assert drafting_times_ms(some[1:2], alone) == ()


def test_without_a_model_some_are_drafted_alone() -> None:
    alone = Alone()
    some = [with_attempts(Attempt("extractive"), question_id=f"q{number}") for number in range(TIMED_QUESTIONS + 5)]
    assert drafting_times_ms(some, alone) == (3.0,) * TIMED_QUESTIONS
    assert alone.asked == [one.asked.question.question_id for one in some[:TIMED_QUESTIONS]]


def test_each_question_of_a_batch_has_its_share_of_the_time() -> None:
    ticks = count(step=3.0)
    some = [settled("a"), settled("b")]
    assert timed(lambda: some, 7.0, Clock(lambda: NOON, lambda: next(ticks))) == [
        (one, Times(NOON, NOON, 7.0, 1.5)) for one in some
    ]
    assert timed(list, 7.0, Clock(lambda: NOON, lambda: next(ticks))) == []
