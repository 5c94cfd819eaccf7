"""Lexical spaces, BM25 weights and plans of retrieval for a few texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from configs.plans import BM25, Language, Lexical
from configs.retrieval import Retrieval
from tasks.embedding.lexical.bm25 import BM25State, fit_bm25
from tasks.embedding.lexical.lexical_space import LexicalState, fit_lexical
from tasks.embedding.lexical.word_counts import count_words
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import words_of


def lexical_space(texts: Sequence[str], plan: Lexical, dense_dimensions: int, parts: int = 1) -> LexicalState:
    """The lexical space of texts, as of a corpus in so many parts."""
    words = partial(words_of, stop_words=plan.stop_words, stemming=plan.stemming)
    counted = [
        count_words(texts[part * len(texts) // parts : (part + 1) * len(texts) // parts], words)
        for part in range(parts)
    ]
    return fit_lexical(lambda: counted, plan, dense_dimensions)


def bm25_weights(texts: Sequence[str], k1: float, b: float, language: Language = "english") -> BM25State:
    """BM25's weights of texts, as of a corpus in two parts."""
    middle = len(texts) // 2
    in_language = partial(terms, stop_words=language, stemming=language)
    counted = [count_words(part, in_language) for part in (texts[:middle], texts[middle:])]
    return fit_bm25(lambda: counted, BM25(k1=k1, b=b, stop_words=language, stemming=language))


def retrieval_of(
    by: str, *, bm25_weight: float = 0.0, rest: Mapping[str, Any] = MappingProxyType({}), **listed: Any
) -> Retrieval:
    """A plan of the list ``by``, and of BM25's where that has a weight."""
    lists: list[dict[str, Any]] = [{"by": by, **listed}]
    if bm25_weight:
        lists.append({"by": "bm25", "weight": bm25_weight})
    return Retrieval.model_validate({"lists": lists, **rest})
