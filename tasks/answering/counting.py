"""Whether what a claim counts is counted so: as many things as it lists, and one where its source has several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.answering.facts import NUMBER_WORDS
from tasks.answering.stems import stems_of

_MOST = 20
_NUMBER = rf"(?P<number>{'|'.join(word for word, value in NUMBER_WORDS.items() if 1 < value <= _MOST)})"
"""In letters: "24 months: Yes; Yes" counts no things of a list."""
_ANNOUNCED = re.compile(rf"\b{_NUMBER}(?:\s+[^\W\d_][\w-]*){{1,4}}\s*:\s*(?P<list>[^:]+)$", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*[,;]\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_ONE = re.compile(r"\b(?:only )?(?:one|a single)\s+(?P<what>[^\W\d_][\w-]*)", re.IGNORECASE)
_SEVERAL = re.compile(rf"\b{_NUMBER}\s+(?P<what>[^\W\d_][\w-]*)", re.IGNORECASE)


def miscounted(sentence: str) -> str:
    """How many a list has that its sentence announces as more ("six regions: Leeds and York"), in words; "" where it
    has as many, or the sentence announces none. A list of more may have parts that are no items.
    """
    found = _ANNOUNCED.search(sentence.strip().rstrip(".!"))
    if not found:
        return ""
    announced = NUMBER_WORDS[found["number"].lower()]
    items = [item for item in _BETWEEN.split(found["list"]) if item.strip()]
    return f"it announces {announced} and lists {len(items)}" if len(items) < announced else ""


def said_of_one(claim: str, source: Sequence[str]) -> str:
    """What ``claim`` counts as one and each of the clauses of its ``source`` that counts it as several; "" where there
    is no such thing, and of no source.
    """
    counted = [(stems_of(found["what"]), found.group()) for text in source for found in _SEVERAL.finditer(text)]
    of_one = [stems_of(found["what"]) for text in source for found in _ONE.finditer(text)]
    for found in _ONE.finditer(claim):
        what = stems_of(found["what"])
        others = [told for stems, told in counted if what and stems == what]
        if others and what not in of_one:
            return f"“{found.group()}”, but “{others[0]}”"
    return ""
