"""Texts that say the same in several languages, one below the other or on both sides of a stroke."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from configs.languages import languages
from tasks.questions.wording import words_of
from tasks.text.language_detection import ENGLISH, question_language

LEAST_WORDS = 3
MOST_TIMES = 3
"""The most times that a text is longer, in words, than its translation."""
_BREAK = re.compile(r"\s*\n+\s*|(?<=[?.!:])\s+(?=[^\W\d_])|\s+/\s+|(?<=[?.!])/(?=\w)")
_MARK = re.compile(r"\s*(?:[-–—•*]|\(?(?:[a-zA-Z]|[ivx]{1,4})[).])\s")
"""The mark of an item of a list; a number may stand before each language."""


def in_one_language(text: str) -> str:
    """The English version of a text in several languages, else its first one; any other text as it is."""
    breaks = [*_BREAK.finditer(text)]
    if not breaks:
        return text
    begins = [0, *(found.end() for found in breaks)]
    ends = [*(found.start() for found in breaks), len(text)]
    codes = _languages_of([text[begin:end] for begin, end in zip(begins, ends, strict=True)])
    runs = [(code, [at for at, _ in run]) for code, run in groupby(enumerate(codes), key=lambda one: one[1])]
    versions = {code: text[begins[run[0]] : ends[run[-1]]].strip() for code, run in runs}
    if len(versions) < len(runs) or not _say_the_same([*versions.values()]):
        return text
    return versions.get(ENGLISH, next(iter(versions.values())))


def _languages_of(parts: Sequence[str]) -> list[str]:
    """The languages of the parts; one whose words tell none has that of the part before it, else of the next that has.

    ``SOC 2`` and ``ISO 27001`` are the same in each language.
    """
    codes = [question_language(part) for part in parts]
    others = frozenset(codes) - {None}
    if ENGLISH not in others:
        # "Is data encrypted?" may be Dutch by its words, but hardly beside French.
        known = (languages()[code].function_words for code in others if code)
        own = languages()[ENGLISH].function_words.difference(*known)
        codes = [
            code or (ENGLISH if own & set(words_of(part)) else None) for code, part in zip(codes, parts, strict=True)
        ]
    filled: list[str] = []
    before = next(filter(None, codes), "")
    for code in codes:
        before = code or before
        filled.append(before)
    return filled


def _say_the_same(versions: Sequence[str]) -> bool:
    """Tell if texts in different languages may be versions of each other: as many questions, about as many words."""
    if len(versions) < 2 or any(map(_MARK.match, versions)):
        return False
    words = [len(words_of(one)) for one in versions]
    asked = {one.count("?") for one in versions}
    return len(asked) == 1 and min(words) >= LEAST_WORDS and max(words) <= MOST_TIMES * min(words)
