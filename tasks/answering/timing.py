"""How long drafts take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from tasks.answering.answerer import Answerer
from tasks.answering.audit import Settled, Times
from tasks.records import Hit

TIMED_QUESTIONS = 30
"""How many questions are drafted again, one at a time, where no model is asked."""


def timed(
    settle: Callable[[], list[Settled]],
    retrieval_ms: float,
    *,
    now: Callable[[], datetime],
    now_ms: Callable[[], float],
) -> list[tuple[Settled, Times]]:
    """What ``settle`` gives, and when; each with its share of how long it took."""
    started_at, begin = now(), now_ms()
    settled = settle()
    share_ms = (now_ms() - begin) / max(1, len(settled))
    return [(one, Times(started_at, now(), retrieval_ms, share_ms)) for one in settled]


def drafting_times_ms(
    settled: Sequence[Settled], answerer: Answerer, hits: Mapping[str, Sequence[Hit]], now_ms: Callable[[], float]
) -> tuple[float, ...]:
    """Times of single questions, in ms: what their models took where any was asked, else those of TIMED_QUESTIONS
    drafted alone, with whatever the first draft has left in memory.
    """
    if any(attempt.model for one in settled for attempt in one.draft.attempts):
        return tuple(model_times_ms(settled))
    times = []
    for one in settled[:TIMED_QUESTIONS]:
        begin = now_ms()
        answerer.settle([one.asked.question], hits)
        times.append(now_ms() - begin)
    return tuple(times)


def model_times_ms(settled: Iterable[Settled]) -> list[float]:
    """How long models took over each question, all attempts together; without those for which none was asked, or whose
    replies were all kept from before.
    """
    seconds = (sum(attempt.seconds for attempt in one.draft.attempts) for one in settled)
    return [1000 * taken for taken in seconds if taken > 0]
