"""Tokenizer of the lexical space (TF-IDF): words in the plan's language; BM25 has its own definition of a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from typing import cast

import Stemmer

from configs.languages import languages
from configs.plans import Language, Stemming
from tasks.text.characters import RAISED
from tasks.text.language_detection import text_language

_WORD = re.compile(r"\b\w\w+\b")
MAX_WORD_CHARACTERS = 64
"""The length to which words are cut: all words of a vocabulary take as much memory as its longest."""
_CACHED_WORDS = 200_000
_MARKS = f"[{''.join(RAISED)}]+"
_NOTES = re.compile(
    rf"(?:(?<=\d)|(?<=[^\W\d_][^\W\d_])(?<!\b[cdkm]m)|(?<=[%).])){_MARKS}(?:, ?{_MARKS})*", re.IGNORECASE
)
"""Superscripts after a number or a word, but not those that make another unit, such as "m³" and "km²"."""
_UNSPACED = re.compile("[\u0e01-\u0e4e\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")
"""Letters of scripts that write words without spaces between them: Thai, Japanese, Chinese; and Korean."""


def _english_stop_words() -> frozenset[str]:
    """scikit-learn's list, from the module that holds it alone: the import of the package takes a second."""
    package = find_spec("sklearn")
    assert package is not None and package.origin is not None
    path = Path(package.origin).parent / "feature_extraction" / "_stop_words.py"
    return frozenset(run_path(str(path))["ENGLISH_STOP_WORDS"])


_PORTUGUESE_STOP_WORDS = frozenset(
    """
    à ao aos aquela aquelas aquele aqueles aquilo as às até com como cuja cujas cujo cujos da das de dela delas dele
    deles desde dessa dessas desse desses desta destas deste destes do dos ela elas ele eles em entre era eram essa
    essas esse esses esta está estão estas estava estavam este estes estou eu foi foram fosse há isso isto já lhe lhes
    mais mas me mesma mesmas mesmo mesmos meu meus minha minhas na nas nela nelas nele neles nessa nessas nesse nesses
    nesta nestas neste nestes no nos nós nossa nossas nosso nossos num numa nuns numas os ou para pela pelas pelo pelos
    per pois por porque qual quais quando que quem se seja sejam ser será serão seu seus só sob sobre sua suas são
    também tem têm tendo ter teu teus toda todas todo todos tu tua tuas um uma umas uns você vocês vos
    """.split()
)
"""Portuguese stop words without "não", "nem" and "sem", since negation changes what a document says."""
STOP_WORDS: dict[Language, frozenset[str]] = {
    "none": frozenset(),
    "english": _english_stop_words(),
    "portuguese": _PORTUGUESE_STOP_WORDS,
}
_LISTED = {"en": STOP_WORDS["english"], "pt": STOP_WORDS["portuguese"]}
DETECTED = "detected"


def words_of(text: str, stop_words: Language, stemming: Stemming) -> list[str]:
    """The words of two characters or more, in order, :func:`reduced`; text without words gives none."""
    return reduced(_WORD, text, stop_words, stemming)


def reduced(word: re.Pattern[str], text: str, stop_words: Language, stemming: Stemming) -> list[str]:
    """The stems of what ``word`` finds in ``text``, in lower case: without stop words, cut to MAX_WORD_CHARACTERS.

    A ``detected`` language is that of the text. Where no spaces part words, each two letters are one.
    """
    if stemming == DETECTED:
        stemming = language_stemming(text)
    stopped, reduce = stop_words_of(text, stop_words), reducer(stemming)
    found = word.findall(_spaced(without_notes(text).lower()))
    return [reduce(each[:MAX_WORD_CHARACTERS]) for each in found if each not in stopped]


def _spaced(text: str) -> str:
    if text.isascii():
        return text
    return _UNSPACED.sub(lambda run: f" {' '.join(map(''.join, pairwise(run.group())))} ", text)


def stop_words_of(text: str, stop_words: Language) -> frozenset[str]:
    """The stop words of that language, or of the text's own where it is ``detected``; a denial is none there."""
    if stop_words != DETECTED:
        return STOP_WORDS[stop_words]
    code = text_language(text)
    return _LISTED.get(code) or languages()[code].function_words - languages()[code].denials


def language_stemming(text: str) -> Stemming:
    """The stemmer of the text's language; none where there is none."""
    return cast(Stemming, languages()[text_language(text)].stemming or "none")


def without_notes(text: str) -> str:
    """``text`` without superscripts after words and numbers: "4 hours" for "4¹ hours"."""
    return text if text.isascii() else _NOTES.sub("", text)


@cache
def reducer(stemming: Stemming) -> Callable[[str], str]:
    """The cached function that reduces a word to its stem, by rules that need its accents, without them."""
    stem = str if stemming == "none" else Stemmer.Stemmer(stemming).stemWord
    return lru_cache(maxsize=_CACHED_WORDS)(lambda word: without_accents(str(stem(word))))


def without_accents(text: str) -> str:
    """``text`` in letters without accents."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
