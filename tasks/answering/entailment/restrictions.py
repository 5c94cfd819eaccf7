"""What a sentence is limited by: "for contractors", "in the test environment", "from the Business plan upwards"."""

from __future__ import annotations

import re

from tasks.answering.entailment.facts import words_of_claim

_LIMITS = r"\b(?:for|in|at|on|until|during|if|when|where|unless|under)\b"
_SCOPE_PHRASE = re.compile(rf"{_LIMITS}.*?(?=[,;:|.]|$|{_LIMITS})", re.IGNORECASE | re.DOTALL)
_MEASURE = re.compile(r"\w+\s+(?:(?:up to|at least|at most|about|over)\s+)?[\d£$€]", re.IGNORECASE)
"""How such a phrase begins that says how long or how much, and limits nothing: "for 35 days and then deleted"."""


def is_limited(text: str, extra: frozenset[str]) -> bool:
    """Whether a phrase of ``text`` that says what it holds for has words, and none but the ``extra`` stems."""
    found = (phrase for phrase in _SCOPE_PHRASE.findall(text) if not _MEASURE.match(phrase))
    phrases = (words_of_claim(phrase) for phrase in found)
    return any(phrase and phrase <= extra for phrase in phrases)
