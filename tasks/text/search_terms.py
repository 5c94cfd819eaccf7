"""Search terms of a text: the stemmed words and digits by which BM25 and comparisons of texts count."""

from __future__ import annotations

import re

from configs.plans import Language, Stemming
from tasks.text.stemmed_words import reduced

_WORD = re.compile(r"[^\W_]{2,}|\d")


def terms(text: str, stop_words: Language = "english", stemming: Stemming = "english") -> list[str]:
    """The stemmed words, cut to MAX_WORD_CHARACTERS, and digits of ``text`` but stop words; none of empty text."""
    return reduced(_WORD, text, stop_words, stemming)
