"""Name mismatch: the quote is about a thing with a name similar to the one in the question.

Two plans of one insurer, two grades of one job: where the documents describe only one of them, it is found for the
other, too, in nearly the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import dropwhile

from tasks.text.stemmed_words import STOP_WORDS

_WORD = r"[^\W\d_][\w&'’-]*"
_CAPITAL = r"(?=[^\W\d_a-z])" + _WORD
_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:(?:of|for|and|the)\s+)?(?:{_CAPITAL}|\d+(?:\.\d+)*))+")
_WORDS = re.compile(r"[^\W_]+(?:['’&][^\W_]+)*")
_ASKING = frozenset("did does confirm explain give identify list name outline provide specify state tell".split())
_LINKS = frozenset("of for and the".split())

Words = frozenset[str]


def other_name(question: str, quotes: str, places: str) -> tuple[str, str] | None:
    """The name in ``question`` that the quotes lack, and the similar one that they have; None without both.

    A name is two words or more with capitals. Two names are similar where they share a word and each has one that the
    other lacks. ``places`` are files' names and sections: a quote may leave out what they name.
    """
    said = _words(f"{quotes} {places}")
    for name, words in _names(question):
        alike = (other for other, its in _names(quotes) if words & its and its - words and words - its)
        if not words <= said and (other := next(alike, None)):
            return name, other
    return None


def _names(text: str) -> Iterator[tuple[str, Words]]:
    """Each name in ``text``, and its words in lower case."""
    of_weight = [word for word in _WORDS.findall(text) if word[0].isalpha() and not _is_idle(word)]
    if all(word[0].isupper() for word in of_weight):
        # Where all words have capitals, as in a title, they tell no names.
        return
    for found in _NAME.finditer(text):
        # "Does Acme Cloud …": a sentence begins with a capital.
        name = " ".join(dropwhile(_is_idle, found.group().split()))
        if len(words := _words(name)) > 1:
            yield name, words


def _is_idle(word: str) -> bool:
    return word.lower() in _ASKING or word.lower() in STOP_WORDS["english"]


def _words(text: str) -> Words:
    return frozenset(word.lower() for word in _WORDS.findall(text)) - _LINKS
