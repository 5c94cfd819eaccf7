"""Timing of drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from tasks.answering.audit.log import Settled, Times
from tasks.records import Question

TIMED_QUESTIONS = 30
"""The number of questions that are drafted again, one at a time, where no model is asked."""


class Clock(NamedTuple):
    """The date and time, UTC, and milliseconds that only ever rise."""

    utc: Callable[[], datetime]
    now_ms: Callable[[], float]


def timed(settle: Callable[[], list[Settled]], retrieval_ms: float, clock: Clock) -> list[tuple[Settled, Times]]:
    """The answers that ``settle`` gives, each with the time of day and its share of how long it took."""
    started_at, begin = clock.utc(), clock.now_ms()
    settled = settle()
    share_ms = (clock.now_ms() - begin) / max(1, len(settled))
    return [(one, Times(started_at, clock.utc(), retrieval_ms, share_ms)) for one in settled]


def drafting_times_ms(
    settled: Sequence[Settled], answer_alone: Callable[[Question], Sequence[tuple[Settled, Times]]]
) -> tuple[float, ...]:
    """Times of single questions, in ms: those of their models, else of TIMED_QUESTIONS that are answered alone."""
    if any(attempt.model for one in settled for attempt in one.draft.attempts):
        return tuple(model_times_ms(settled))
    alone = (answer_alone(one.asked.question) for one in settled[:TIMED_QUESTIONS])
    return tuple(times.drafting_ms for answered in alone for _, times in answered)


def model_times_ms(settled: Iterable[Settled]) -> list[float]:
    """The time in ms that models took over each question, without those for which none was asked anew."""
    seconds = (sum(attempt.seconds for attempt in one.draft.attempts) for one in settled)
    return [1000 * taken for taken in seconds if taken > 0]
