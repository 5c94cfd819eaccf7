"""Drafts from any OpenAI-compatible server; vLLM is the one that bidfolio ships and tests."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence

from openai import (
    APIConnectionError,
    APIStatusError,
    AsyncOpenAI,
    AuthenticationError,
    NotFoundError,
    OpenAIError,
)
from openai.types.chat import ChatCompletion

from configs.settings import OpenAISettings
from tasks.answering.drafting import Asked, Draft, Replies, longest_text
from tasks.answering.grounding import ground
from tasks.answering.handed_over import on_one_page, text_of
from tasks.answering.polarity import has_figures_of
from tasks.answering.prompts import (
    MAX_REPLY_TOKENS,
    Reply,
    read_reply,
    reply_schema,
    system_prompt,
    user_prompt,
)
from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway, UsageError
from tasks.records import content_id

API_KEY_VARIABLE = "BIDFOLIO_OPENAI_API_KEY"


class OpenAIGenerator:
    """Asks for a reply of a fixed JSON shape; one that is not is asked for once more with what was wrong.

    A good reply is kept as soon as it is there: after a server that went away, or a question that failed, the same
    command asks only what is missing.
    """

    name = "openai"

    def __init__(self, settings: OpenAISettings, replies: Replies) -> None:
        """``settings`` names the server and the model; the key, where it needs one, comes from the environment."""
        self._settings = settings
        self._replies = replies

    def draft(self, asked: Sequence[Asked]) -> list[Draft]:
        """One draft a question, in order, many in flight. Raises ServiceAway where the server does not answer."""
        return asyncio.run(self._draft_all([Asked(question, on_one_page(hits)) for question, hits in asked]))

    async def _draft_all(self, asked: Sequence[Asked]) -> list[Draft]:
        gate = asyncio.Semaphore(self._settings.max_in_flight)
        async with AsyncOpenAI(
            base_url=self._settings.base_url,
            api_key=os.environ.get(API_KEY_VARIABLE, "none"),
            timeout=self._settings.timeout_s,
            max_retries=2,
        ) as client:
            try:
                async with asyncio.TaskGroup() as group:
                    running = [group.create_task(self._draft_one(client, gate, item)) for item in asked]
            except* BidfolioError as several:
                # One server, one cause: what the first request met, the others would.
                raise several.exceptions[0] from None
            return [task.result() for task in running]

    async def _draft_one(self, client: AsyncOpenAI, gate: asyncio.Semaphore, asked: Asked) -> Draft:
        if not asked.hits:
            return Draft(None, None, (), 0.0, declined="no_evidence", detail="no document has a passage about it")
        async with gate:
            try:
                reply = await self._ask(client, asked)
            except GeneratorFailed as error:
                return Draft(None, None, (), 0.0, declined="generator_failed", detail=str(error))
        return _as_draft(reply, asked)

    async def _ask(self, client: AsyncOpenAI, asked: Asked) -> Reply:
        prompt, schema = user_prompt(asked), reply_schema(len(asked.hits), longest_text(asked.question))
        server, model = self._settings.base_url or "", self._settings.model or ""
        key = content_id("reply", server, model, system_prompt(), prompt, json.dumps(schema))
        raw = self._replies.reply(key)
        if raw is None:
            raw = await self._complete(client, prompt, schema)
            try:
                read_reply(raw, len(asked.hits))
            except GeneratorFailed as error:
                again = f"{prompt}\n\nYour last reply was refused: {error}. Give one JSON object of the asked shape."
                raw = await self._complete(client, again, schema)
        reply = read_reply(raw, len(asked.hits))
        self._replies.put_reply(key, raw)
        return reply

    async def _complete(self, client: AsyncOpenAI, prompt: str, schema: dict[str, object]) -> str:
        server, model = self._settings.base_url, self._settings.model or ""
        try:
            done = await client.chat.completions.create(
                model=model,
                messages=[
                    {"role": "system", "content": system_prompt()},
                    {"role": "user", "content": prompt},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "reply", "schema": schema, "strict": True},
                },
                temperature=0.0,
                max_tokens=MAX_REPLY_TOKENS,
            )
        except AuthenticationError as error:
            raise UsageError(f"{server} refused the key: set {API_KEY_VARIABLE}") from error
        except NotFoundError as error:
            raise UsageError(f"{server} does not serve the model {model!r}: set BIDFOLIO_OPENAI_MODEL") from error
        except APIConnectionError as error:  # a time-out is one of these
            raise ServiceAway(
                f"no model server answers at {server}: start it, or take --generator extractive"
            ) from error
        except APIStatusError as error:
            raise GeneratorFailed(f"{server} answered with status {error.status_code}") from error
        except OpenAIError as error:
            raise GeneratorFailed(f"{server}: {error}") from error
        if not isinstance(done, ChatCompletion):  # a proxy's page, say: the client hands on whatever it is
            raise ServiceAway(
                f"{server} does not answer as an OpenAI-compatible server does: is its path, /v1, missing?"
            )
        message = done.choices[0].message if done.choices else None
        return (message.content or "") if message else ""


def _as_draft(reply: Reply, asked: Asked) -> Draft:
    if reply.answer is None or not reply.answer.strip():
        return Draft(None, None, (), 0.0, declined="no_evidence", detail="the model found no answer in the passages")
    cited = [asked.hits[number - 1] for number in dict.fromkeys(reply.citations)]
    grounded = ground(reply.answer, cited)
    if grounded.unsupported or not grounded.citations:
        nearest = grounded.citations[0] if grounded.citations else None
        detail = "the draft says what its citations do not bear out"
        return Draft(None, None, (), 0.0, declined="unsupported", detail=detail, nearest_fact=nearest)
    source = " ".join(map(text_of, cited))
    is_about_it = asked.question.kind == "yes_no" and has_figures_of(asked.question.text, source)
    verdict = reply.verdict if is_about_it else None
    return Draft(reply.answer.strip(), verdict, grounded.citations, grounded.support)
