"""The adapter to any OpenAI-compatible server; vLLM is the one that bidfolio ships and tests."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from configs.settings import OpenAISettings
from tasks.errors import BidfolioError, GeneratorFailed, ServiceAway, UsageError
from tasks.records import content_id
from tasks.replies import Replies, Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI

API_KEY_VARIABLE = "BIDFOLIO_OPENAI_API_KEY"


class ModelServer:
    """Asks for replies of a fixed JSON shape; one that is not is asked for once more with what was wrong.

    A good reply is kept as soon as it is there: after a server that went away, or a request that failed, the same
    command asks only what is missing.
    """

    def __init__(self, settings: OpenAISettings, replies: Replies) -> None:
        """``settings`` names the server and the model; the key, where it needs one, comes from the environment."""
        self._settings = settings
        self._replies = replies

    def ask(
        self, requests: Sequence[Request], *, instead: str, late: type[BidfolioError] = ServiceAway
    ) -> list[str | GeneratorFailed]:
        """A reply a request, or why there is none, in order, many in flight; see ``tasks.replies.Server``.

        Raises ServiceAway where the server does not answer, UsageError for a wrong key or model.
        """
        return asyncio.run(self._ask_all(requests, instead, late)) if requests else []

    async def _ask_all(
        self, requests: Sequence[Request], instead: str, late: type[BidfolioError]
    ) -> list[str | GeneratorFailed]:
        from openai import AsyncOpenAI  # a second of import that most commands do not need

        gate = asyncio.Semaphore(self._settings.max_in_flight)
        async with AsyncOpenAI(
            base_url=self._settings.base_url,
            api_key=os.environ.get(API_KEY_VARIABLE, "none"),
            timeout=self._settings.timeout_s,
            max_retries=2,
        ) as client:

            async def one(request: Request) -> str | GeneratorFailed:
                async with gate:
                    try:
                        return await self._ask(client, request, instead, late)
                    except GeneratorFailed as error:
                        return error

            try:
                async with asyncio.TaskGroup() as group:
                    running = [group.create_task(one(request)) for request in requests]
            except* BidfolioError as several:
                # One server, one cause: what the first request met, the others would.
                raise several.exceptions[0] from None
            return [task.result() for task in running]

    async def _ask(self, client: AsyncOpenAI, request: Request, instead: str, late: type[BidfolioError]) -> str:
        server, model = self._settings.base_url or "", self._settings.model or ""
        key = content_id("reply", server, model, request.system, request.prompt, json.dumps(request.schema))
        raw = self._replies.reply(key)
        if raw is None:
            raw = await self._complete(client, request, request.prompt, instead, late)
            try:
                request.check(raw)
            except GeneratorFailed as error:
                refused = f"Your last reply was refused: {error}. Give one JSON object of the asked shape."
                raw = await self._complete(client, request, f"{request.prompt}\n\n{refused}", instead, late)
        request.check(raw)
        self._replies.put_reply(key, raw)
        return raw

    async def _complete(
        self, client: AsyncOpenAI, request: Request, prompt: str, instead: str, late: type[BidfolioError]
    ) -> str:
        from openai import (
            APIConnectionError,
            APIStatusError,
            APITimeoutError,
            AuthenticationError,
            NotFoundError,
            OpenAIError,
        )
        from openai.types.chat import ChatCompletion

        server, model = self._settings.base_url, self._settings.model or ""
        try:
            done = await client.chat.completions.create(
                model=model,
                messages=[
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": prompt},
                ],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": "reply", "schema": request.schema, "strict": True},
                },
                temperature=0.0,
                max_tokens=request.max_tokens,
            )
        except AuthenticationError as error:
            raise UsageError(f"{server} refused the key: set {API_KEY_VARIABLE}") from error
        except NotFoundError as error:
            raise UsageError(f"{server} does not serve the model {model!r}: set BIDFOLIO_OPENAI_MODEL") from error
        except APITimeoutError as error:
            raise late(
                f"the model server at {server} gave no reply within {self._settings.timeout_s:g} s: set "
                f"BIDFOLIO_OPENAI_TIMEOUT_S, or take {instead}"
            ) from error
        except APIConnectionError as error:
            raise ServiceAway(f"no model server answers at {server}: start it, or take {instead}") from error
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
