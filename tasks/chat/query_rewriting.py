"""Query rewriting: a follow-up ("and for backups?") becomes a question that can be asked alone.

A model server is asked to write it where one is configured. Without one, or where its reply is of no use, the question
is joined with the one before (:mod:`tasks.chat.joining`). Its own words are asked all the same where they find the
surer evidence (:mod:`tasks.chat.candidates`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.weights import follow_up_weights
from configs.wrong_keys import wrong_keys
from tasks.chat.candidates import Candidate, Decide, Finding, finds_more, leans
from tasks.chat.follow_ups import wording_of
from tasks.chat.joining import joined
from tasks.errors import GeneratorFailed, ServiceAway
from tasks.llm.completions import Request, Server
from tasks.llm.json_replies import object_schema, read_object
from tasks.llm.prompts import PROMPTS_DIR
from tasks.questions.answer_limits import without_limit
from tasks.questions.requirements import as_question
from tasks.records import Question

PROMPT = PROMPTS_DIR / "condense.md"
TURNS_SHOWN = 6
"""The number of turns that a model is shown: earlier ones are seldom meant, and cost tokens each time."""
MAX_ANSWER_CHARACTERS = 300
MAX_CHARACTERS = 500
"""The greatest length of a question that a model writes; a longer one is no question."""
MAX_TOKENS = 200
SURELY_ALONE, SURELY_LEANS = 0.02, 0.98
"""The probabilities of leaning up to which, and from which, the wording alone decides: no evidence could change it."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

By = Literal["nobody", "rule", "model"]


class Turn(NamedTuple):
    """A turn of a conversation: the question, the question asked in its place, and the outcome.

    ``asked_at`` is the time, UTC, in ISO 8601; ``answer`` is None where there was none. ``run_id`` names its run; an
    earlier bidfolio left it out.
    """

    question: str
    asked_as: str
    status: str
    answer: str | None
    asked_at: str
    run_id: str = ""


class Condensed(NamedTuple):
    """The question to ask, who wrote it, and the ``reason`` why a configured model did not.

    ``candidate`` are the hits found on the way, ``said_before`` is the answer before a rewritten question.
    """

    text: str
    by: By
    reason: str | None = None
    candidate: Candidate | None = None
    said_before: str | None = None


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str


def condense(
    question: str, history: Sequence[Turn], server: Server | None, finding: Finding, is_joined: Decide = leans
) -> Condensed:
    """The question to ask after ``history``, the oldest turn first: in its own words, or joined with the question
    before by a model ``server`` or by rules. Where the wording leaves doubts, ``is_joined`` decides. The length limit
    goes along.
    """
    asked, limit = without_limit(question)
    weights = follow_up_weights()
    wording = wording_of(asked, weights)
    if not history or wording.leans <= SURELY_ALONE:
        return Condensed(question, "nobody")
    told = [
        turn._replace(question=without_limit(turn.question)[0], asked_as=without_limit(turn.asked_as)[0])
        for turn in history
    ]
    written = _joined_by_model(asked, told, server) if server else None
    reason = str(written) if isinstance(written, GeneratorFailed) else None
    by: By = "model" if isinstance(written, str) else "rule"
    text = written if isinstance(written, str) else joined(asked, told[-1].asked_as, wording, finding.encode, weights)
    if text == asked:
        return Condensed(question, by if by == "model" else "nobody", reason)
    text = text if limit is None else f"{text} (answer in max. {limit} characters)"
    if wording.leans >= SURELY_LEANS:
        return Condensed(text, by, reason, None, history[-1].answer)
    alone, other = finding.find(question), finding.find(text)
    if is_joined(wording, alone, other, weights):
        return Condensed(text, by, reason, other, history[-1].answer)
    return Condensed(question, "nobody", reason, alone)


def _joined_by_model(question: str, history: Sequence[Turn], server: Server) -> str | GeneratorFailed:
    request = condensing_request(question, history)
    try:
        (reply,) = server.ask([request], instead="--generator extractive", late=GeneratorFailed)
    except ServiceAway as error:
        return GeneratorFailed(str(error))
    return reply if isinstance(reply, GeneratorFailed) else read_reply(reply, question, history)


def condensing_request(question: str, history: Sequence[Turn]) -> Request:
    """The request to a model server to write the question that stands alone."""
    turns = [
        {"question": turn.asked_as, "answer": (turn.answer or "none found")[:MAX_ANSWER_CHARACTERS]}
        for turn in history[-TURNS_SHOWN:]
    ]
    prompt = f"Conversation:\n{json.dumps(turns, ensure_ascii=False, indent=0)}\n\nLast question: {question}"
    schema = object_schema({"question": {"type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS}})
    check = partial(read_reply, question=question, history=tuple(history))
    return Request(PROMPT.read_text(encoding="utf-8").strip(), prompt, schema, MAX_TOKENS, check)


def read_reply(raw: str, question: str, history: Sequence[Turn]) -> str:
    """The question in a model's reply. Raises GeneratorFailed for an invalid one, or a figure that is new in it."""
    try:
        written = read_object(raw, _Reply).question.strip()
    except ValidationError as error:
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong_keys(error, 'reply')}") from error
    if not written or len(written) > MAX_CHARACTERS:
        raise GeneratorFailed(f"the question has {len(written)} characters: give 1 to {MAX_CHARACTERS}")
    said = " ".join([question, *(f"{turn.question} {turn.asked_as} {turn.answer or ''}" for turn in history)])
    if set(_NUMBER.findall(written)) - set(_NUMBER.findall(said)):
        raise GeneratorFailed("the question holds a figure that the conversation has not")
    return written


def cells_of(asked: Sequence[Question]) -> list[list[Question]]:
    """The questions of each cell that asks several, in order; none without such a cell."""
    cells = (list(some) for _, some in groupby(asked, key=lambda one: (one.sheet_name, one.row_number or one.ordinal)))
    return [cell for cell in cells if len(cell) > 1]


def condensed(cell: Sequence[Question], finding: Finding) -> Iterator[Question]:
    """The questions of a cell, each alone, or joined with those before it where that finds the surer evidence."""
    history: list[Turn] = []
    for question in cell:
        alone = as_question(question.text)
        text = condense(alone, history, None, finding, finds_more).text
        history.append(Turn(alone, text, "", None, ""))
        yield question if text == alone else replace(question, text=text, written=question.written or question.text)
