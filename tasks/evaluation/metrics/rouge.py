"""ROUGE-1 recall: how much of a known answer's words an answer has."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_WORDS = (string.ascii_lowercase + string.digits).encode()
_TO_SPACE = bytes(byte if byte in _WORDS else 32 for byte in range(256))


class _Wanted(NamedTuple):
    """The words of a reference that stand in it once; the others, and how often they do; and how many it has in all."""

    once: frozenset[bytes]
    repeated: dict[bytes, int]
    total: int


class References:
    """Known answers, cut into words once; None stands where there is none.

    After Lin (2004), with the words and the values of the package rouge-score (``rouge1``, recall, no stemmer), as
    König 2025 has it: runs of a to z and 0 to 9 in lower case. So "Größe" is the words "gr" and "e", and a text in
    another script has none.
    """

    def __init__(self, texts: Sequence[str | None]) -> None:
        """Cuts all of ``texts`` up."""
        self._wanted = [_wanted(text or "") for text in texts]

    def recalls(self, candidates: Sequence[str]) -> list[float | None]:
        """For each candidate the share, in [0, 1], of its reference's words that it has, each as often as it stands
        there; None where there is no reference, or none with a word (rouge-score gives 0 there).

        ``candidates`` are as many as the references, in their order; raises ValueError otherwise.
        """
        return [
            _shared(wanted, _words(candidate)) / wanted.total if wanted.total else None
            for wanted, candidate in zip(self._wanted, candidates, strict=True)
        ]


def rouge1_recall(reference: str, candidate: str) -> float | None:
    """That of one pair."""
    return References([reference]).recalls([candidate])[0]


def _words(text: str) -> list[bytes]:
    # One pass over bytes is some four times as fast as a regular expression. What is not ASCII becomes "?", and so a
    # space.
    return text.lower().encode("ascii", "replace").translate(_TO_SPACE).split()


@lru_cache(maxsize=4096)
def _wanted(text: str) -> _Wanted:
    """A grid asks for the same reference once a configuration."""
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
