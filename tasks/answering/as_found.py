"""Questions to answers where a model server drafts: it drafts those that are found while the next are being found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from configs.plans import Plan
from configs.retrieval import Wordings
from tasks.answering.answerer import Answerer
from tasks.answering.audit import Settled, Times
from tasks.answering.sections import SectionsOf, with_sections
from tasks.progress import Advance
from tasks.records import Hit, Question
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.hand_over import hand_over
from tasks.retrieval.search import Index
from tasks.retrieval.twins import Told
from tasks.retrieval.wordings import Expansion

T = TypeVar("T")

FIRST_QUESTIONS = 16
"""So many are found before the server has anything to do. It takes few at once slowly, too."""

Timed = Callable[[Callable[[], list[Settled]], float], list[tuple[Settled, Times]]]
"""Settles questions that took so many ms each to find, and says when and how long."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What questions to one version, under one plan and scope, are answered with; ``warnings`` say what of the version
    is not used.
    """

    index: Index
    told: Mapping[str, Told]
    models: Models
    answerer: Answerer
    sections: SectionsOf
    warnings: tuple[str, ...] = ()


class AsFound(NamedTuple):
    """What was found for questions, and what became of each, in order. ``ms`` is how long finding took in all."""

    hits: list[list[Hit]]
    expansions: list[Expansion]
    settled: list[tuple[Settled, Times]]
    ms: float


def is_drafted_as_found(plan: Plan) -> bool:
    """Whether a server drafts that has nothing to do while questions are found, since it does not word them anew."""
    return plan.answering.generator != "extractive" and not isinstance(plan.retrieval.expand, Wordings)


def drafted_as_found(
    asked: Sequence[Question],
    plan: Plan,
    known: Loaded,
    timed: Timed,
    clock_ms: Callable[[], float],
    advance: Advance = lambda _: None,
) -> AsFound:
    """What is found for ``asked`` and what becomes of each; no questions give none. ``known`` has to be for several
    threads, as each part is drafted in one of its own, and the server asked for more while it drafts the parts before.

    A part is twice as long as the one before it, up to what the generator takes at once. It does not hang on who is
    faster: a vector hangs, in its last digits, on the others of its batch, and a replay must have the same parts.

    Raises what drafting raises, once all that is under way has come to its end, and is kept. An interrupt waits for
    nothing.
    """
    found = AsFound([], [], [], 0.0)
    drafts: list[Future[list[tuple[Settled, Times]]]] = []
    try:
        for part in _parts(asked, known.answerer.generator.questions_a_batch):
            begin = clock_ms()
            hits, expansions = find_hits(part, known.index, plan.retrieval, known.models, known.told)
            ms = clock_ms() - begin
            found = found._replace(hits=found.hits + hits, expansions=found.expansions + expansions, ms=found.ms + ms)
            by_question = {question.question_id: some for question, some in zip(part, hits, strict=True)}
            handed = with_sections(hand_over(by_question, known.index, plan.retrieval), known.sections)
            if any(draft.done() and draft.exception() for draft in drafts):
                break
            drafts.append(_begun(partial(timed, partial(known.answerer.settle, part, handed), ms / len(part))))
        for draft in drafts:
            found.settled.extend(draft.result())
            advance(len(draft.result()))
    except Exception:
        wait(drafts)
        raise
    return found


def _begun(run: Callable[[], T]) -> Future[T]:
    """What ``run`` gives, in a thread that does not keep this process from ending, as those of an executor do."""
    future: Future[T] = Future()

    def settle() -> None:
        try:
            future.set_result(run())
        except BaseException as error:  # it is raised where the result is asked for
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(settle,), name="drafting", daemon=True).start()
    return future


def _parts(asked: Sequence[Question], most: int) -> Iterator[Sequence[Question]]:
    """Where few are left they go with the part before: of one alone, a late reply would be taken for a server away."""
    begin, size = 0, FIRST_QUESTIONS
    while begin < len(asked):
        taken = min(size, most)
        left = len(asked) - begin - taken
        taken += left if 0 < left < FIRST_QUESTIONS and taken + left <= most else 0
        yield asked[begin : begin + taken]
        begin, size = begin + taken, 2 * size
