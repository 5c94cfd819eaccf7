"""Query expansion with other wordings of a question, written by a model server (König 2025)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel, ConfigDict, ValidationError

from configs.retrieval import Feedback, Wordings
from configs.wrong_keys import wrong_keys
from tasks.errors import GeneratorFailed
from tasks.llm.completions import Request, Server
from tasks.llm.json_replies import read_object
from tasks.llm.prompts import PROMPTS_DIR

MAX_CHARACTERS = 300
"""The longest wording that is searched for; longer output of a small model is no query."""
TOKENS_A_WORDING = 120
"""The token limit for each wording: more than the longest takes, so that none is cut in the middle of its JSON."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """The expansion of a question: ``queries`` beside it or in its place, or the reason why there are none."""

    queries: tuple[str, ...] = ()
    reason: str | None = None


WriteWordings = Callable[[Sequence[str]], list[Expansion]]
"""Function that gives the expansion of each question, in order."""


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    queries: list[str]


def wording_writer(expand: Wordings | Feedback | None, server: Server) -> WriteWordings:
    """The function that writes wordings as the plan asks; for a plan without them, one that raises ValueError."""
    if not isinstance(expand, Wordings):
        return no_wordings
    return partial(write_wordings, count=expand.count, server=server)


def no_wordings(questions: Sequence[str]) -> list[Expansion]:
    """Raise ValueError: the placeholder for a plan that does not expand by a model server."""
    raise ValueError("the plan asks no model server for wordings")


def write_wordings(questions: Sequence[str], count: int, server: Server) -> list[Expansion]:
    """Ask a model server for at most ``count`` other wordings of each question, in order; all at once.

    A question that gets none (late, refused or blank) has the reason instead, and is searched as it stands. Raises
    ServiceAway where the server does not answer at all.
    """
    requests = [wordings_request(question, count) for question in questions if question.strip()]
    without = "a plan without retrieval.expand, or one that expands by feedback"
    replies = iter(server.ask(requests, instead=without, late=GeneratorFailed))
    found: list[Expansion] = []
    for question in questions:
        if not question.strip():
            found.append(Expansion(reason="the question is empty"))
            continue
        raw = next(replies)
        if isinstance(raw, GeneratorFailed):
            found.append(Expansion(reason=str(raw)))
        else:
            found.append(Expansion(read_wordings(raw, question, count)))
    return found


def wordings_request(question: str, count: int) -> Request:
    """The request for ``count`` wordings; the bounds of its JSON schema keep a small model from running on."""
    items = {"type": "string", "maxLength": MAX_CHARACTERS}
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"queries": {"type": "array", "items": items, "minItems": 1, "maxItems": count}},
        "required": ["queries"],
        "additionalProperties": False,
    }
    prompt = f"Question: {question}\nWrite {count} {'query' if count == 1 else 'queries'}."
    check = partial(read_wordings, question=question, count=count)
    return Request(expand_prompt(), prompt, schema, TOKENS_A_WORDING * count, check)


def expand_prompt() -> str:
    """The fixed system prompt, first in every request, so that a server can cache its prefix."""
    return (PROMPTS_DIR / "expand.md").read_text(encoding="utf-8").strip()


def read_wordings(raw: str, question: str, count: int) -> tuple[str, ...]:
    """Parse the first ``count`` wordings of a reply that differ from the question and from each other.

    Wordings that are blank or longer than MAX_CHARACTERS are dropped. Raises GeneratorFailed, with the reason, for a
    reply of another shape or without any usable wording.
    """
    try:
        reply = read_object(raw, _Reply)
    except ValidationError as error:
        raise GeneratorFailed(f"the reply is not of the asked shape: {wrong_keys(error, 'reply')}") from error
    found = {folded: query for query in reply.queries if (folded := " ".join(query.split()).casefold())}
    own = " ".join(question.split()).casefold()
    kept = [query.strip() for folded, query in found.items() if folded != own and len(query) <= MAX_CHARACTERS]
    if not kept:
        raise GeneratorFailed("the reply has no other wording of the question")
    return tuple(kept[:count])
