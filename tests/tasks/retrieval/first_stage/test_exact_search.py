from __future__ import annotations

import math
import threading
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.retrieval import Retrieval
from tasks.records import Chunk, Hit, Question
from tasks.retrieval.first_stage.exact_search import QUESTIONS_A_BATCH, RANKED_HITS, SearchableIndex, search
from tasks.retrieval.queries.queries import Queries
from tasks.retrieval.ranking.fusion import best_first, peak_scaled
from tasks.retrieval.ranking.scores import Scored
from tests.made.chunks import chunk_of
from tests.made.lexical_models import retrieval_of
from tests.made.small_indexes import index_of, unit_rows

WORDS = (
    "access audit backup breach cipher cloud customer data encryption incident key log password policy restore".split()
)


def made_chunks(count: int, pages: int = 100) -> list[Chunk]:
    draw = np.random.default_rng(5)
    return [
        chunk_of(
            " ".join(draw.choice(WORDS, size=8)),
            file_name=f"file{number % 3}.pdf",
            page_number=1 + number // 3 % pages,
            ordinal=number,
        )
        for number in range(count)
    ]


def asked(*texts: str) -> list[Question]:
    return [Question(f"q{number}", number, text) for number, text in enumerate(texts)]


QUESTIONS = asked("Is customer data under encryption?", "backup restore", "zebra", "log log audit")


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    length = math.sqrt(sum(x * x for x in one) * sum(x * x for x in other))
    return sum(float(x) * float(y) for x, y in zip(one, other, strict=True)) / length if length else 0.0


def added(dense: np.ndarray, lexical: np.ndarray, alpha: float) -> np.ndarray:
    """Eq. 3 of RAILS, number by number."""
    width = max(len(dense), len(lexical))
    return np.array(
        [
            alpha * (dense[i] if i < len(dense) else 0) + (1 - alpha) * (lexical[i] if i < len(lexical) else 0)
            for i in range(width)
        ],
        dtype=np.float64,
    )


def brute_force(text: str, dense: np.ndarray, index: SearchableIndex, plan: Retrieval) -> list[float]:
    """The plan's score of every chunk, by its definition and one chunk at a time."""
    lexical = index.lexical_state.project([text])[0]
    listed, alpha = plan.lists[0], plan.lists[0].alpha
    scores = []
    for chunk_dense, chunk_lexical in zip(index.dense, index.lexical, strict=True):
        if listed.by == "dense":
            scores.append(cosine(dense, chunk_dense))
        elif listed.by == "lexical":
            scores.append(cosine(lexical, chunk_lexical))
        elif listed.combine == "sum":
            scores.append(cosine(added(dense, lexical, alpha), added(chunk_dense, chunk_lexical, alpha)))
        else:
            scores.append(alpha * cosine(dense, chunk_dense) + (1 - alpha) * cosine(lexical, chunk_lexical))
    if len(plan.lists) > 1:
        weight = plan.lists[1].weight
        bm25 = [float(score) for score in index.bm25_state.score([text])[0]]
        scores = [a + weight * b for a, b in zip(scaled(scores), scaled(bm25), strict=True)]
    return scores


def scaled(scores: list[float]) -> list[float]:
    mean = sum(scores) / len(scores)
    peak = max(scores) - mean
    return [(score - mean) / peak if peak > 1e-9 else 0.0 for score in scores]


@pytest.mark.parametrize("bm25_weight", [0.0, 1.0, 0.3])
@pytest.mark.parametrize(
    "plan",
    [
        {"by": "dense"},
        {"by": "lexical"},
        {"by": "hybrid", "combine": "sum", "alpha": 0.5},
        {"by": "hybrid", "combine": "sum", "alpha": 0.8},
        {"by": "hybrid", "combine": "join", "alpha": 0.5},
        {"by": "hybrid", "combine": "join", "alpha": 0.2},
    ],
    ids=lambda plan: "-".join(map(str, plan.values())),
)
def test_scores_are_what_the_plan_defines(plan: dict[str, Any], bm25_weight: float) -> None:
    index = index_of(made_chunks(40))
    retrieval = retrieval_of(**plan, bm25_weight=bm25_weight, rest={"top_k": 40})
    dense = unit_rows(len(QUESTIONS), 9)
    for question, vector, hits in zip(QUESTIONS, dense, search(QUESTIONS, dense, index, retrieval), strict=True):
        expected = brute_force(question.text, vector, index, retrieval)
        place = {chunk.chunk_id: at for at, chunk in enumerate(index.chunks)}
        assert [hit.rank for hit in hits] == list(range(1, 41))
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        for hit in hits:
            at = place[hit.chunk.chunk_id]
            assert hit.score == pytest.approx(expected[at], abs=1e-5)
            assert hit.dense_similarity == pytest.approx(cosine(vector, index.dense[at]), abs=1e-5)
            assert hit.question_id == question.question_id


def test_what_each_hit_says_beside_its_score() -> None:
    chunks = [chunk_of("backup restore", ordinal=0), chunk_of("audit log", ordinal=1)]
    index = index_of(chunks)
    ((first, second),) = search(asked("backup restore"), unit_rows(1, 1), index, retrieval_of("lexical"))
    assert (first.chunk.text, second.chunk.text) == ("backup restore", "audit log")
    assert first.lexical_similarity == pytest.approx(1, abs=1e-5)
    assert second.lexical_similarity == pytest.approx(0, abs=1e-5) and second.bm25_share == 0
    bm25 = index.bm25_state
    share = bm25.score(["backup restore"])[0, 0] / bm25.ceiling(bm25.words_of(["backup restore"]), 1.2)[0]
    assert first.bm25_share == pytest.approx(share) and 0 < share < 1


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([[1.0, 2.0, 3.0]], [[-1.0, 0.0, 1.0]]),
        ([[0.0, 0.0, 4.0]], [[-0.5, -0.5, 1.0]]),
        ([[0.3, 0.3, 0.3]], [[0.0, 0.0, 0.0]]),
        ([[5.0]], [[0.0]]),
        ([[0.0, 2.0], [7.0, 7.0]], [[-1.0, 1.0], [0.0, 0.0]]),
    ],
)
def test_peak_scaled(scores: list[list[float]], expected: list[list[float]]) -> None:
    np.testing.assert_allclose(peak_scaled(np.array(scores, np.float32)), expected, atol=1e-6)


@given(st.floats(-1, 1, width=32), st.integers(2, 3000))
def test_rounding_is_no_peak(score: float, count: int) -> None:
    equal = np.full((1, count), score, np.float32)
    nearly = equal.copy()
    nearly[0, 0] = np.nextafter(np.float32(score), np.float32(2))
    for scores in (equal, nearly):
        assert not peak_scaled(scores).any()


def hits_of(index: SearchableIndex, **plan: object) -> list[Hit]:
    retrieval = retrieval_of("dense", rest=plan)
    return search(asked("backup"), unit_rows(1, 3), index, retrieval)[0]


def test_one_hit_per_page_keeps_the_best_of_each() -> None:
    index = index_of(made_chunks(40, pages=3))
    every = hits_of(index, top_k=40)
    single = hits_of(index, top_k=40, one_hit_per_page=True)
    best: dict[tuple[str, int | None], Hit] = {}
    for hit in every:
        best.setdefault((hit.chunk.file_name, hit.chunk.page_number), hit)
    assert len(single) == len(best) == 9
    assert [(hit.chunk.chunk_id, hit.score) for hit in single] == [
        (hit.chunk.chunk_id, hit.score) for hit in best.values()
    ]
    assert [hit.rank for hit in single] == list(range(1, 10))


def test_one_hit_per_page_looks_as_far_as_it_must() -> None:
    """Two places among 300 chunks, of which the second stands last."""
    chunks = [chunk_of("backup", page_number=1 + number // 299, ordinal=number) for number in range(300)]
    index = index_of(chunks)
    falling = replace(index, dense=np.linspace(1, 0, 300, dtype=np.float32)[:, None] * unit_rows(1, 3))
    hits = hits_of(falling, one_hit_per_page=True)
    assert [hit.chunk.ordinal for hit in hits] == [0, 299]


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5]) | st.floats(-1, 1, width=32), max_size=30), st.integers(1, 32))
def test_the_best_are_those_of_a_stable_sort_of_all(scores: list[float], count: int) -> None:
    made = np.array(scores, dtype=np.float32)
    assert best_first(made, count) == np.argsort(-made, kind="stable")[:count].tolist()


@given(st.integers(0, 999), st.integers(1, 3000), st.integers(1, 40), st.sampled_from([2, 50, 10**6]))
def test_of_many_the_best_are_those_of_a_stable_sort_too(seed: int, size: int, count: int, different: int) -> None:
    made = np.random.default_rng(seed).integers(0, different, size).astype(np.float32) - 1
    made[made < 0] = -np.inf
    assert best_first(made, count) == np.argsort(-made, kind="stable")[:count].tolist()


def test_rows_and_pageless_chunks_are_places_of_their_own() -> None:
    chunks = [
        chunk_of("backup one", page_number=None, ordinal=0),
        chunk_of("backup two", page_number=None, ordinal=1),
        chunk_of("backup three", page_number=None, ordinal=2, sheet_name="S", row_number=1),
        chunk_of("backup four", page_number=None, ordinal=3, sheet_name="S", row_number=2),
        chunk_of("backup four, cut", page_number=None, ordinal=4, sheet_name="S", row_number=2),
    ]
    hits = hits_of(index_of(chunks), one_hit_per_page=True)
    assert len(hits) == 4
    assert {hit.chunk.ordinal for hit in hits} - {3, 4} == {0, 1, 2}


@pytest.mark.parametrize(("count", "top_k", "expected"), [(40, 3, RANKED_HITS), (40, 25, 25), (4, 5, 4), (1, 200, 1)])
def test_ten_are_ranked_whatever_the_source_count(count: int, top_k: int, expected: int) -> None:
    assert len(hits_of(index_of(made_chunks(count)), top_k=top_k)) == expected


def test_of_equals_the_earlier_chunk_comes_first() -> None:
    index = index_of([chunk_of("backup", ordinal=number) for number in range(6)])
    same = SearchableIndex(
        index.chunks,
        np.repeat(index.dense[:1], 6, axis=0),
        index.lexical,
        index.lexical_state,
        index.bm25_state,
        index.bm25,
    )
    assert [hit.chunk.ordinal for hit in hits_of(same)] == list(range(6))


@pytest.mark.parametrize("vectors", ["dense", "lexical", "hybrid"])
def test_an_empty_index_gives_no_hits(vectors: str) -> None:
    plan = retrieval_of(vectors, bm25_weight=1.0)
    assert search(QUESTIONS, unit_rows(4, 1), index_of([]), plan) == [[], [], [], []]


def test_no_questions_give_nothing() -> None:
    assert search([], unit_rows(0, 1), index_of(made_chunks(5)), retrieval_of("dense")) == []


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u2003", "?", "\x00", "_", "{}[]()*\\", "\ud800", '"', "🔒"])
def test_a_question_without_a_letter_or_a_digit_gives_no_hits(text: str) -> None:
    assert search(asked(text), unit_rows(1, 1), index_of(made_chunks(5)), retrieval_of("dense")) == [[]]


@pytest.mark.parametrize(
    "text", ["'\" OR 1=1 --", "AND", "\x00 7", "🔒 日本 Ωμέγα", "a" * 5000, "SELECT *; DROP", "{}[](a)*\\", "\ud800x"]
)
def test_odd_characters_are_no_trouble(text: str) -> None:
    plan = retrieval_of("hybrid", combine="join", bm25_weight=1.0, rest={"one_hit_per_page": True})
    (hits,) = search(asked(text), unit_rows(1, 1), index_of(made_chunks(20)), plan)
    assert len(hits) == RANKED_HITS and all(math.isfinite(hit.score) for hit in hits)


def test_batches_of_several_threads_come_back_in_order() -> None:
    texts = [f"{one} {other}" for one in WORDS for other in WORDS]
    questions, chunks = asked(*texts), made_chunks(60)
    dense, index = unit_rows(len(texts), 3), index_of(chunks)
    by: list[str] = []

    def arrange(question: str, hits: list[Hit]) -> list[Hit]:
        by.append(threading.current_thread().name)
        return [replace(hits[0], known_words=float(texts.index(question))), *hits[1:]]

    plan = retrieval_of("dense", bm25_weight=0.5)
    one, many = (search(questions, dense, index, plan, arrange=arrange, threads=threads) for threads in (1, 3))
    assert len(many) == len(texts) > 2 * QUESTIONS_A_BATCH and one == many
    assert [hits[0].known_words for hits in many] == list(range(len(texts)))
    assert [hits[0].question_id for hits in many] == [question.question_id for question in questions]
    assert len(by) == 2 * len(texts) and len(set(by)) > 2


def test_a_batch_gives_what_one_at_a_time_gives() -> None:
    index = index_of(made_chunks(30))
    questions = asked(*(f"{WORDS[number % 15]} {WORDS[number * 7 % 15]}" for number in range(150)))
    dense = unit_rows(150, 4)
    plan = retrieval_of("hybrid", combine="join", bm25_weight=1.0)
    together = search(questions, dense, index, plan)
    for at in (0, 63, 64, 127, 128, 149):
        (alone,) = search([questions[at]], dense[at : at + 1], index, plan)
        assert [hit.chunk.chunk_id for hit in alone] == [hit.chunk.chunk_id for hit in together[at]]
        assert [hit.score for hit in alone] == pytest.approx([hit.score for hit in together[at]], abs=1e-5)


def test_of_a_large_version_fewer_questions_are_scored_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Telling(SearchableIndex):
        __slots__ = ()

        def score(self, queries: Queries, plan: Retrieval, effort: int) -> Scored:
            sizes.append(len(queries))
            return SearchableIndex.score(self, queries, plan, effort)

    index = index_of(made_chunks(30))
    telling = Telling(**{name.name: getattr(index, name.name) for name in fields(index)})
    questions, dense = asked(*WORDS), unit_rows(len(WORDS), 4)
    plan = retrieval_of("hybrid", combine="join", bm25_weight=1.0)
    together = search(questions, dense, telling, plan)
    monkeypatch.setattr("tasks.retrieval.first_stage.exact_search.SCORES_A_BATCH", 30 * 4 + 29)
    few = search(questions, dense, telling, plan)
    assert sizes == [15, 4, 4, 4, 3]
    for one, other in zip(few, together, strict=True):
        assert [hit.chunk.chunk_id for hit in one] == [hit.chunk.chunk_id for hit in other]
    monkeypatch.setattr("tasks.retrieval.first_stage.exact_search.SCORES_A_BATCH", 1)
    assert len(search(questions[:2], dense[:2], telling, plan)) == 2, "one question is always scored"
