"""Parts of a corpus' chunks, so that one machine at a time reads, counts, embeds and projects a part's texts.

The process that leads the work handles ids, counts and vectors, and reads no text.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.embedding.lexical import abbreviations, bm25
from tasks.embedding.lexical import lexical_space as lexical
from tasks.embedding.lexical.abbreviations import count_abbreviations
from tasks.embedding.lexical.lexical_space import LexicalState
from tasks.embedding.lexical.word_counts import Counts, count_words
from tasks.embedding.models.shards import EmbedTexts, Encoder, Shard, TextVectors, text_id
from tasks.records import content_id
from tasks.text.search_terms import terms
from tasks.text.stemmed_words import words_of

LOGIC_VERSION = "3"
LEAST_ROWS = 1024
MOST_ROWS = 4096
_CUTS = 8
"""One in so many documents, by its key, ends a part with enough rows:
so a new document changes only the parts near it.
"""


class Texts(Hashable, Protocol):
    """The store of chunks and states that workers read."""

    def searched_texts(self, documents: Sequence[str]) -> list[str]:
        """The searched text of each chunk of those documents, in order."""
        ...

    def counts(self, key: str, name: str, texts: int) -> Counts:
        """The word counts of a part's texts."""
        ...

    def state(self, key: str, name: str) -> bytes | None:
        """A fitted state."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """A part: documents, by the keys of their chunks, and their number of chunks; ``part_id`` is a hash of the keys."""

    part_id: str
    documents: tuple[str, ...]
    rows: int


class Facts(NamedTuple):
    """Facts about a part's texts: their ids, their lengths in characters, and their word counts."""

    text_ids: list[str]
    lengths: list[int]
    lexical: Counts
    bm25: Counts
    abbreviations: Counts


def cut_parts(documents: Iterable[tuple[str, int]]) -> list[Part]:
    """Cut the documents, given by key and number of chunks, into parts of some thousand chunks, in order.

    A document without chunks is in no part. No documents give no parts.
    """
    parts: list[Part] = []
    keys: list[str] = []
    rows = 0
    for key, count in documents:
        if not count:
            continue
        keys.append(key)
        rows += count
        if rows >= MOST_ROWS or (rows >= LEAST_ROWS and int(content_id(key), 16) % _CUTS == 0):
            parts.append(_part(keys, rows))
            keys, rows = [], 0
    return [*parts, _part(keys, rows)] if keys else parts


def _part(keys: Sequence[str], rows: int) -> Part:
    return Part(content_id("part", *keys), tuple(keys), rows)


def facts_key(part: Part, plan: Embedding) -> str:
    """The cache key of the result of :func:`read_part` under that plan."""
    words = (plan.lexical.stop_words, plan.lexical.stemming, plan.bm25.stop_words, plan.bm25.stemming)
    logic = (module.LOGIC_VERSION for module in (lexical, bm25, abbreviations))
    return content_id("facts", LOGIC_VERSION, *logic, part.part_id, *words)


def read_part(texts: Texts, plan: Embedding, part: Part) -> Facts:
    """Read a part's texts: their ids, lengths and word counts."""
    found = texts.searched_texts(part.documents)
    in_language = partial(words_of, stop_words=plan.lexical.stop_words, stemming=plan.lexical.stemming)
    for_bm25 = partial(terms, stop_words=plan.bm25.stop_words, stemming=plan.bm25.stemming)
    return Facts(
        [text_id(text) for text in found],
        [len(text) for text in found],
        count_words(found, in_language),
        count_words(found, for_bm25),
        count_abbreviations(found, plan.bm25.stop_words),
    )


def embed_rows(texts: Texts, embed: EmbedTexts, encoder: Encoder, shard: Shard) -> TextVectors:
    """The vectors of a shard's texts, in the order of ``shard.rows``. Raises as ``embed`` does."""
    found = texts.searched_texts(shard.documents)
    return embed([found[row] for row in shard.rows], encoder)


def project_part(texts: Texts, plan: Embedding, lexical_key: str, part: Part) -> NDArray[np.float32]:
    """The unit lexical vectors of a part's texts in the space of that key, ``(part.rows, p)``."""
    state = _space(texts, lexical_key)
    return state.project_counts(texts.counts(facts_key(part, plan), "lexical", part.rows))


@lru_cache(maxsize=1)
def _space(texts: Texts, lexical_key: str) -> LexicalState:
    """The space of that key, read once for all parts that are projected one after the other."""
    return LexicalState.from_bytes(texts.state(lexical_key, "lexical") or b"")
