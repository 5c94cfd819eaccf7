"""What a model server says of its errors, and what is wrong with a key that no server can be sent."""

from __future__ import annotations

import re

LONGEST_REASON = 200
"""Characters that are told of a server's own reason."""
SHORTEST_KEY = 8
"""A shorter one, "none" say, may be a word of any text, and is no secret."""
TOO_LONG = re.compile(
    r"context.{0,10}(?:length|window|size)|maximum model length|too many tokens|inputs.{0,40}must (?:be <=|have less)",
    re.IGNORECASE,
)
"""As OpenAI, vLLM, llama.cpp and text-generation-inference say it."""
NAMES_A_MODEL = re.compile(r"model|deployment", re.IGNORECASE)
NO_MODEL = re.compile(r"model.{0,80}(?:not (?:exist|found)|unknown)|(?:unknown|no such) model", re.IGNORECASE)
_FIELDS = ("error", "message", "detail", "msg", "error_description", "title")
"""Where servers put their reason, the first that holds a text."""


def reason_of(body: object, secret: str = "") -> str:
    """A server's own reason in the body of an error, in one line and without the secret; "" where it gives none, or a
    page.
    """
    said = _text_of(body)
    if said.lstrip().startswith("<"):
        return ""
    line = " ".join("".join(one if one.isprintable() else " " for one in without_secret(said, secret)).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1].rstrip()}…"


def _text_of(body: object, depth: int = 4) -> str:
    """The first text of the body; "" where there is none within so many levels."""
    if isinstance(body, str):
        return body
    inner: list[object] = []
    if isinstance(body, dict) and depth:
        inner = [body[field] for field in _FIELDS if field in body]
    elif isinstance(body, list) and depth:
        inner = body[:1]
    return next((text for one in inner if (text := _text_of(one, depth - 1))), "")


def without_secret(text: str, secret: str, *, is_over: bool = True) -> str:
    """The text with "…" for the secret; of one that goes on, without an end that may turn out to be its beginning."""
    if not secret:
        return text
    cleaned = text.replace(secret, "…")
    begun = 0 if is_over else next((n for n in range(len(secret) - 1, 0, -1) if cleaned.endswith(secret[:n])), 0)
    return cleaned[: len(cleaned) - begun]


def fault_of_key(key: str) -> str:
    """What a key has that none can have in a request's header; "" where it may be sent, and for ""."""
    if any(one in "\r\n" for one in key):
        return "a line break"
    if any(one.isspace() for one in key):
        return "a space"
    if any(one in "“”„‟‘’‚‛«»" for one in key):
        return "a typographic quotation mark"
    if not key.isascii():
        return "a character that is not ASCII"
    return "" if key.isprintable() else "a control character"
