"""What is wrong with data that does not fit its model, in words that name no library."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails


def wrong_keys(error: ValidationError, whole: str) -> str:
    """Each wrong key and what is wrong with it, in words; ``whole`` names what is wrong with no key alone."""
    places = ["".join(f".{part}" for part in one["loc"] if part != "")[1:] or whole for one in error.errors()]
    said = [_said(one) for one in error.errors()]
    return "; ".join(f"{place}: {what}" for place, what in zip(places, said, strict=True))


def _said(one: ErrorDetails) -> str:
    if one["type"] == "extra_forbidden":
        return "there is no such key"
    # YAML and JSON know lists alone, and what a validator of ours says needs no word of whose it is.
    return one["msg"].removeprefix("Value error, ").replace("a valid tuple", "a list")
