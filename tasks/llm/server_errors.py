"""Error messages of model servers: patterns to classify them, their reasons, and faults of API keys."""

from __future__ import annotations

import re

LONGEST_REASON = 200
"""The most characters shown of a server's own reason."""
SHORTEST_KEY = 8
"""The least length of a key that is a secret: a shorter one, say "none", may be a word of any text."""
TOO_LONG = re.compile(
    r"context.{0,10}(?:length|window|size)|maximum model length|too many tokens|inputs.{0,40}must (?:be <=|have less)",
    re.IGNORECASE,
)
"""The messages of OpenAI, vLLM, llama.cpp and text-generation-inference for a request that is too long."""
NAMES_A_MODEL = re.compile(r"model|deployment", re.IGNORECASE)
NO_MODEL = re.compile(r"model.{0,80}(?:not (?:exist|found)|unknown)|(?:unknown|no such) model", re.IGNORECASE)
_FIELDS = ("error", "message", "detail", "msg", "error_description", "title")
"""The fields in which servers put their reason; the first that holds a text counts."""


def reason_of(body: object, secret: str = "") -> str:
    """The server's reason in the body of an error, in one line and without the secret.

    "" where it gives none, or an HTML page.
    """
    said = _text_of(body)
    if said.lstrip().startswith("<"):
        return ""
    line = " ".join("".join(one if one.isprintable() else " " for one in without_secret(said, secret)).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1].rstrip()}…"


def _text_of(body: object, depth: int = 4) -> str:
    """The first text of the body; "" where there is none within ``depth`` levels."""
    if isinstance(body, str):
        return body
    inner: list[object] = []
    if isinstance(body, dict) and depth:
        inner = [body[field] for field in _FIELDS if field in body]
    elif isinstance(body, list) and depth:
        inner = body[:1]
    return next((text for one in inner if (text := _text_of(one, depth - 1))), "")


def without_secret(text: str, secret: str, *, is_over: bool = True) -> str:
    """The text with "…" for the secret; an unfinished text also loses an end that may be the secret's beginning."""
    if not secret:
        return text
    cleaned = text.replace(secret, "…")
    begun = 0 if is_over else next((n for n in range(len(secret) - 1, 0, -1) if cleaned.endswith(secret[:n])), 0)
    return cleaned[: len(cleaned) - begun]


def fault_of_key(key: str) -> str:
    """The character fault of a key that cannot be sent in a request's header; "" for a valid key, and for ""."""
    if any(one in "\r\n" for one in key):
        return "a line break"
    if any(one.isspace() for one in key):
        return "a space"
    if any(one in "“”„‟‘’‚‛«»" for one in key):
        return "a typographic quotation mark"
    if not key.isascii():
        return "a character that is not ASCII"
    return "" if key.isprintable() else "a control character"
