"""Removal of this process' secrets from texts, so that no message of a server that repeats a secret is stored."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tasks.storage.urls import without_secrets

_NAME = re.compile(r"(?:KEY|SECRET|TOKEN|PASSWORD|AUTH_STRING)$")
_SHORTEST = 8
"""The least length of a secret: a shorter value may be a word of any text."""


def secrets_removed() -> Callable[[str], str]:
    """A function that replaces secrets in a text by ``…``.

    Secrets are those of URLs in the text, and the values that the environment has now under names that end like a
    secret's (``BIDFOLIO_OPENAI_API_KEY``, ``AWS_SECRET_ACCESS_KEY``).
    """
    given = {value for name, value in os.environ.items() if _NAME.search(name.upper()) and len(value) >= _SHORTEST}
    known = sorted(given, key=len, reverse=True)

    def remove(text: str) -> str:
        cleaned = without_secrets(text)
        for secret in known:
            cleaned = cleaned.replace(secret, "…")
        return cleaned

    return remove
