"""Overlapped finding and drafting: a model server drafts the answers to some questions while the next are found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from configs.plans import Plan
from configs.retrieval import Wordings
from tasks.answering.audit.log import Settled, Times
from tasks.answering.pipeline import Answers, Loaded, answer_found, by_question, find_timed
from tasks.progress import Advance
from tasks.records import Question

T = TypeVar("T")

FIRST_QUESTIONS = 16
"""The number of questions that are found before drafting begins. With few at once the server is slow, too."""


def overlaps_drafting(plan: Plan) -> bool:
    """Tell if the plan's drafts come from a server that is idle while hits are found, and so rewords no question."""
    return plan.answering.generator != "extractive" and not isinstance(plan.retrieval.expand, Wordings)


def answer_overlapped(asked: Sequence[Question], loaded: Loaded, advance: Advance = lambda _: None) -> Answers:
    """Answer questions as :func:`tasks.answering.pipeline.answer_questions`, in parts: each is drafted in a thread of
    its own while the hits of the next are found. So ``loaded`` has to be safe for several threads; the server may get
    the requests of several parts at once.

    A part is twice as long as the one before, up to the generator's batch. Its size must not depend on which side is
    faster: the last digits of a vector depend on the others of its batch, and a replay must have the same parts.

    Raises what drafting raises, once all parts under way have ended and are kept. An interrupt does not wait.
    """
    answers = Answers([], [], [], 0.0)
    drafts: list[Future[list[tuple[Settled, Times]]]] = []
    try:
        for part in _parts(asked, loaded.answerer.generator.questions_a_batch):
            found, ms = find_timed(part, loaded)
            answers.hits.extend(found.hits)
            answers.expansions.extend(found.expansions)
            answers = answers._replace(retrieval_ms=answers.retrieval_ms + ms)
            if any(draft.done() and draft.exception() for draft in drafts):
                break
            hits = by_question(part, found.hits)
            drafts.append(_begun(partial(answer_found, part, hits, loaded, ms / len(part))))
        for draft in drafts:
            answers.settled.extend(draft.result())
            advance(len(draft.result()))
    except Exception:
        wait(drafts)
        raise
    return answers


def _begun(run: Callable[[], T]) -> Future[T]:
    """Start ``run`` in a daemon thread, which does not keep this process alive, as those of an executor do."""
    future: Future[T] = Future()

    def settle() -> None:
        try:
            future.set_result(run())
        except BaseException as error:  # it is raised where the result is asked for
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(settle,), name="drafting", daemon=True).start()
    return future


def _parts(asked: Sequence[Question], most: int) -> Iterator[Sequence[Question]]:
    """The parts of the questions. A short rest joins the part before: one late reply would mean an absent server."""
    begin, size = 0, FIRST_QUESTIONS
    while begin < len(asked):
        taken = min(size, most)
        left = len(asked) - begin - taken
        taken += left if 0 < left < FIRST_QUESTIONS and taken + left <= most else 0
        yield asked[begin : begin + taken]
        begin, size = begin + taken, 2 * size
