"""A corpus' chunks in parts, so that one machine at a time reads, counts, embeds and projects a part's texts.

Whoever leads the work handles ids, counts and vectors, and reads no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from configs.plans import Embedding
from tasks.embedding import abbreviations, bm25, lexical
from tasks.embedding.abbreviations import count_abbreviations
from tasks.embedding.counts import Counts, count_words
from tasks.embedding.lexical import LexicalState
from tasks.embedding.shards import EmbedTexts, Encoder, Shard, TextVectors, text_id
from tasks.embedding.words import words_of
from tasks.records import content_id

LOGIC_VERSION = "2"
LEAST_ROWS = 1024
MOST_ROWS = 4096
_CUTS = 8
"""One document in so many ends a part that has enough rows: one more document changes the parts around it alone."""


class Texts(Protocol):
    """Where chunks and states are kept, for those who read them."""

    def searched_texts(self, documents: Sequence[str]) -> list[str]:
        """What is searched of the chunks of those documents, in order."""
        ...

    def counts(self, key: str, name: str, texts: int) -> Counts:
        """How often which word stands in which of a part's texts."""
        ...

    def state(self, key: str, name: str) -> bytes | None:
        """A fitted state."""
        ...


@dataclass(frozen=True, slots=True)
class Part:
    """Documents, by the keys of their chunks, and how many chunks they have. ``part_id`` is the hash of their keys."""

    part_id: str
    documents: tuple[str, ...]
    rows: int


class Facts(NamedTuple):
    """What is known of a part's texts, an entry each: ids and lengths in characters; and what is counted in them."""

    text_ids: list[str]
    lengths: list[int]
    lexical: Counts
    bm25: Counts
    abbreviations: Counts


def cut_parts(documents: Iterable[tuple[str, int]]) -> list[Part]:
    """The documents, given by the keys and numbers of their chunks, in parts of some thousand chunks, in order.

    One of no chunks is in none. No documents give no parts.
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
    """The key of what :func:`read_part` finds under that plan."""
    words = (plan.lexical.stop_words, plan.lexical.stemming, plan.bm25.stop_words, plan.bm25.stemming)
    logic = (module.LOGIC_VERSION for module in (lexical, bm25, abbreviations))
    return content_id("facts", LOGIC_VERSION, *logic, part.part_id, *words)


def read_part(texts: Texts, plan: Embedding, part: Part) -> Facts:
    """The facts of a part."""
    found = texts.searched_texts(part.documents)
    in_language = partial(words_of, stop_words=plan.lexical.stop_words, stemming=plan.lexical.stemming)
    for_bm25 = partial(bm25.terms, stop_words=plan.bm25.stop_words, stemming=plan.bm25.stemming)
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
    """The unit lexical vectors of a part's texts, ``(part.rows, p)``, by the space of that key."""
    state = LexicalState.from_bytes(texts.state(lexical_key, "lexical") or b"")
    return state.project_counts(texts.counts(facts_key(part, plan), "lexical", part.rows))
