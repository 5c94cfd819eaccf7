"""The secrets that this process was given, so that no word of a server that repeats one is kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from tasks.conversion.urls import without_secrets

_NAME = re.compile(r"(?:KEY|SECRET|TOKEN|PASSWORD|AUTH_STRING)$")
_SHORTEST = 8
"""What is shorter may be a word of any text."""


def secrets_removed() -> Callable[[str], str]:
    """What puts ``…`` in a text for each secret of a URL in it, and for each that the environment holds by now under a
    name that ends as a secret's does (``BIDFOLIO_OPENAI_API_KEY``, ``AWS_SECRET_ACCESS_KEY``).
    """
    given = {value for name, value in os.environ.items() if _NAME.search(name.upper()) and len(value) >= _SHORTEST}
    known = sorted(given, key=len, reverse=True)

    def remove(text: str) -> str:
        cleaned = without_secrets(text)
        for secret in known:
            cleaned = cleaned.replace(secret, "…")
        return cleaned

    return remove
