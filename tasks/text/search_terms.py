"""Search terms of a text: the stemmed words and digits by which BM25 and comparisons of texts count."""

from __future__ import annotations

import re

from configs.plans import Language, Stemming
from tasks.text.stemmed_words import MAX_WORD_CHARACTERS, STOP_WORDS, reducer, without_notes

_WORD = re.compile(r"[^\W_]{2,}|\d")


def terms(text: str, stop_words: Language = "english", stemming: Stemming = "english") -> list[str]:
    """The stemmed words and digits of ``text`` in order, without the language's stop words.

    Words are cut to MAX_WORD_CHARACTERS. Empty text gives none.
    """
    stopped, reduce = STOP_WORDS[stop_words], reducer(stemming)
    words = _WORD.findall(without_notes(text).lower())
    return [reduce(word[:MAX_WORD_CHARACTERS]) for word in words if word not in stopped]
