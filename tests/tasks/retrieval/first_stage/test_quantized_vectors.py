from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.plans import BM25, Lexical
from configs.retrieval import Retrieval
from tasks.embedding.models.openvino_graph import rounded_weights
from tasks.records import PageSpan, Question
from tasks.retrieval.first_stage.exact_search import SearchableIndex, search
from tasks.retrieval.first_stage.quantized_vectors import (
    EXACT_PLACES,
    QUESTIONS_BEFORE,
    SUMMED,
    OneQuestion,
    RoundedVectors,
)
from tasks.retrieval.queries.queries import Queries, queries_of
from tasks.retrieval.ranking.scores import Scored
from tests.made.chunks import chunk_of
from tests.made.lexical_models import bm25_weights, lexical_space

WORDS = "access audit backup breach cipher cloud customer data encryption key log password policy restore".split()
COUNT, DIMENSIONS = 3_000, 128
JOIN = {"by": "hybrid", "combine": "join", "alpha": 0.3}
PLANS = {
    name: Retrieval.model_validate({"lists": lists})
    for name, lists in {
        "dense": [{"by": "dense"}],
        "lexical": [{"by": "lexical"}],
        "join": [JOIN],
        "join and bm25": [JOIN, {"by": "bm25", "weight": 0.4}],
        "all": [{"by": "dense", "weight": 2.0}, {"by": "lexical"}, {"by": "bm25"}],
    }.items()
}
DEEP = Retrieval.model_validate({"lists": [{"by": "dense"}], "rerank": {"by": "late_interaction", "depth": 400}})
Matrix = np.ndarray[Any, np.dtype[np.float32]]


def unit(seed: int, count: int, dimensions: int, first: float = 1.0) -> Matrix:
    """Unit vectors, every tenth of which has so many times as much in its first number."""
    vectors = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    vectors[::10, 0] *= first
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def made_vectors(seed: int, count: int) -> Matrix:
    """Unit vectors, some with nearly all of their length in one number: they are rounded by wide steps."""
    return unit(seed, count, DIMENSIONS, first=40)


def made_index() -> SearchableIndex:
    draw = np.random.default_rng(0)
    texts = [" ".join(draw.choice(WORDS, size=8)) for _ in range(COUNT)]
    space = lexical_space(texts, Lexical(components=8), DIMENSIONS)
    return SearchableIndex(
        chunks=[chunk_of(text, file_name=f"file{at % 3}.pdf", ordinal=at) for at, text in enumerate(texts)],
        dense=made_vectors(0, COUNT),
        lexical=space.project(texts),
        lexical_state=space,
        bm25_state=bm25_weights(texts, 1.2, 0.75),
        bm25=BM25(k1=1.2, b=0.75),
    )


class Telling(RoundedVectors):
    """Tells what was found by rounded vectors."""

    def __init__(self, index: SearchableIndex) -> None:
        super().__init__((index.dense, index.lexical))
        self.found: list[OneQuestion | None] = []

    def score(self, question: tuple[Matrix, Matrix], bm25: Matrix, plan: Retrieval) -> OneQuestion | None:
        self.found.append(super().score(question, bm25, plan))
        return self.found[-1]


INDEX = made_index()


@pytest.fixture(scope="module")
def ready() -> SearchableIndex:
    vectors = Telling(INDEX)
    vectors.round_now()
    return replace(INDEX, rounded=vectors)


def telling(index: SearchableIndex) -> Telling:
    assert isinstance(index.rounded, Telling)
    return index.rounded


def query(text: str, seed: int = 1) -> Queries:
    return queries_of([text], made_vectors(seed, 2)[1:], INDEX)


def both(queries: Queries, plan: Retrieval, index: SearchableIndex) -> tuple[Scored, Scored]:
    return INDEX.score(queries, plan, 1), among_all(index.score(queries, plan, 1))


def among_all(scored: Scored) -> Scored:
    """The same with a column for every chunk: one that was left out has no score, and no number."""

    def spread(given: Matrix, nothing: float) -> Matrix:
        found = np.full((1, COUNT), nothing, np.float32)
        found[:, scored.positions] = given
        return found

    assert list(scored.chunks) == [INDEX.chunks[at] for at in scored.positions]
    dense, lexical, bm25 = (spread(each, np.nan) for each in (scored.dense, scored.lexical, scored.bm25))
    own = dense, lexical, bm25, spread(scored.scores, -np.inf)
    return Scored(INDEX.chunks, np.arange(COUNT), *own, scored.is_whole, scored.is_beginning)


def best_of(scores: Matrix, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.asarray(np.argsort(-scores[0], kind="stable")[:count], np.int64)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@given(seed=st.integers(0, 10_000), words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
def test_the_best_are_those_of_vectors_in_full(
    ready: SearchableIndex, plan: Retrieval, seed: int, words: list[str]
) -> None:
    full, found = both(query(" ".join(words), seed), plan, ready)
    assert telling(ready).found[-1] is not None
    best = best_of(full.scores, EXACT_PLACES)
    np.testing.assert_allclose(found.scores[0, best], full.scores[0, best], atol=2e-6)
    for mine, its in ((found.dense, full.dense), (found.lexical, full.lexical), (found.bm25, full.bm25)):
        np.testing.assert_allclose(mine[0, best], its[0, best], atol=2e-6)
    others = np.setdiff1d(np.arange(COUNT), best)
    assert found.scores[0, others].max() <= full.scores[0, best].min() + 2e-6
    given = np.flatnonzero(found.scores[0] > -np.inf)
    np.testing.assert_allclose(found.scores[0, given], full.scores[0, given], atol=2e-6)
    assert full.scores[0, found.scores[0] == -np.inf].max() <= found.scores[0, given].min() + 2e-6


def test_most_vectors_are_not_read_in_full(ready: SearchableIndex) -> None:
    full, found = both(query("customer data encryption"), PLANS["join and bm25"], ready)
    was_read = ~np.isnan(found.dense[0])
    assert EXACT_PLACES <= was_read.sum() < COUNT / 2
    np.testing.assert_allclose(found.dense[0, was_read], full.dense[0, was_read], atol=1e-6)


@pytest.mark.parametrize("row", [0, 10, 11, 500])
@pytest.mark.parametrize("space", [0, 1], ids=["dense", "lexical"])
def test_no_product_is_off_by_more_than_is_reckoned_with(ready: SearchableIndex, space: int, row: int) -> None:
    """The worst question for a chunk is what rounding took from its vector."""
    made = telling(ready)._rounded
    assert made is not None
    vectors = (INDEX.dense, INDEX.lexical)[space]
    codes, scales = rounded_weights(vectors, axis=-1)
    taken = (vectors - codes * scales)[row : row + 1]
    asked = [np.zeros((1, each.shape[1]), np.float32) for each in (INDEX.dense, INDEX.lexical)]
    asked[space] = taken / np.linalg.norm(taken)
    off = abs(made.products(asked)[space] - asked[space] @ vectors.T)[0, row]
    at_most = made.errors[space][0, row]
    assert at_most - 2 * SUMMED <= off <= at_most, "and a bound that is too wide would have too much read"


def test_as_many_are_exact_as_are_ranked_anew(ready: SearchableIndex) -> None:
    full, found = both(query("backup"), DEEP, ready)
    best = best_of(full.scores, 400)
    assert telling(ready).found[-1] is not None
    assert best_of(found.scores, 400).tolist() == best.tolist()
    np.testing.assert_allclose(found.dense[0, best], full.dense[0, best], atol=1e-6)


@pytest.mark.parametrize("top_k", [5, 200])
@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_hits_are_those_of_vectors_in_full_however_far_is_looked(
    ready: SearchableIndex, plan: Retrieval, top_k: int
) -> None:
    """Twelve chunks a page, so that the best that were found do not do for two hundred pages."""
    chunks = [replace(chunk, page_spans=(PageSpan(1 + at // 12, 0, 1),)) for at, chunk in enumerate(INDEX.chunks)]
    told = plan.model_copy(update={"one_hit_per_page": True, "top_k": top_k})
    asked, dense = [Question("q", 0, "customer data encryption")], made_vectors(3, 2)[1:]
    (full,), (found,) = (search(asked, dense, replace(index, chunks=chunks), told) for index in (INDEX, ready))
    assert telling(ready).found[-1] is not None
    assert len(found) == len(full) >= top_k
    assert [hit.chunk.chunk_id for hit in found] == [hit.chunk.chunk_id for hit in full]
    np.testing.assert_allclose([hit.score for hit in found], [hit.score for hit in full], atol=2e-6)
    mine, its = ([hit.dense_similarity for hit in hits] for hits in (found, full))
    np.testing.assert_allclose(mine, its, atol=2e-6)


def test_of_equal_chunks_the_earlier_comes_first() -> None:
    vectors = np.repeat(unit(1, 1500, 384), 2, axis=0)
    made = RoundedVectors((vectors, np.zeros((len(vectors), 8), np.float32)))
    made.round_now()
    words = np.zeros((1, len(vectors)), np.float32)
    for seed in range(40):
        found = made.score((unit(2 + seed, 1, 384), words[:, :8]), words, PLANS["dense"])
        assert found is not None
        best = found.positions[best_of(found.scores, EXACT_PLACES)].reshape(-1, 2)
        assert (best[:, 1] == best[:, 0] + 1).all() and (best[:, 0] % 2 == 0).all()


def test_a_vector_that_is_no_number_is_put_to_vectors_in_full(ready: SearchableIndex) -> None:
    ready.score(replace(query("backup"), dense=np.full((1, DIMENSIONS), np.nan, np.float32)), PLANS["dense"], 1)
    assert telling(ready).found[-1] is None


def test_a_question_that_nothing_stands_out_for_is_put_to_vectors_in_full(ready: SearchableIndex) -> None:
    nothing = replace(query("zebra"), dense=np.zeros((1, DIMENSIONS), np.float32))
    full, found = both(nothing, PLANS["dense"], ready)
    assert telling(ready).found[-1] is None
    np.testing.assert_array_equal(found.scores, full.scores)


@pytest.mark.parametrize(
    "plan",
    [
        {"lists": [{"by": "hybrid", "combine": "sum"}]},
        {"lists": [{"by": "dense", "count": 1000}, {"by": "bm25", "count": 1000}], "fusion": "rrf"},
        {"lists": [{"by": "dense", "of": "sentences"}, {"by": "bm25"}]},
    ],
    ids=["sum", "ranks", "granularity"],
)
def test_scores_that_are_no_sums_of_cosines_are_made_in_full(ready: SearchableIndex, plan: dict[str, Any]) -> None:
    telling(ready).found.clear()
    with np.errstate(invalid="ignore"):
        full, found = both(query("policy"), Retrieval.model_validate(plan), ready)
    assert telling(ready).found == [None]
    np.testing.assert_array_equal(found.scores, full.scores)


def test_several_questions_and_parts_of_a_corpus_are_put_to_vectors_in_full(ready: SearchableIndex) -> None:
    telling(ready).found.clear()
    ready.score(query("policy").then(query("backup")), PLANS["join"], 1)
    ready.within({"file1.pdf"}, ()).score(query("policy"), PLANS["join"], 1)
    assert telling(ready).found == []


def test_vectors_are_rounded_when_many_have_asked() -> None:
    index = replace(INDEX, rounded=Telling(INDEX))
    for number in range(QUESTIONS_BEFORE + 2):
        index.score(query("restore", number), PLANS["join"], 1)
    assert [found is None for found in telling(index).found] == [True] * QUESTIONS_BEFORE + [False] * 2
