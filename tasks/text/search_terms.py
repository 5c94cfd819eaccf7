"""Search terms of a text: the stemmed words and digits by which BM25 and comparisons of texts count."""

from __future__ import annotations

import re
from functools import lru_cache

from configs.plans import Language, Stemming
from tasks.text.stemmed_words import reduced

_WORD = re.compile(r"[^\W_]{2,}|\d")
_CACHED_TEXTS = 16_384


def terms(text: str, stop_words: Language = "english", stemming: Stemming = "english") -> list[str]:
    """The stemmed words, cut to MAX_WORD_CHARACTERS, and digits of ``text`` but stop words; none of empty text."""
    return reduced(_WORD, text, stop_words, stemming)


@lru_cache(maxsize=_CACHED_TEXTS)
def term_set(text: str) -> frozenset[str]:
    """The different :func:`terms` of an English text that is compared with many others."""
    return frozenset(terms(text))
