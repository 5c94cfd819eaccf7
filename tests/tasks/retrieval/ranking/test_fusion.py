from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from configs.retrieval import RankedList, Retrieval
from tasks.retrieval.queries.queries import fused_queries
from tasks.retrieval.ranking.fusion import fused, reciprocal_ranks

scores = st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=6, max_size=6), min_size=1, max_size=4)


def plan_of(*lists: dict[str, object], **rest: object) -> Retrieval:
    return Retrieval.model_validate({"lists": lists, "fusion": "rrf", **rest})


@given(scores, st.integers(1, 8), st.integers(1, 60), st.sampled_from([0.5, 1.0, 2.0]))
def test_a_rank_gives_its_reciprocal_as_it_is_defined(
    rows: list[list[float]], count: int, k: int, weight: float
) -> None:
    matrix = np.array(rows, np.float32)
    for by in ("dense", "bm25"):
        found = reciprocal_ranks(matrix, RankedList.model_validate({"by": by, "count": count, "weight": weight}), k)
        for row, given_to in zip(rows, found, strict=True):
            ranked = sorted(range(6), key=lambda at: (-row[at], at))
            listed = [at for at in ranked if by == "dense" or row[at] > 0][:count]
            expected = [weight / (k + listed.index(at) + 1) if at in listed else 0.0 for at in range(6)]
            assert given_to.tolist() == pytest.approx(expected)


def test_what_is_on_both_lists_stands_first_and_what_is_on_none_nowhere() -> None:
    plan = plan_of({"by": "dense", "count": 2}, {"by": "bm25", "count": 2}, rrf_k=1)
    dense = np.array([[0.9, 0.8, 0.7, 0.1]], np.float32)
    words = np.array([[0.0, 3.0, 5.0, 0.0]], np.float32)
    (found,) = fused([dense, words], plan)
    assert found.tolist() == pytest.approx([1 / 2, 1 / 3 + 1 / 3, 1 / 2, -np.inf])


def test_a_question_of_no_known_word_is_ranked_by_the_other_list() -> None:
    plan = plan_of({"by": "dense", "count": 2}, {"by": "bm25", "count": 2})
    (found,) = fused([np.array([[0.1, 0.9, 0.5]], np.float32), np.zeros((1, 3), np.float32)], plan)
    assert np.argsort(-found).tolist() == [1, 2, 0] and found[0] == -np.inf


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8))
def test_lists_that_take_turns_are_dealt_as_cards_are(seed: int, first: int, second: int) -> None:
    plan = plan_of({"by": "bm25", "count": first}, {"by": "dense", "count": second}, fusion="turns")
    draw = np.random.default_rng(seed)
    words, dense = np.round(draw.random((2, 1, 10)), 1).astype(np.float32)
    lists = [
        [at for at in sorted(range(10), key=lambda at: (-words[0, at], at)) if words[0, at] > 0][:first],
        sorted(range(10), key=lambda at: (-dense[0, at], at))[:second],
    ]
    dealt = [some[turn] for turn in range(10) for some in lists if turn < len(some)]
    (found,) = fused([words, dense], plan)
    assert [at for at in np.argsort(-found, kind="stable") if found[at] > -np.inf] == list(dict.fromkeys(dealt))


def test_queries_take_turns_where_their_lists_do() -> None:
    plan = plan_of({"by": "dense", "count": 3}, fusion="turns")
    none = -np.inf
    scores = np.array([[1.0, 0.5, none, none], [none, 0.9, 0.1, none]], np.float32)
    found = fused_queries(scores, plan)
    assert np.argsort(-found).tolist()[:3] == [0, 1, 2] and found[3] == none


@pytest.mark.parametrize("shape", [(1, 3), (2, 3)])
def test_where_words_are_all_that_is_searched_a_chunk_without_one_is_not_found(shape: tuple[int, int]) -> None:
    plan = Retrieval.model_validate({"lists": [{"by": "bm25"}]})
    words = np.zeros(shape, np.float32)
    words[0, 1] = 2.5
    found = fused([words], plan)
    assert found[0].tolist() == [-np.inf, 2.5, -np.inf] and np.isneginf(found[1:]).all()


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (
            {"lists": [{"by": "dense"}, {"by": "bm25", "count": 5}], "fusion": "rrf"},
            "each of the lists needs a count",
        ),
        ({"lists": [{"by": "dense"}], "fusion": "turns"}, "fusion: turns goes by ranks, so each"),
        ({"lists": [{"by": "dense", "count": 5, "weight": 2.0}], "fusion": "turns"}, "leave out weight"),
        ({"lists": [{"by": "dense", "count": 5}]}, "none of the lists has a count"),
        ({"lists": []}, "at least 1 item"),
        ({"lists": [{"by": "bm25"}, {"by": "bm25", "weight": 2.0}]}, "bm25 is one list"),
        ({"lists": [{"by": "dense"}], "rerank": {"by": "bi_encoder", "model": "x"}}, "needs no weights of its own"),
        ({"lists": [{"by": "dense"}], "rerank": {"by": "bi_encoder", "neighbours": 0.2}}, "looks at one chunk alone"),
        ({"lists": [{"by": "dense"}], "rerank": {"by": "late_interaction", "least": 0.3}}, "leave out least"),
    ],
)
def test_a_plan_that_would_not_do_what_it_says_is_refused(plan: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Retrieval.model_validate(plan)
