"""The secrets that this process was given, so that no word of a server that repeats one is kept."""

from __future__ import annotations

import os
import re

from tasks.conversion.urls import without_secrets

_NAME = re.compile(r"(?:KEY|SECRET|TOKEN|PASSWORD|AUTH_STRING)$")
_SHORTEST = 8
"""What is shorter may be a word of any text."""


def without_known_secrets(text: str) -> str:
    """``text`` with ``…`` for each secret of a URL in it, and for each that the environment holds under a name that
    ends as a secret's does (``BIDFOLIO_OPENAI_API_KEY``, ``AWS_SECRET_ACCESS_KEY``).
    """
    text = without_secrets(text)
    for secret in sorted(_given(), key=len, reverse=True):
        text = text.replace(secret, "…")
    return text


def _given() -> set[str]:
    return {value for name, value in os.environ.items() if _NAME.search(name.upper()) and len(value) >= _SHORTEST}
