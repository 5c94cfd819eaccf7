"""Kinds of questions in other languages than English, by the question words of the table of languages.

A question that begins with none of them, behind prepositions or a comma, asks for a yes or no: so it is in German,
French, Spanish and Portuguese, whatever verb it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from configs.languages import Spoken, languages
from tasks.text.language_detection import foreign_language

_LEAD = r"^(?:\W|\d[\d.]*\s|[a-z]\)\s)*"
_IS_QUESTION = re.compile(r"\?[\s\"'”’»)]*$")


def spoken_in(question: str) -> Spoken | None:
    """The words of the question's language, where it is not English and its question words are known; else None."""
    spoken = foreign_language(question)
    return spoken if spoken and spoken.asking else None


def asks_openly(question: str, spoken: Spoken) -> bool:
    """Tell if a question of that language asks for more than a yes or no, or a text requests one: "Nennen Sie …", and
    not "Nennen Sie …?".
    """
    asked = question.casefold()
    is_request = not asks(question) and _request(spoken.name).match(asked)
    return bool(is_request or _open(spoken.name).search(asked))


def asks(text: str) -> bool:
    """Tell if a text ends in a question mark."""
    return _IS_QUESTION.search(text) is not None


def requests(text: str) -> bool:
    """Tell if a text begins with a request in another language: "Bitte beschreiben Sie …"."""
    spoken = spoken_in(text)
    return bool(spoken and _request(spoken.name).match(text.casefold()))


@cache
def _open(name: str) -> re.Pattern[str]:
    spoken = _named(name)
    asking = _any(spoken.asking)
    # Amid a question a word such as "que" or "wie" is mostly no question word.
    alone = _any(spoken.asking - spoken.function_words)
    before = rf"(?:{_any(spoken.prepositions)}['’\s]\s*){{0,2}}"
    return re.compile(rf"{_LEAD}{before}{asking}|,\s+{before}{alone}")


@cache
def _request(name: str) -> re.Pattern[str]:
    return re.compile(rf"{_LEAD}{_any(_named(name).requests)}")


def _named(name: str) -> Spoken:
    return next(one for one in languages().values() if one.name == name)


def _any(words: Iterable[str]) -> str:
    return rf"(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)"
