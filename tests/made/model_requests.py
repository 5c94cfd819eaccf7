"""Requests to a model server with a known good reply."""

from __future__ import annotations

from tasks.errors import GeneratorFailed
from tasks.llm.completions import Request

SAID = "It is so."


def check(raw: str) -> None:
    """Refuse a reply that is not the good one."""
    if raw != SAID:
        raise GeneratorFailed(f"it is not said: {raw[:20]}")


def request(prompt: str = "Is it so?", parts: int = 0) -> Request:
    """A request with so many parts that may give way, of a thousand characters each."""
    shorter = (lambda: request(prompt, parts - 1)) if parts else None
    text = prompt + "".join(f" part {part} " + "x" * 1000 for part in range(1, parts + 1))
    return Request("Say it.", text, {"type": "object"}, 50, check, "v1", shorter)
