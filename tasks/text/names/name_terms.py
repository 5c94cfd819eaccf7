"""Terms of names: those of any text, and words such as "IT" and "US" that are stop words in small letters."""

from __future__ import annotations

import re

from tasks.text.search_terms import terms

_WORD = re.compile(r"[^\W_]+")
_CAPITALS = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")


def name_terms(text: str) -> set[str]:
    """The terms of a name, with its stop words that stand in capitals among other words ("US sales", "IT policy").

    A name of nothing but stop words ("Who we are") has them all; one without words has none.
    """
    found = {*terms(text)}
    if not text.isupper():
        found |= {word.casefold() for word in _CAPITALS.findall(text) if word.isupper() and not terms(word)}
    return found or {word.casefold() for word in _WORD.findall(text)}
