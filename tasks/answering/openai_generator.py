"""Drafts from a model server: each states what its passages state, and cites them, or is declined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tasks.answering.drafting import Asked, Draft, longest_text
from tasks.answering.handed_over import on_one_page
from tasks.answering.passages import best_quote
from tasks.answering.prompts import (
    MAX_REPLY_TOKENS,
    Reply,
    read_reply,
    reply_schema,
    system_prompt,
    user_prompt,
)
from tasks.errors import GeneratorFailed
from tasks.replies import Request, Server


class OpenAIGenerator:
    """Asks a model server for a reply of a fixed JSON shape; a question without one failed, with the reason."""

    name = "openai"

    def __init__(self, server: Server) -> None:
        """``server`` is asked."""
        self._server = server

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order. Raises ServiceAway where the server does not answer."""
        asked = [Asked(question, on_one_page(hits)) for question, hits in asked]
        replies = iter(
            self._server.ask(
                [_request(item) for item in asked if item.hits],
                instead="--generator extractive",
            )
        )
        return [_as_draft(next(replies), item) if item.hits else _nothing_found() for item in asked]


def _request(asked: Asked) -> Request:
    schema = reply_schema(len(asked.hits), longest_text(asked.question))
    check = partial(read_reply, passages=len(asked.hits))
    return Request(system_prompt(), user_prompt(asked), schema, MAX_REPLY_TOKENS, check)


def _nothing_found() -> Draft:
    return Draft(None, None, (), 0.0, declined="no_evidence", detail="no document has a passage about it")


def _as_draft(raw: str | GeneratorFailed, asked: Asked) -> Draft:
    if isinstance(raw, GeneratorFailed):
        return Draft(None, None, (), 0.0, declined="generator_failed", detail=str(raw))
    reply: Reply = read_reply(raw, len(asked.hits))
    if reply.answer is None or not reply.answer.strip():
        return Draft(None, None, (), 0.0, declined="no_evidence", detail="the model found no answer in the passages")
    cited = [asked.hits[number - 1] for number in dict.fromkeys(reply.citations)]
    quotes = tuple(quote for hit in cited if (quote := best_quote(reply.answer, hit)))
    return Draft(reply.answer.strip(), reply.verdict, quotes, 0.0)
