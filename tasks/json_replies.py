"""The one JSON object of a reply: servers that hold no model to a schema let it talk around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

MOST_TRIES = 64
"""At so many braces an object may begin: a reply of braces alone must not take long to refuse."""
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)

Shape = TypeVar("Shape", bound=BaseModel)


def read_object(raw: str, shape: type[Shape]) -> Shape:
    """What a model said, as the shape: an object alone, or the one that fits in a code fence or behind a preface.

    What it says while it thinks (``<think>…</think>``) is not read. Raises pydantic's ValidationError, of the reply as
    a whole, where no object fits, several do that differ, or there is no text at all.
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


def without_thought(raw: str) -> str:
    """The reply without what stands there as thought, also where that goes on, or where its beginning was a part of the
    prompt; "" gives "".
    """
    return _END_OF_THOUGHT.split(_THOUGHT.sub("", raw))[-1]


def _objects(text: str) -> Iterator[str]:
    """The JSON objects in the text that are in no other, in their order."""
    decoder, begin = json.JSONDecoder(), text.find("{")
    for _ in range(MOST_TRIES):
        if begin < 0:
            return
        end = begin + 1
        try:
            _, end = decoder.raw_decode(text, begin)
            yield text[begin:end]
        except (ValueError, RecursionError):
            pass  # a brace of a preface, or the beginning of what was cut
        begin = text.find("{", end)
