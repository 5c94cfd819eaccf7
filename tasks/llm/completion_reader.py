"""Reader of chat completions, whole or streamed, into the model's text."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from tasks.errors import GeneratorFailed, ReplyTooLong
from tasks.llm.completions import Request
from tasks.llm.server_errors import without_secret


class Page(Exception):
    """A response that is no chat completion, such as a proxy's HTML page."""


class Cut(Exception):
    """A stream that broke off before the model ended."""


async def hear(
    create: Callable[..., Awaitable[Any]],
    request: Request,
    model: str,
    on_raw: Callable[[str], None] | None,
    secret: str,
) -> str:
    """Request a chat completion and return the model's text without the secret; "" where it is empty.

    ``create`` is the official client's. ``on_raw`` is called with all text so far, each time that there is more;
    without it, the completion is requested as a whole. Raises Page, Cut, and what the client raises; and
    AttributeError, LookupError, TypeError or ValueError for a response that is no chat completion.
    """
    body = request.body(model)
    if on_raw is None:
        done = await create(**body)
        if not isinstance(done, BaseModel):
            raise Page
        whole: Any = done
        message = whole.choices[0].message if whole.choices else None
        return without_secret(_text(message.content), secret) if message else ""
    raw, has_ended = "", False
    async with await create(**body, stream=True) as stream:
        kind = stream.response.headers.get("content-type", "")
        if "application/json" in kind:  # from a server that does not stream
            raw = without_secret(_content(json.loads(await stream.response.aread())), secret)
            on_raw(raw)
            return raw
        if "text/event-stream" not in kind:
            raise Page
        async for chunk in stream:
            choice = chunk.choices[0] if chunk.choices else None
            has_ended |= bool(choice and choice.finish_reason)
            piece = choice.delta.content if choice else None
            if piece:
                raw += piece
                on_raw(without_secret(raw, secret, is_over=False))
    raw = without_secret(raw, secret)
    if not (has_ended or _fits(request, raw)):  # not every server marks the end of a stream
        raise Cut
    return raw


def _content(done: Any) -> str:
    if not isinstance(done, dict):
        raise Page
    choices = done["choices"]
    message = choices[0]["message"] if choices else None
    return _text(message["content"]) if message else ""


def _text(content: Any) -> str:
    """The text of a message's content, which some servers give in parts; "" where there is none."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return str(content or "")


def _fits(request: Request, raw: str) -> bool:
    try:
        request.check(raw)
    except ReplyTooLong:
        return True
    except GeneratorFailed:
        return False
    return True
