"""A question that leans on those before it ("and for backups?") becomes one that can be asked alone.

A model server is asked to write it where one is configured. Without one, or where its reply is of no use, a rule does:
a question that leaves its verb out is put behind the last one that stood alone, one that points back with a pronoun
gets what the last was about: its content words without its verb. English only; a question that the rule does not know
as leaning is asked as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.answering.drafting import Asked, Draft, Generator, OnText
from tasks.answering.polarity import has_figures_of
from tasks.embedding.bm25 import terms
from tasks.errors import GeneratorFailed, ServiceAway
from tasks.records import Question
from tasks.replies import Request, Server

PROMPT = Path(__file__).resolve().parents[2] / "configs" / "prompts" / "condense.md"
TURNS_SHOWN = 6
"""How many turns back a model is shown: what is further away is seldom meant, and costs tokens each time."""
MAX_ANSWER_CHARACTERS = 300
MAX_CHARACTERS = 500
"""The longest question that is taken from a model; what runs on is no question."""
MAX_TOKENS = 200
MAX_WORDS = 12
"""How many content words of the last question a pronoun is given."""

By = Literal["nobody", "rule", "model"]
Leaning = Literal["alone", "elliptical", "pointing"]


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
    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str


_ASKING = (
    "do|does|did|is|are|was|were|has|have|had|can|could|will|would|shall|should|may|must|what|how|which|who|whose|"
    "where|when|why|whether|please|describe|provide|explain|list|state|specify|detail|confirm|indicate|outline|"
    "identify|give|tell|name"
)
_CARRIES_ON = re.compile(
    r"^\W*(?:(?:and|or|but|so|also|then|ok|okay)\b[\s,]*)*(?:(?:what|how)\s+(?:about|of)\b|(?:the\s+)?same\s+for\b)?",
    re.IGNORECASE,
)
_BEGINS_ASKING = re.compile(rf"^\W*(?:{_ASKING})\b", re.IGNORECASE)
_EXPLETIVE = re.compile(r"\bit\s+(?:takes?|possible|true|necessary|required|mandatory|likely)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|theirs)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"^\W*(?:what|which|how|where|when|why|who)\b(?:\s+\w+){0,4}?\s+"
    r"(?:do|does|did|is|are|was|were|has|have|can|could|will|would)\s+(?:it|they)\b",
    re.IGNORECASE,
)
"""The pronoun that such a question is about: "which protocols does it support?"."""
_LAST_WORD = re.compile(
    r"\b(?:it|them|this|that|these|those|there|ones?)(?:\s+(?:out|up|off|on|in|down|back|over|away|through))?\W*$",
    re.IGNORECASE,
)
_DEGREE = re.compile(r"\bhow\s+(\w+)", re.IGNORECASE)
"""What "how" asks the degree of: "how quickly do you tell us?" is about nothing yet."""
_VERB = re.compile(
    r"^\W*(?:(?:and|or|but|so)\W+)*(?:(?:how|when|where|why|what|which\s+\w+)\s+)?"
    r"(?:do|does|did|can|could|will|would)\s+(?:you|we|they)\s+(\w+)|^\W*(?:is|are|was|were)\b.*\b(\w+ed)\W*$",
    re.IGNORECASE,
)
"""The verb of "do you encrypt backups?" and of "are backups encrypted?": what is asked, not what it is about."""
_POINTER = re.compile(
    r"(?:^|\b(?:is|are|was|were|do|does|did|has|have|can|will|about|for|of|with|by|to|on|in|under|after|before|when"
    r"|if|where|how|why|once|until)\s+)"
    r"\W*(?:this|that|these|those)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_EMPTY = frozenset(
    f"""
    a an the i you your yours we our ours us it its they them their theirs this that these those there one ones such
    and or but so also then too else same ok okay if as at by for from in into of off on onto out over per than to
    under up down back away through with within about after before between during without not no nor any some all both
    each every other more most much many often long far soon be been being am get gets got only just still again me my
    done doing happen happens happened happening occur occurs occurred {_ASKING.replace("|", " ")}
    """.split()
)
SHORTEST_SENTENCE = 5
"""In words: a shorter one that begins with nothing that asks ("for laptops?") has left out its verb."""


def condense(question: str, history: Sequence[Turn], server: Server | None) -> Condensed:
    """The question as it is to be asked after ``history``, the oldest turn first; without turns it stands as it is.

    A server that is away costs the conversation no more than its better wording: the rule does it then.
    """
    if not history:
        return Condensed(question, "nobody")
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
    kind, own = leaning(question) if history else "alone", tuple(content_words(_DEGREE.sub("how", question)))
    if kind == "alone":
        return Condensed(question, "nobody")
    if kind == "elliptical":
        base = next((turn for turn in reversed(history) if leaning(turn.question) == "alone"), history[0])
        return Condensed(f"{base.question.rstrip(' ?.!')} – {question.strip()}", "rule", own_words=own)
    said = {word.lower() for word in _WORD.findall(question)}
    words = [word for word in topic_words(history[-1].asked_as) if word.lower() not in said][:MAX_WORDS]
    if not words:
        return Condensed(question, "nobody")
    return Condensed(f"{question.rstrip(' ?.!')} ({' '.join(words)})?", "rule", own_words=own)


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
        return [self._heeded(one.question, draft) for one, draft in zip(asked, drafts, strict=True)]

    def stream_draft(self, asked: Asked, on_text: OnText) -> Draft:
        """One question's draft, told as it is written."""
        return self._heeded(asked.question, self._generator.stream_draft(asked, on_text))

    def _heeded(self, question: Question, draft: Draft) -> Draft:
        wanted = set(terms(" ".join(self._own)))
        # A heading says what a sentence is about, and affirms nothing: "are they encrypted?" wants it in the sentence.
        headings = [] if question.kind == "yes_no" else [citation.section_path for citation in draft.citations]
        cited = " ".join([*headings, *(citation.quote for citation in draft.citations)])
        if draft.text is None or not draft.citations or 2 * len(wanted & set(terms(cited))) >= len(wanted):
            return draft
        return replace(
            draft,
            text=None,
            verdict=None,
            citations=(),
            declined="weak_evidence",
            detail=f"what comes nearest says nothing of {', '.join(self._own)}",
            nearest_fact=draft.citations[0],
        )


def leaning(question: str) -> Leaning:
    """How a question leans on those before it: it leaves its verb out, it points back, or it stands alone."""
    text = question.strip()
    rest = _CARRIES_ON.sub("", text, count=1)
    if not content_words(_DEGREE.sub("how", text)):
        return "pointing" if _PRONOUN.search(text) or _POINTER.search(text) else "elliptical"
    if not _BEGINS_ASKING.match(rest) and (rest != text or len(_WORD.findall(text)) < SHORTEST_SENTENCE):
        return "elliptical"
    pronoun = _PRONOUN.search(rest)
    # What a pronoun points to may stand before it: "Do employees confirm their duties?"
    before = rest[: pronoun.start()] if pronoun else ""
    is_open = pronoun and not _EXPLETIVE.search(rest) and (not content_words(before) or _SUBJECT.match(rest))
    return "pointing" if is_open or _LAST_WORD.search(rest) or _POINTER.search(rest) else "alone"


def content_words(text: str) -> list[str]:
    """The words that say what a question is about, as they are written, in order, each once."""
    return list(dict.fromkeys(word for word in _WORD.findall(text) if word.lower() not in _EMPTY))


def topic_words(text: str) -> list[str]:
    """The content words of a question without its verb, where it is known: what "they" stands for in the next. One
    that is about nothing else keeps it.
    """
    found = _VERB.match(text)
    verb = next(filter(None, found.groups()), None) if found else None
    return [word for word in content_words(text) if word != verb] or content_words(text)


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
        written = _Reply.model_validate_json(raw).question.strip()
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors())
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong}") from error
    if not written or len(written) > MAX_CHARACTERS:
        raise GeneratorFailed(f"the question has {len(written)} characters: give 1 to {MAX_CHARACTERS}")
    said = " ".join([question, *(f"{turn.question} {turn.asked_as} {turn.answer or ''}" for turn in history)])
    if not has_figures_of(written, said):
        raise GeneratorFailed("the question holds a figure that the conversation has not")
    return written
