"""Questions in the corpus' own spelling of compounds: "subprocessors" where the documents write "sub-processors".

No list of words: the vocabulary of the index tells which form the documents have.
"""

from __future__ import annotations

import re
from collections.abc import Callable

LEAST_PART = 3
"""A part of fewer letters is no word by itself."""
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def in_corpus_spelling(text: str, is_known: Callable[[str], bool]) -> str:
    """``text`` with each compound as the corpus spells it; words that it knows, or knows in no form, stay as they are.

    A word that ``is_known`` denies is parted by a hyphen where both parts are known, the longest first part first. One
    with a hyphen loses it where the corpus knows it as one word. Text without words comes back unchanged.
    """
    return _COMPOUND.sub(lambda found: _spelled(found.group(), is_known), text)


def _spelled(word: str, is_known: Callable[[str], bool]) -> str:
    if "-" in word:
        joined = word.replace("-", "")
        return joined if is_known(joined) else word
    if len(word) < 2 * LEAST_PART or is_known(word):
        return word
    for at in range(len(word) - LEAST_PART, LEAST_PART - 1, -1):
        if is_known(word[:at]) and is_known(word[at:]):
            return f"{word[:at]}-{word[at:]}"
    return word
