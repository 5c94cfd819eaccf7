"""The same index in memory and as a version on disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from configs.plans import BM25, Lexical
from configs.retrieval import Search
from tasks.index.reader import VersionReader
from tasks.index.rows import to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest, Recipe
from tasks.records import Chunk
from tasks.retrieval.first_stage.exact_search import SearchableIndex
from tasks.retrieval.first_stage.indexed_search import IndexedVersion
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

KEY, COUNT, DIMENSIONS, ASKED = "0123456789ab", 1200, 32, 24
FEW = Search(exact_below=2, candidates=30, nprobes=12)
"""Candidates are a fortieth of the chunks, and a fourth of the partitions is read."""
Matrix = np.ndarray[Any, np.dtype[np.float32]]


def unit(vectors: Matrix) -> Matrix:
    """The vectors, scaled to length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def made_chunks(count: int, seed: int = 0) -> tuple[list[Chunk], Matrix]:
    """Chunks of forty subjects, each with words of its own and a direction that its vectors go in."""
    draw = np.random.default_rng(seed)
    subjects = draw.integers(0, 40, count)
    chunks = [
        chunk_of(
            " ".join(f"w{subject * 15 + word}" for word in draw.integers(0, 30, 12)),
            file_name=f"file's {number % 7}.pdf",
            page_number=1 + number // 14,
            ordinal=number,
        )
        for number, subject in enumerate(subjects)
    ]
    centres = np.random.default_rng(9).standard_normal((40, DIMENSIONS))
    return chunks, unit((centres[subjects] + 0.6 * draw.standard_normal((count, DIMENSIONS))).astype(np.float32))


def in_memory(chunks: Sequence[Chunk], dense: Matrix) -> SearchableIndex:
    """An index of these chunks in memory."""
    texts = [chunk.searched_text for chunk in chunks]
    lexical = lexical_space(texts, Lexical(components=24), DIMENSIONS)
    return SearchableIndex(chunks, dense, lexical.project(texts), lexical, bm25_weights(texts, 1.2, 0.75), BM25())


def staged(store: IndexStore, index: SearchableIndex, content: str, kind: Any = "ivf_sq") -> Manifest:
    """Stage the index as a version, and return its manifest."""
    made_of = ("model", 512, "fingerprint", "states", content, "documents", 1, len(index))
    one = Manifest("default", KEY, "bidfolio", *made_of, recipe=Recipe(exact_below=2, index=kind))
    store.stage(one, with_vectors(to_table(index.chunks), index.dense, index.lexical))
    return one


def reader_of(store: IndexStore, one: Manifest) -> VersionReader:
    """The reader of a staged version."""
    return store.reader("default", KEY, one.index_version)


def on_disk(store: IndexStore, index: SearchableIndex, one: Manifest, search: Search = FEW) -> IndexedVersion:
    """The staged version as retrieval searches it."""
    return IndexedVersion(reader_of(store, one), index.lexical_state, index.bm25_state, index.bm25, search)
