"""ROUGE-1 recall: the share of a known answer's words that an answer has."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_WORDS = (string.ascii_lowercase + string.digits).encode()
_TO_SPACE = bytes(byte if byte in _WORDS else 32 for byte in range(256))


class _Wanted(NamedTuple):
    """The words of a reference: those that occur once, the others with their counts, and the total number."""

    once: frozenset[bytes]
    repeated: dict[bytes, int]
    total: int


class References:
    """Known answers, tokenized once; None where there is none.

    After Lin (2004), with the tokens and the values of the package rouge-score (``rouge1``, recall, no stemmer), as in
    König 2025: runs of a to z and 0 to 9 in lower case. So "Größe" is the words "gr" and "e", and a text in another
    script has none.
    """

    def __init__(self, texts: Sequence[str | None]) -> None:
        """Tokenize all of ``texts``."""
        self._wanted = [_wanted(text or "") for text in texts]

    def recalls(self, candidates: Sequence[str]) -> list[float | None]:
        """The ROUGE-1 recall of each candidate, in [0, 1]: the share of its reference's words that it has.

        A repeated word counts as often as the reference has it. None if there is no reference, or one without a word
        (rouge-score gives 0 there). ``candidates`` are as many as the references, in their order; raises ValueError
        otherwise.
        """
        return [
            _shared(wanted, _words(candidate)) / wanted.total if wanted.total else None
            for wanted, candidate in zip(self._wanted, candidates, strict=True)
        ]


def rouge1_recall(reference: str, candidate: str) -> float | None:
    """The ROUGE-1 recall of one pair."""
    return References([reference]).recalls([candidate])[0]


def _words(text: str) -> list[bytes]:
    # One pass over bytes is some four times as fast as a regular expression. Characters that are not ASCII become "?",
    # and so a space.
    return text.lower().encode("ascii", "replace").translate(_TO_SPACE).split()


@lru_cache(maxsize=4096)
def _wanted(text: str) -> _Wanted:
    """Count the words of a reference; cached, as a grid asks for the same reference once a configuration."""
    count = Counter(_words(text))
    repeated = {word: n for word, n in count.items() if n > 1}
    return _Wanted(frozenset(count.keys() - repeated.keys()), repeated, count.total())


def _shared(wanted: _Wanted, words: list[bytes]) -> int:
    # Most words of an answer stand in it once, and a set finds those faster than any counting.
    found = len(wanted.once.intersection(words))
    left = dict(wanted.repeated)
    for word in filter(wanted.repeated.__contains__, words):
        if left[word]:
            left[word] -= 1
            found += 1
    return found
