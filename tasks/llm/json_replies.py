"""Extraction of the JSON object from a model's reply: without schema enforcement, models write text around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

MOST_TRIES = 64
"""The most braces that are tried as the start of an object: a reply of braces alone must be refused quickly."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

Shape = TypeVar("Shape", bound=BaseModel)


def read_object(raw: str, shape: type[Shape]) -> Shape:
    """Parse a reply as ``shape``: a single object, or the only fitting object in a code fence or after a preface.

    Thinking (``<think>…</think>``) is ignored. Raises pydantic's ValidationError, of the reply as a whole, where no
    object fits, several different objects fit, or there is no text at all.
    """
    try:
        return shape.model_validate_json(raw)
    except ValidationError:
        found: list[Shape] = []
        for text in _objects(without_thought(raw)):
            try:
                fits = shape.model_validate_json(text)
            except ValidationError:
                continue
            if fits not in found:
                found.append(fits)
        if len(found) != 1:
            raise
        return found[0]


def object_schema(properties: dict[str, object]) -> dict[str, object]:
    """The JSON schema of an object with all these properties, in order, and no others."""
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def without_thought(raw: str) -> str:
    """The reply without its thinking, also where this is unfinished or its beginning was in the prompt; "" gives ""."""
    return _END_OF_THOUGHT.split(_THOUGHT.sub("", raw))[-1]


def _objects(text: str) -> Iterator[str]:
    """The outermost JSON objects in the text, in their order."""
    decoder, begin = json.JSONDecoder(), text.find("{")
    for _ in range(MOST_TRIES):
        if begin < 0:
            return
        end = begin + 1
        try:
            _, end = decoder.raw_decode(text, begin)
            yield text[begin:end]
        except (ValueError, RecursionError):
            pass  # a brace of a preface, or a truncated object
        begin = text.find("{", end)
