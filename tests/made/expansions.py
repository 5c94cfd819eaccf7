"""Indexes and models for tests of query expansion."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from configs.plans import BM25, Lexical
from tasks.records import Question
from tasks.retrieval.finding import Models
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

DIMENSIONS = 32
PAGES = (
    "Each automobile of the fleet is a leased vehicle with a logbook.",
    "A leased vehicle of the fleet returns with its logbook after three years.",
    "Backups are stored in a second region and restored every quarter.",
    "Visitors sign in at the front desk and wear a badge.",
    "Penetration tests are carried out by an independent firm.",
)
"""The second page has no word of a question about automobiles, and those of the first page that has one."""
SCALED: dict[str, Any] = {"lists": [{"by": "hybrid", "combine": "join"}, {"by": "bm25"}]}
RANKED: dict[str, Any] = {"lists": [{"by": "dense", "count": 20}, {"by": "bm25", "count": 20}], "fusion": "rrf"}


def index_of(texts: Sequence[str]) -> SearchableIndex:
    """Texts a page, whose vectors are those of :func:`encode`."""
    chunks = [chunk_of(text, page_number=number, ordinal=number) for number, text in enumerate(texts, start=1)]
    space = lexical_space(texts, Lexical(components=8, stop_words="english"), DIMENSIONS)
    weights = bm25_weights(texts, 1.2, 0.75)
    return SearchableIndex(chunks, encode(texts)[0], space.project(texts), space, weights, BM25())


def encode(texts: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray]]:
    """A vector a text, by its hash, and none of tokens."""
    seeds = [int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) for text in texts]
    vectors = np.array([np.random.default_rng(seed).standard_normal(DIMENSIONS) for seed in seeds], np.float32)
    return vectors.reshape(-1, DIMENSIONS) / np.linalg.norm(vectors, axis=-1, keepdims=True), []


def nobody(texts: Sequence[Any]) -> Any:
    """A model that must not be asked."""
    raise AssertionError(f"asked about {texts}")


def models(write: Any = nobody) -> Models:
    """Models of which only the one that embeds, and ``write``, may be asked."""
    return Models(encode, nobody, write)


def asked(*texts: str) -> list[Question]:
    """Questions of these texts."""
    return [Question(f"q{number}", number, text) for number, text in enumerate(texts)]
