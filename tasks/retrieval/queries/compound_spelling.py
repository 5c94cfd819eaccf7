"""Questions in the corpus' own words: "sub-processors" for "subprocessors", and abbreviations with their long forms.

No list of words: the vocabulary of the index tells which form the documents have, and its abbreviations were learned
from them (``tasks/embedding/lexical/abbreviations.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from tasks.embedding.lexical.abbreviations import SHORT, Abbreviations
from tasks.embedding.lexical.bm25 import BM25State
from tasks.questions.requirements import as_question

LEAST_PART = 3
"""A part of fewer letters is no word by itself."""
MOST_LETTERS = 100
"""A word of more letters is no compound of two words; looking for them takes time by the square of its letters."""
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class Words(Protocol):
    """Vocabulary of a version: the words of BM25, and abbreviations."""

    @property
    def bm25_state(self) -> BM25State:
        """BM25's vocabulary."""
        ...

    @property
    def abbreviations(self) -> Abbreviations:
        """Its abbreviations."""
        ...


def as_read(text: str, of: Words) -> str:
    """A question, or a requirement as the question that it stands for, as it is read beside passages of a version: in
    the spelling of its documents, with the long forms of abbreviations. Text without words comes back unchanged.
    """
    return with_long_forms(in_corpus_spelling(as_question(text), of.bm25_state.knows), of.abbreviations)


def as_searched(text: str, of: Words) -> str:
    """The question as it is searched in a version: as it is read, with the abbreviations of long forms, too."""
    return with_abbreviations(as_read(text, of), of.abbreviations)


def in_corpus_spelling(text: str, is_known: Callable[[str], bool]) -> str:
    """``text`` with each compound as the corpus spells it; words that it knows, or knows in no form, stay as they are.

    A word that ``is_known`` denies is parted by a hyphen where both parts are known, the longest first part first. One
    with a hyphen loses it where the corpus knows it as one word. Text without words comes back unchanged.
    """
    return _COMPOUND.sub(lambda found: _spelled(found.group(), is_known), text)


def with_long_forms(text: str, abbreviations: Abbreviations) -> str:
    """``text`` with its long form before each abbreviation, in whose place it stands where the corpus never writes
    that. Where ``text`` has both, it stays.
    """
    said = f" {_plain(text)}"
    for short in dict.fromkeys(SHORT.findall(text)):
        long = abbreviations.long_forms.get(short)
        if long and f" {_plain(long)}" not in said:
            both = f"{long} ({short})" if short in abbreviations.written else long
            text = re.sub(rf"\b{short}s?\b", both, text, count=1)
    return text


def with_abbreviations(text: str, abbreviations: Abbreviations) -> str:
    """``text`` with its abbreviation behind each long form, where the corpus writes that and ``text`` does not."""
    said, has = f" {_plain(text)}", set(SHORT.findall(text))
    longs = ((f" {_plain(long)}", short) for short, long in abbreviations.long_forms.items())
    for long, short in sorted((one for one in longs if one[0] in said), key=lambda one: -len(one[0])):
        # What lies within a longer one, "information security" in "chief information security officer", is done.
        if long in said and short in abbreviations.written - has:
            words = r"[\s-]+".join(map(re.escape, long.split()))
            text = re.sub(rf"\b{words}\w*", rf"\g<0> ({short})", text, count=1, flags=re.IGNORECASE)
        said = said.replace(long, "")
    return text


def _plain(text: str) -> str:
    return " ".join(text.replace("-", " ").lower().split())


def _spelled(word: str, is_known: Callable[[str], bool]) -> str:
    if "-" in word:
        joined = word.replace("-", "")
        return joined if is_known(joined) else word
    if not 2 * LEAST_PART <= len(word) <= MOST_LETTERS or is_known(word):
        return word
    for at in range(len(word) - LEAST_PART, LEAST_PART - 1, -1):
        if is_known(word[:at]) and is_known(word[at:]):
            return f"{word[:at]}-{word[at:]}"
    return word
