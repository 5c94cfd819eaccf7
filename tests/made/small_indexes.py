"""Indexes in memory with random dense vectors."""

from __future__ import annotations

import numpy as np

from configs.plans import BM25, Lexical
from tasks.records import Chunk
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tests.made.lexical_models import bm25_weights, lexical_space

DIMENSIONS = 12


def unit_rows(count: int, seed: int) -> np.ndarray:
    """Random vectors of length 1, one a row."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def index_of(chunks: list[Chunk], seed: int = 0) -> SearchableIndex:
    """An index of these chunks in memory."""
    texts = [chunk.searched_text for chunk in chunks]
    lexical = lexical_space(texts, Lexical(components=8), DIMENSIONS)
    parameters = BM25(k1=1.2, b=0.75)
    return SearchableIndex(
        chunks=chunks,
        dense=unit_rows(len(chunks), seed),
        lexical=lexical.project(texts),
        lexical_state=lexical,
        bm25_state=bm25_weights(texts, parameters.k1, parameters.b),
        bm25=parameters,
    )
