"""Content words: the words that say what a text is about. English only; in other languages every word is one."""

from __future__ import annotations

import re

from tasks.text.english import AUXILIARIES

_ASKING = (
    "what how which who whose where when why whether please describe provide explain list state specify detail confirm "
    "indicate outline identify give tell name"
)
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_CARRY_OUT = re.compile(r"\bcarr(?:y|ies|ied|ying)\s+out\b", re.IGNORECASE)
"""Verbs such as "carry out", which say nothing about their object."""
FUNCTION_WORDS = frozenset(
    f"""
    a an the i you your yours we our ours us it its they them their theirs this that these those there one ones such
    and or but so also then too else same ok okay if as at by for from in into of off on onto out over per than to
    under up down back away through with within about after before between during without not no nor any some all both
    each every other more most much many often long far soon be been being am get gets got only just still again me my
    done doing happen happens happened happening occur occurs occurred whom anyone anybody someone somebody everyone
    everybody nobody anything something everything nothing example examples instance elaborate clarify specific exactly
    precisely sure what's who's where's when's how's that's there's it's {_ASKING} {AUXILIARIES.replace("|", " ")}
    """.split()
)


def content_words(text: str) -> list[str]:
    """The words that say what a question is about, as they are written, in order, each once."""
    return list(dict.fromkeys(word for word in all_words(_CARRY_OUT.sub(" ", text)) if not is_function_word(word)))


def all_words(text: str) -> list[str]:
    """The words of a text as they are written, in order."""
    return [found.group() for found in words_in(text)]


def words_in(text: str) -> list[re.Match[str]]:
    """The words of a text with their places, in order."""
    return list(_WORD.finditer(text))


def is_function_word(word: str) -> bool:
    """Tell if a word alone says nothing about the subject of a text."""
    return word.lower() in FUNCTION_WORDS
