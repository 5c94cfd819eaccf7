"""A question that leans on those before it ("and for backups?") becomes one that can be asked alone.

A model server is asked to write it where one is configured. Without one, or where its reply is of no use, a rule does:
an elliptical question (:mod:`tasks.chat.follow_ups`) takes the place of what it is parallel to in the last one
that stood alone (:mod:`tasks.chat.parallels`), or is put behind that one where there is no saying; one that points
back gets what the last was about: its content words without its verb. A question that the rules do not know as leaning
is asked as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.wrong_keys import wrong_keys
from tasks.answering.drafting import Asked, Draft, Generator, OnText
from tasks.chat.follow_ups import all_words, leaning, own_words, topic_words
from tasks.chat.parallels import with_follow_up
from tasks.embedding.bm25 import terms
from tasks.errors import GeneratorFailed, ServiceAway
from tasks.json_replies import read_object
from tasks.library.past_rows import past_question
from tasks.prompt_files import PROMPTS_DIR
from tasks.questionnaires.limits import without_limit
from tasks.records import Citation, Hit
from tasks.replies import Request, Server

PROMPT = PROMPTS_DIR / "condense.md"
TURNS_SHOWN = 6
"""How many turns back a model is shown: what is further away is seldom meant, and costs tokens each time."""
MAX_ANSWER_CHARACTERS = 300
MAX_CHARACTERS = 500
"""The longest question that is taken from a model; what runs on is no question."""
MAX_TOKENS = 200
MAX_WORDS = 12
"""How many content words of the last question a pronoun is given."""

JOINT = " – "
"""Between a question and the follow-up that is put behind it."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

By = Literal["nobody", "rule", "model"]


class Turn(NamedTuple):
    """One question of a conversation, what was asked in its place, and what became of it.

    ``asked_at`` is the time, UTC, in ISO 8601; ``answer`` is None where there was none.
    """

    question: str
    asked_as: str
    status: str
    answer: str | None
    asked_at: str


class Condensed(NamedTuple):
    """The question to ask, and who wrote it; ``reason`` says why it was not the model, where one is configured.

    ``own_words`` are the content words of the question itself, where the rule has put others beside them.
    """

    text: str
    by: By
    reason: str | None = None
    own_words: tuple[str, ...] = ()


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str


def condense(question: str, history: Sequence[Turn], server: Server | None) -> Condensed:
    """The question as it is to be asked after ``history``, the oldest turn first; without turns it stands as it is.

    A server that is away costs the conversation no more than its better wording: the rule does it then. How long the
    answer may be is of this question alone, and goes along.
    """
    if not history:
        return Condensed(question, "nobody")
    asked, limit = without_limit(question)
    told = [
        turn._replace(question=without_limit(turn.question)[0], asked_as=without_limit(turn.asked_as)[0])
        for turn in history
    ]
    found = _condensed(asked, told, server)
    if found.text == asked:
        return found._replace(text=question)
    return found if limit is None else found._replace(text=f"{found.text} (answer in max. {limit} characters)")


def _condensed(question: str, history: Sequence[Turn], server: Server | None) -> Condensed:
    if server is None:
        return by_rule(question, history)
    try:
        (reply,) = server.ask(
            [condensing_request(question, history)], instead="--generator extractive", late=GeneratorFailed
        )
    except ServiceAway as error:
        reply = GeneratorFailed(str(error))
    if isinstance(reply, GeneratorFailed):
        return by_rule(question, history)._replace(reason=str(reply))
    return Condensed(read_reply(reply, question, history), "model")


def by_rule(question: str, history: Sequence[Turn]) -> Condensed:
    """The question with what it leaves out taken from the turns before it; without any it stands as it is."""
    kind, own = leaning(question) if history else "alone", tuple(own_words(question))
    if kind == "alone":
        return Condensed(question, "nobody")
    if kind == "elliptical":
        base = next(filter(None, map(_stood_alone, reversed(history))), history[0].question)
        joined = f"{base.rstrip(' ?.!')}{JOINT}{question.strip()}"
        return Condensed(with_follow_up(base, question) or joined, "rule", own_words=own)
    said = {word.lower() for word in all_words(question)}
    words = [word for word in topic_words(history[-1].asked_as) if word.lower() not in said][:MAX_WORDS]
    if not words:
        return Condensed(question, "nobody")
    return Condensed(f"{question.rstrip(' ?.!')} ({' '.join(words)})?", "rule", own_words=own)


def _stood_alone(turn: Turn) -> str | None:
    """What was asked in a turn, where it can be asked alone: a follow-up that took its place in a question can."""
    if leaning(turn.question) == "alone":
        return turn.question
    in_place = leaning(turn.question) == "elliptical" and JOINT not in turn.asked_as
    return turn.asked_as if in_place and leaning(turn.asked_as) == "alone" else None


class Heedful:
    """A generator whose drafts are declined where what they cite is about the words that the rule has added alone.

    "How long are backups kept?", "and logs?": a sentence about backups shares most words with what is asked then, and
    answers nothing.
    """

    def __init__(self, generator: Generator, own_words: Sequence[str]) -> None:
        """``own_words`` are what the question itself is about; without any, all drafts stay."""
        self.name, self.questions_a_batch = generator.name, generator.questions_a_batch
        self._generator, self._own = generator, own_words

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order."""
        drafts = self._generator.draft(asked)
        return [self._heeded(one, draft) for one, draft in zip(asked, drafts, strict=True)]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """One question's draft, told as it is written."""
        return self._heeded(asked, self._generator.stream_draft(asked, on_text))

    def _heeded(self, asked: Asked, draft: Draft) -> Draft:
        wanted = set(terms(" ".join(self._own)))
        # A heading says what a sentence is about, and affirms nothing: "are they encrypted?" wants it in the sentence.
        headings = [] if asked.question.kind == "yes_no" else [citation.section_path for citation in draft.citations]
        quotes = [citation.quote for citation in draft.citations]
        cited = " ".join([*headings, *_past_questions(asked.hits, draft.citations), *quotes])
        if draft.text is None or not draft.citations or 2 * len(wanted & set(terms(cited))) >= len(wanted):
            return draft
        return replace(
            draft,
            text=None,
            verdict=None,
            citations=(),
            declined="weak_evidence",
            detail=f"what comes nearest says nothing of {', '.join(f'“{word}”' for word in self._own)}",
            nearest_fact=draft.citations[0],
        )


def _past_questions(hits: Sequence[Hit], citations: Sequence[Citation]) -> list[str]:
    """What the cited rows of past questionnaires were asked, which their "yes" affirms."""
    chunks = [chunk for hit in hits for chunk in hit.chunks if chunk.row_number is not None]
    rows = {(one.document_id, one.sheet_name, one.row_number) for one in citations}
    cited = (chunk.text for chunk in chunks if (chunk.document_id, chunk.sheet_name, chunk.row_number) in rows)
    return [found[0] for text in cited if (found := past_question(text)) is not None]


def condensing_request(question: str, history: Sequence[Turn]) -> Request:
    """What a model server is asked, to write the question that stands alone."""
    turns = [
        {"question": turn.asked_as, "answer": (turn.answer or "none found")[:MAX_ANSWER_CHARACTERS]}
        for turn in history[-TURNS_SHOWN:]
    ]
    prompt = f"Conversation:\n{json.dumps(turns, ensure_ascii=False, indent=0)}\n\nLast question: {question}"
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"question": {"type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS}},
        "required": ["question"],
        "additionalProperties": False,
    }
    check = partial(read_reply, question=question, history=tuple(history))
    return Request(PROMPT.read_text(encoding="utf-8").strip(), prompt, schema, MAX_TOKENS, check)


def read_reply(raw: str, question: str, history: Sequence[Turn]) -> str:
    """The question that a model has written. Raises GeneratorFailed that says what is wrong with it.

    It may hold no figure that the conversation has not: what an answer is about must not change on the way.
    """
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
