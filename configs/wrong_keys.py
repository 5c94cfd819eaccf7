"""Validation errors as plain messages: the wrong keys of a plan, body or file, without a library's terms."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def wrong_keys(error: ValidationError, whole: str) -> str:
    """A message with each wrong key and its error; ``whole`` names errors without a key."""
    places = ["".join(f".{part}" for part in one["loc"] if part != "")[1:] or whole for one in error.errors()]
    said = [_said(one) for one in error.errors()]
    return "; ".join(f"{place}: {what}" for place, what in zip(places, said, strict=True))


def _said(one: ErrorDetails) -> str:
    if one["type"] == "extra_forbidden":
        return "there is no such key"
    # YAML and JSON have lists only, and messages of our own validators need no prefix.
    return one["msg"].removeprefix("Value error, ").replace("a valid tuple", "a list")
