"""Abbreviations and what they are short for, learned from the texts of a corpus.

A definition is found after Schwartz and Hearst (2003, "A simple algorithm for identifying abbreviation definitions in
biomedical text"): the long form stands before or behind the short one, and its letters are matched in order. Here each
must begin a word, and terms of a glossary count as well as parentheses. Where nothing defines one, a phrase with these
initials is taken that stands between stop words (a keyword of RAKE, Rose et al. 2010): for an abbreviation that the
corpus never writes a title or a compound, or else one of common words that comes again.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby

import numpy as np

from configs.plans import Language
from tasks.embedding.lexical.word_counts import Counts, count_words, vocabulary_of
from tasks.text.stemmed_words import stop_words_of

LOGIC_VERSION = "2"
STATE_VERSION = 1
LEAST_LETTERS, MOST_LETTERS = 3, 5
"""The least and most words of a phrase: two initials are shared by too many phrases."""
LEAST_TEXTS = 2
"""A phrase of common words has to stand in so many texts: by chance any three have some initials."""
LEAST_SHARE = 0.25
"""And in so many for each that has the abbreviation: what is written often and spelled out nowhere is known to all."""
LEAST_UNWRITTEN, LEAST_UNWRITTEN_SHARE = 4, 0.01
"""For an abbreviation that the corpus never writes, a phrase has to stand in so many texts, and in this share of all: a
customer may ask about anything, and "on-call rota" is no OCR.
"""
SHORT = re.compile(r"\b(?=\w*[A-Z]\w*[A-Z])([A-Za-z]{3,10}?)s?\b(?![ -]?\d)")
"""An abbreviation, of three letters or more with two capitals at least, without the s of its plural. What a number
follows, as in "SOC 2", is the name of something.
"""
_REACH = 120
"""Characters on either side of an abbreviation in which its definition is looked for."""
_BEFORE = re.compile(r"([^\n.;:()|]+?)\s*\(\s*[“\"']?$")
_BEHIND = re.compile(r"[”\"']?\s*(?:[:|–—(,]|\bmeans\b|\bstands for\b)\s*[“\"']?")
_CLOSED = re.compile(r"\s*[”\"']?\s*\)")
_GAP = r"(?:[\s,/]+(?:\w{1,3}[\s,/]+){0,2}?|-)"
"""The gap between two words of a long form: a hyphen, or blanks with short words that give no letter."""
_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\w+|[^\s\w]|\n")
_DEFINED, _TITLE, _COMPOUND, _COMMON, _WRITTEN = "defined", "title", "compound", "common", "written"


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """The long form, in small letters, of each abbreviation, and those that the corpus has ``written`` itself."""

    long_forms: Mapping[str, str] = field(default_factory=dict)
    written: frozenset[str] = frozenset()

    def to_bytes(self) -> bytes:
        """The state as an ``.npz``, free of pickle."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            state_version=np.array(STATE_VERSION),
            short=np.array(list(self.long_forms), dtype=np.str_),
            long=np.array(list(self.long_forms.values()), dtype=np.str_),
            written=np.array(sorted(self.written), dtype=np.str_),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Abbreviations:
        """The state of :meth:`to_bytes`. Raises ValueError for another version of the format."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            if int(arrays["state_version"]) != STATE_VERSION:
                raise ValueError(f"abbreviations of version {arrays['state_version']}, expected {STATE_VERSION}")
            short, long, written = (arrays[name].tolist() for name in ("short", "long", "written"))
            return cls(dict(zip(short, long, strict=True)), frozenset(written))


NO_ABBREVIATIONS = Abbreviations()
"""Those of a version that was made before any were learned."""


def count_abbreviations(texts: Iterable[str], stop_words: Language) -> Counts:
    """The counts of what :func:`fit_abbreviations` needs of texts."""
    return count_words(list(texts), partial(_entries, stop_words=stop_words))


def fit_abbreviations(parts: Iterable[Counts]) -> Abbreviations:
    """The abbreviations of all parts, each with the long form that most texts have; no texts give none.

    A definition goes before any phrase.
    """
    found = vocabulary_of(parts)
    entries = [(*entry.split("\t"), count) for entry, count in zip(found.words, found.containing.tolist(), strict=True)]
    written = {short: count for kind, short, _, count in entries if kind == _WRITTEN}
    best: dict[str, tuple[bool, int, str]] = {}
    for kind, short, long, count in entries:
        if short in written:
            is_like = kind != _TITLE and count >= max(LEAST_TEXTS, LEAST_SHARE * written[short])
        else:
            is_like = kind != _COMMON and count >= max(LEAST_UNWRITTEN, LEAST_UNWRITTEN_SHARE * found.texts)
        if kind == _DEFINED or (kind != _WRITTEN and is_like):
            best[short] = max(best.get(short, (False, 0, "")), (kind == _DEFINED, count, long))
    return Abbreviations({short: long for short, (_, _, long) in best.items()}, frozenset(written))


def phrases_of(text: str, stop_words: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """The phrases of ``text`` between stop words, in small letters: each as a title, a compound or one of common words,
    behind its initials. What mixes common words with names is left out.
    """
    tokens = (found.group() for found in _TOKEN.finditer(text))
    for is_phrase, run in groupby(tokens, lambda token: token[0].isalpha() and token.lower() not in stop_words):
        words = list(run) if is_phrase else []
        initials = "".join(part[0] for word in words for part in word.split("-")).upper()
        kinds = {word[0].isupper() for word in words[1:]}
        if LEAST_LETTERS <= len(initials) <= MOST_LETTERS and len(kinds) <= 1:
            common = _COMPOUND if len(initials) > len(words) else _COMMON
            yield _TITLE if kinds == {True} else common, initials, " ".join(words).lower()


def one_form_each(text: str) -> tuple[str, str]:
    """``text`` with its long forms alone, and with its abbreviations alone, where it defines them in parentheses."""
    longs = shorts = text
    for found in SHORT.finditer(text):
        if long := _definition(found.group(1), text[: found.start()], text[found.end() :]):
            both = re.compile(rf"({re.escape(long)})\s*\(({found.group()})\)", re.IGNORECASE)
            longs, shorts = both.sub(r"\1", longs), both.sub(r"\2", shorts)
    return longs, shorts


def _entries(text: str, stop_words: Language) -> list[str]:
    entries = ["\t".join(phrase) for phrase in phrases_of(text, stop_words_of(text, stop_words))]
    for found in SHORT.finditer(text):
        short = found.group(1)
        entries.append(f"{_WRITTEN}\t{short}\t")
        if long := _definition(short, text[max(0, found.start() - _REACH) : found.start()], text[found.end() :]):
            entries.append(f"{_DEFINED}\t{short}\t{long}")
    return entries


def _definition(short: str, before: str, behind: str) -> str:
    """The long form of ``short`` that ends before its parenthesis or begins behind it, else nothing."""
    pattern = _long_form(short)
    if (opened := _BEFORE.search(before)) and _CLOSED.match(behind):
        ends = (found for found in pattern.finditer(opened.group(1)) if found.end() == len(opened.group(1)))
        return next((found.group().lower() for found in ends), "")
    if sign := _BEHIND.match(behind[:_REACH]):
        found = pattern.match(behind[sign.end() : _REACH])
        return found.group().lower() if found else ""
    return ""


@lru_cache(maxsize=10_000)
def _long_form(short: str) -> re.Pattern[str]:
    return re.compile(r"\b" + _GAP.join(rf"{letter}[^\W\d_]*" for letter in short), re.IGNORECASE)
