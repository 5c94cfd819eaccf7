"""What is wrong with data that does not fit its model, in words that name no library."""

from __future__ import annotations

from pydantic import ValidationError


def wrong_keys(error: ValidationError, whole: str) -> str:
    """Each wrong key and what is wrong with it, in words; ``whole`` names what is wrong with no key alone."""
    places = ["".join(f".{part}" for part in one["loc"] if part != "")[1:] or whole for one in error.errors()]
    # YAML and JSON know lists alone, and what a validator of ours says needs no word of whose it is.
    said = [one["msg"].removeprefix("Value error, ").replace("a valid tuple", "a list") for one in error.errors()]
    return "; ".join(f"{place}: {what}" for place, what in zip(places, said, strict=True))
