"""Designators: names that end in a number, such as SOC 2, ISO/IEC 27001, TLS 1.2 or AES-256.

Two with the same letters and another number are two things: a report on SOC 3 says nothing of one on SOC 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NUMBER = r"\d+(?:\.\d+|-(?!(?:19|20)\d\d)\d+)*"
DESIGNATOR = re.compile(rf"\b(?P<letters>[A-Z]{{2,}}(?:[ /-][A-Z]{{2,}})*)(?=[ -]?(?P<number>{_NUMBER}))")
"""The letters of a designator, with its issuers where it names them: the ISO/IEC of ISO/IEC 27001."""
_OPEN_ENDED = re.compile(
    r"\b(?:or|and) (?:above|better|higher|later|newer|stronger|up|below|lower|older|earlier|equivalent|similar)\b"
    r"|\b(?:at least|minimum|above|below|similar|equivalent|such as|comparable|other than|instead of|before|after)\b"
    r"|\+",
    re.IGNORECASE,
)


class Designator(NamedTuple):
    """A name's parts in letters, and the number behind them, without the year of an edition."""

    letters: frozenset[str]
    number: str


def designators_of(text: str) -> Iterator[Designator]:
    """The designators of ``text``, in order; none in text without."""
    for found in DESIGNATOR.finditer(text):
        yield Designator(frozenset(re.findall("[A-Z]+", found["letters"])), found["number"])


def names_another(question: str, text: str) -> bool:
    """Tell if ``text`` names another thing of the series that ``question`` asks about, and not that one.

    False where the question asks for more than the one: "AES-128 or stronger".
    """
    if _OPEN_ENDED.search(question):
        return False
    numbers = frozenset(re.findall(rf"(?<![\d.]){_NUMBER}", text))
    said = list(designators_of(text))
    return any(
        one.number not in numbers and any(one.letters & other.letters for other in said)
        for one in designators_of(question)
    )
