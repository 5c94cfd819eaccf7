"""Lexical overlap of a question and its evidence: high in an easy gold set, low in a hard one."""

# pyright: reportMissingTypeStubs=false
# scikit-learn has no stubs.

import re

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS


def overlap(question: str, evidence: str) -> float | None:
    """The share of the question's content words that the evidence repeats, 0 to 1; None where it has none.

    Content words are the distinct lower-case alphabetic tokens of three letters or more that are no English
    stop words, as they stand, without stemming. The evidence is the text of the evidence pages joined, or the
    quotes joined: two figures, one function.
    """
    asked = _tokens(question) - ENGLISH_STOP_WORDS
    return len(asked & _tokens(evidence)) / len(asked) if asked else None


def _tokens(text: str) -> set[str]:
    """The distinct alphabetic tokens of at least three letters, in lower case."""
    return set(re.findall(r"[^\W\d_]{3,}", text.lower()))
