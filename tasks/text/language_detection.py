"""Language detection by function words: fast (tens of microseconds), deterministic, without a model.

A function word counts for each of the languages that has it, with a weight of one over their number.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from configs.languages import Spoken, languages

MIN_LETTERS = 40
ENGLISH = "en"
_SAMPLE = 600
"""Characters read at the beginning and at the end of a page, which are enough to know its language."""
_MIN_SHARE = 0.06
_LEAD = 1.2
_MIN_HITS = 1.8
"""Minimum score: a cover page of names may hold a word of another language ("Northwind Health Plus")."""
_MIN_HITS_OF_QUESTION = 0.5
_QUESTION_WORD = re.compile(r"\b[^\W\d_]+\b|[¿¡]")
"""The letters of "W2" and "E_mail" are no words."""
_WORD_OF_LETTERS = re.compile(r"[^\W\d_]{2}")


def detect_language(text: str) -> str | None:
    """Detect the language of ``text`` as an ISO 639-1 code: en, de, fr, es, pt, it, nl, pl, sv or da.

    None for fewer than 40 letters, too few function words, and two languages with nearly the same score.
    """
    sample = text if len(text) <= 2 * _SAMPLE else f"{text[:_SAMPLE]} {text[-_SAMPLE:]}"
    words = sample.lower().replace("’", " ").replace("'", " ").split()
    # In a longer text the share of function words is enough.
    if len(sample) < 10 * MIN_LETTERS and sum(map(str.isalpha, sample)) < MIN_LETTERS:
        return None
    return _leading(words, _function_words(), max(_MIN_SHARE * len(words), _MIN_HITS))


@lru_cache(maxsize=10_000)
def question_language(text: str) -> str | None:
    """The language of a question, as short as it may be: by function words, by those that questions begin with, and by
    letters that no other language has. None where these tell nothing, as of "SOC 2 report" or "n/a", or of two alike.
    """
    lower = text.lower()
    if not _WORD_OF_LETTERS.search(lower):
        return None
    letters = () if lower.isascii() else sorted(frozenset(lower) & _letters())
    return _leading([*_QUESTION_WORD.findall(lower), *letters], _words_of_questions(), _MIN_HITS_OF_QUESTION)


def foreign_language(question: str) -> Spoken | None:
    """The language of a question that is surely not English; None for all others."""
    code = question_language(question)
    return None if code is None or code == ENGLISH else languages()[code]


def text_language(text: str) -> str:
    """The language whose words are counted in ``text``, long or short: English where none is surely another."""
    return detect_language(text) or question_language(text) or ENGLISH


def _leading(words: Iterable[str], known: Mapping[str, frozenset[str]], least: float) -> str | None:
    scores: dict[str, float] = defaultdict(float)
    for word, times in Counter(filter(known.__contains__, words)).items():
        for language in known[word]:
            scores[language] += times * (1 / len(known[word]))
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or ranked[0][1] < least:
        return None
    if len(ranked) > 1 and ranked[0][1] < _LEAD * ranked[1][1]:
        return None
    return ranked[0][0]


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    return _by_word({code: spoken.function_words for code, spoken in languages().items()})


@cache
def _words_of_questions() -> Mapping[str, frozenset[str]]:
    return _by_word(
        {
            code: one.function_words | one.asking | one.asks | one.requests | one.denials | one.letters
            for code, one in languages().items()
        }
    )


@cache
def _letters() -> frozenset[str]:
    return frozenset[str]().union(*(one.letters for one in languages().values()))


def _by_word(words: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
    """The languages that have each word."""
    found: dict[str, set[str]] = defaultdict(set)
    for code, some in words.items():
        for word in some:
            found[word].add(code)
    return {word: frozenset(codes) for word, codes in found.items()}
