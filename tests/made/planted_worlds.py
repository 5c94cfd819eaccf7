"""A LanceDB index with questions whose vectors are their chunks', turned by a known rotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from configs.plans import Plan, load_plan
from configs.settings import Settings, load_settings
from tasks.embedding.corpus.corpus_cache import CorpusCache
from tasks.index.rows import to_table, with_vectors
from tasks.index.store import IndexStore
from tasks.index.versions import Manifest
from tasks.records import Chunk, Hit, Question
from tasks.references import Staged
from tasks.retrieval.finding import Models, find_hits
from tasks.retrieval.first_stage.exact_search import Index
from tasks.retrieval.queries.query_adapter import Adapter
from tasks.retrieval.queries.query_expansion import no_wordings
from tasks.retrieval.version_loading import load_index
from tasks.storage.lake import Lake
from tasks.tuning.adapter_judgement import examples_of
from tasks.tuning.adapter_training import Examples
from tasks.tuning.training_pairs import Pair
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

DIMENSIONS, DOCUMENTS, CHUNKS_A_DOCUMENT = 16, 10, 20
MODEL = "fingerprint"


def dense_plan() -> Plan:
    """Dense vectors alone rank."""
    plan = load_plan("rails_dense")
    return plan.model_copy(update={"retrieval": plan.retrieval.model_copy(update={"top_k": 10})})


@dataclass(frozen=True)
class World:
    """``questions`` (m, n) belong to the ``pairs``; the version is staged below the home of the ``settings``."""

    plan: Plan
    settings: Settings
    version: Staged
    chunks: list[Chunk]
    vectors: NDArray[np.float32]
    pairs: list[Pair]
    questions: NDArray[np.float32]

    def index(self, version: Staged | None = None) -> Index:
        home = self.settings.home
        return load_index(IndexStore(home), CorpusCache(Lake(home)), version or self.version, self.plan)

    def examples(self) -> Examples:
        return examples_of(self.pairs, self.questions, self.vectors)

    def hits(self, numbers: Sequence[int], index: Index) -> list[list[Hit]]:
        """Of the questions with those numbers, asked by their vectors."""
        asked = [Question(str(number), number, self.pairs[number].question, "free_text") for number in numbers]
        models = Models(lambda _: (self.questions[list(numbers)], []), _no_pairs, no_wordings)
        return find_hits(asked, index, self.plan.retrieval, models).hits

    def find(self) -> Callable[[Sequence[int], NDArray[np.float32] | None], list[list[Hit]]]:
        index = self.index()

        def find(numbers: Sequence[int], matrix: NDArray[np.float32] | None) -> list[list[Hit]]:
            adapter = None if matrix is None else Adapter(matrix, MODEL, "")
            return self.hits(numbers, replace(index, adapter=adapter))  # type: ignore[type-var]

        return find


def _no_pairs(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
    raise AssertionError("no plan here reads pairs")


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


def rotation() -> NDArray[np.float64]:
    """By about a radian in each of some planes."""
    drawn = np.random.default_rng(5).normal(size=(DIMENSIONS, DIMENSIONS))
    made: NDArray[np.float64] = expm(0.7 * (drawn - drawn.T) / 2)
    return made


def plant(home: Path) -> World:
    """Each chunk stands on a page of its own, and is asked for once."""
    random = np.random.default_rng(3)
    chunks = [
        chunk_of(f"passage {number}", file_name=f"document{number % DOCUMENTS}.pdf", page_number=number + 1)
        for number in range(DOCUMENTS * CHUNKS_A_DOCUMENT)
    ]
    vectors = unit(random.normal(size=(len(chunks), DIMENSIONS)))
    noise = 0.05 * random.normal(size=vectors.shape)
    questions = unit(vectors.astype(np.float64) @ rotation().T + noise)
    pairs = [Pair(f"question {number}", "gold", number, (number,)) for number in range(len(chunks))]
    plan, settings = dense_plan(), load_settings(home=str(home))
    texts = [chunk.searched_text for chunk in chunks]
    lexical = lexical_space(texts, plan.embedding.lexical, 4)
    made_of = (MODEL, "states", "content", "documents", DOCUMENTS, len(chunks))
    manifest = Manifest("default", plan.index_key, plan.name, "model", 512, *made_of)
    store, cache = IndexStore(str(home)), CorpusCache(Lake(str(home)))
    store.stage(manifest, with_vectors(to_table(chunks), vectors, lexical.project(texts)))
    store.publish("default", plan.index_key, manifest.index_version)
    cache.put_state("states", "lexical", lexical.to_bytes())
    cache.put_state("states", "bm25", bm25_weights(texts, 1.2, 0.75).to_bytes())
    version = Staged("default", plan.index_key, manifest.index_version, DOCUMENTS, len(chunks))
    return World(plan, settings, version, chunks, vectors, pairs, questions)
