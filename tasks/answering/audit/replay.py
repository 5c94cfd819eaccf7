"""Replay of a recorded run: drafts from the recorded replies of models, and the differences from the record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from math import isclose
from typing import Any, NamedTuple

from tasks.answering.audit.log import attempt_of
from tasks.answering.drafts.draft import Asked, Attempt, Draft, Generator, OnText
from tasks.answering.generators.chain import ChainGenerator
from tasks.answering.generators.openai_generator import OpenAIGenerator
from tasks.errors import BidfolioError, GeneratorFailed, ReplyTooLong, ServiceAway
from tasks.llm.completion_parameters import EVERY
from tasks.llm.completions import Outcome, Replies, Request, Sent

SAME_WITHIN = 1e-6
"""The tolerance of figures: another processor rounds the last digits of a vector differently."""
OF_AN_ANSWER = tuple(
    "status verdict proposed_verdict verdict_probability text confidence confidence_label decline_reason detail "
    "generator nearest_file_name nearest_page_number nearest_quote".split()
)
_PLACE = "file_name content_sha256 page_number sheet_name row_number section_path start_offset end_offset quote"
OF_A_STEP: Mapping[str, Sequence[str]] = {
    "hit": ("chunk_id", "with_chunks", "rank", "score"),
    "attempt": ("generator", "prompt_sha256"),
    "check": ("name", "passed", "detail"),
    "citation": _PLACE.split(),
}
"""The compared fields of each kind of step. A model's reply is replayed and so not compared; its prompt is made anew.
"""


class Difference(NamedTuple):
    """A field of an answer, or of a step of it, that is not as it was recorded."""

    question_id: str
    answer_id: str
    field: str
    recorded: Any
    now: Any


class Replayed(NamedTuple):
    """A replayed run: its plans, the number of its answers, and their differences from the record."""

    run_id: str
    plans: tuple[str, ...]
    answers: int
    differences: tuple[Difference, ...]


def differences(
    recorded: Iterable[Mapping[str, Any]],
    recorded_steps: Iterable[Mapping[str, Any]],
    now: Iterable[Mapping[str, Any]],
    steps_now: Iterable[Mapping[str, Any]],
) -> list[Difference]:
    """The differences between recorded and replayed rows of ``audit``, and of their steps, in the order of the record.

    A step that only one side has differs in all its fields. No difference gives an empty list.
    """
    before, after = _fields(recorded_steps), _fields(steps_now)
    answers = {row["answer_id"]: row for row in now}
    found: list[Difference] = []
    for row in recorded:
        key = row["answer_id"]
        old = {field: row[field] for field in OF_AN_ANSWER} | before[key]
        new = {field: answers[key].get(field) for field in OF_AN_ANSWER} | after[key]
        found += [
            Difference(row["question_id"], key, field, old.get(field), new.get(field))
            for field in dict.fromkeys((*old, *new))
            if not _is_same(old.get(field), new.get(field))
        ]
    return found


def _fields(steps: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The compared fields of each answer's steps, under names such as ``hit 1 score``."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in steps:
        for field in OF_A_STEP.get(row["step"], ()):
            found[row["answer_id"]][f"{row['step']} {row['step_index'] + 1} {field}"] = row.get(field)
    return found


def _is_same(recorded: Any, now: Any) -> bool:
    if isinstance(recorded, float) and isinstance(now, float):
        return isclose(recorded, now, rel_tol=0.0, abs_tol=SAME_WITHIN)
    # The lake has null for a text that is not there.
    return (recorded or None) == (now or None) if isinstance(recorded, str | None) else bool(recorded == now)


def recorded_attempts(steps: Iterable[Mapping[str, Any]]) -> dict[str, list[Attempt]]:
    """The attempts at each question's draft, by its id, from rows of ``audit_steps``."""
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for row in sorted(steps, key=lambda row: row["step_index"]):
        if row["step"] == "attempt":
            attempts[row["question_id"]].append(attempt_of(row))
    return attempts


class _WithoutServer:
    """A model server that has recorded replies alone, each given as a whole (``tasks.llm.completions.Server``)."""

    model: str

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        raise NotImplementedError

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        outcomes = self.exchange(requests, instead=instead)
        return [one.reply if one.reply is not None else GeneratorFailed(str(one.error)) for one in outcomes]

    def stream(self, request: Request, on_raw: Callable[[str], None], *, instead: str) -> Outcome:
        (outcome,) = self.exchange([request], instead=instead)
        on_raw(outcome.reply or "")
        return outcome


class RecordedServer(_WithoutServer):
    """A model server that repeats its recorded replies to one question, and has no others."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        """``attempts`` are the recorded attempts at that question's draft, at least one."""
        self.model = attempts[-1].model or ""
        self._attempts = attempts

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """The recorded outcome of each request, with its prompt hashed anew, so that a changed prompt shows."""
        return [self._outcome(request) for request in requests]

    def _outcome(self, request: Request) -> Outcome:
        last, shorter = self._attempts[-1], [request]
        while shorter[-1].shorter is not None:
            shorter.append(shorter[-1].shorter())
        sent = [attempt for attempt in self._attempts if attempt.prompt_sha256 is not None]
        hashes, again = self._known(shorter, sent)
        left_out = max((hashes.get(attempt.prompt_sha256 or "", 0) for attempt in sent), default=0)
        error = None if last.failure is None else GeneratorFailed(last.failure)
        if last.raw is None:
            error = error or GeneratorFailed("no reply is recorded")
        elif error is None:
            try:
                shorter[left_out].check(last.raw)
            except ReplyTooLong:
                pass  # it was taken after all
            except GeneratorFailed as wrong:
                error = wrong
        said = [
            Sent(
                one.prompt_sha256 if one.prompt_sha256 in hashes.keys() | again else request.sha256(self.model),
                one.raw,
                one.failure,
                one.seconds,
            )
            for one in sent
        ]
        return Outcome(None if error else last.raw, error, sent=tuple(said), left_out=left_out)

    def _known(self, shorter: Sequence[Request], sent: Sequence[Attempt]) -> tuple[dict[str, int], set[str]]:
        """The hashes of the requests, each with the number of passages left out, and those of the requests that name a
        fault of the reply before, for each set of parameters that the server accepted.
        """
        hashes, again = dict[str, int](), set[str]()
        for parameters in EVERY:
            asked = [one._replace(parameters=parameters) for one in shorter]
            hashes |= {one.sha256(self.model): left_out for left_out, one in enumerate(asked)}
            again |= {one.again(attempt.failure or "").sha256(self.model) for one in asked for attempt in sent}
            if all(attempt.prompt_sha256 in hashes or attempt.prompt_sha256 in again for attempt in sent):
                break
        return hashes, again


class KeptReplies(_WithoutServer):
    """A model server with stored replies alone; it fails for any other request."""

    def __init__(self, replies: Replies, url: str, model: str, window: int | None) -> None:
        """``url``, ``model`` and its ``window`` in tokens are those of the requests that were stored."""
        self.model = model
        self._replies, self._url, self._window = replies, url, window

    def exchange(self, requests: Sequence[Request], *, instead: str) -> list[Outcome]:
        """The stored reply to each request, or an error where there is none."""
        more = [] if self._window is None else [self._window]
        kept = (self._replies.reply(request.key(self._url, self.model, *more)) for request in requests)
        return [Outcome(raw) if raw else Outcome(error=GeneratorFailed("no reply is kept")) for raw in kept]


class RecordedGenerator:
    """Generator that reads recorded replies of models anew, and drafts by ``extractive`` where none is recorded."""

    def __init__(
        self, name: str, attempts: Mapping[str, Sequence[Attempt]], extractive: Generator, tone: str = ""
    ) -> None:
        """``name`` and ``tone`` are the plan's; ``attempts`` are those at each question's draft, by its id."""
        self.name, self._tone = name, tone
        # A vector hangs, in its last digits, on what else is in its batch: the batches are those of the run.
        of_model = 0 if name == extractive.name else OpenAIGenerator.questions_a_batch
        self.questions_a_batch = max(extractive.questions_a_batch, of_model)
        self._attempts, self._extractive = attempts, extractive

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order; no questions give none."""
        links = [self._links(item) for item in asked]
        needs_none = [one == [self._extractive] for one in links]
        drawn = iter(self._extractive.draft([item for item, alone in zip(asked, needs_none, strict=True) if alone]))
        return [
            next(drawn) if alone else (ChainGenerator(one) if self.name == "chain" else one[0]).draft([item])[0]
            for item, one, alone in zip(asked, links, needs_none, strict=True)
        ]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """The draft of one question; its text comes in one piece."""
        (draft,) = self.draft([asked])
        if draft.text:
            on_text(draft.text)
        return draft

    def _links(self, asked: Asked) -> list[Generator]:
        """The generators that drafted this question, in the order of their attempts."""
        attempts = self._attempts.get(asked.question.question_id) or [Attempt(self._extractive.name)]
        return [
            self._extractive
            if name == self._extractive.name
            else OpenAIGenerator(RecordedServer(list(tries)), name, has_next=True, tone=self._tone)
            for name, tries in groupby(attempts, key=lambda attempt: attempt.generator)
        ]
