from __future__ import annotations

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, Success, nDCG

from tasks.evaluation.metrics import ranking

PAGE = st.sampled_from([f"{name}#{number}" for name in ("a.pdf", "b.pdf") for number in range(8)])
RANKED, RELEVANT, K = st.lists(PAGE, max_size=20), st.sets(PAGE, min_size=1), st.integers(1, 12)


@given(RANKED, RELEVANT, K)
def test_each_is_that_of_ir_measures(ranked: list[str], relevant: set[str], k: int) -> None:
    """Which knows no thing that comes again: there it is given another, irrelevant one at that rank instead."""
    once = [page if page not in ranked[:at] else f"again#{at}" for at, page in enumerate(ranked)]
    judged = [ir_measures.Qrel("q", page, 1) for page in relevant]
    run = [ir_measures.ScoredDoc("q", page, float(-at)) for at, page in enumerate(once)]
    run = run or [ir_measures.ScoredDoc("q", "nothing", 0.0)]
    expected = ir_measures.calc_aggregate([Success @ k, R @ k, RR @ k, nDCG @ k], judged, run)
    assert ranking.success(ranked, relevant, k) == pytest.approx(expected[Success @ k], abs=1e-9)
    assert ranking.recall(ranked, relevant, k) == pytest.approx(expected[R @ k], abs=1e-9)
    assert ranking.reciprocal_rank(ranked, relevant, k) == pytest.approx(expected[RR @ k], abs=1e-9)
    assert ranking.ndcg(ranked, relevant, k) == pytest.approx(expected[nDCG @ k], abs=1e-9)


@given(RANKED, K)
def test_of_nothing_relevant_each_is_undefined(ranked: list[str], k: int) -> None:
    for figure in (ranking.success, ranking.recall, ranking.reciprocal_rank, ranking.ndcg):
        assert figure(ranked, set(), k) is None


@pytest.mark.parametrize(
    ("ranked", "success", "recall"),
    [("xxa", 1, 1 / 2), ("axb", 1, 1), ("aax", 1, 1 / 2), ("xxxab", 0, 0)],
)
def test_any_right_page_is_a_success_and_only_all_are_the_whole_recall(
    ranked: str, success: float, recall: float
) -> None:
    assert (ranking.success(ranked, "ab", 3), ranking.recall(ranked, "ab", 3)) == (success, recall)


@pytest.mark.parametrize(
    ("ranked", "relevant", "expected"),
    [
        ("a", "a", 1.0),
        ("xa", "a", 1 / math.log2(3)),
        ("xba", "ab", (1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3))),
        ("aab", "ab", 1.5 / (1 + 1 / math.log2(3))),
        ("x" * 10 + "a", "a", 0.0),
        ("abcdefghij", "abcdefghijklmnopqrst", 1.0),
        ("", "a", 0.0),
    ],
    ids=["first", "second", "both later", "repeated", "eleventh", "more than ranks", "nothing found"],
)
def test_ndcg_by_hand(ranked: str, relevant: str, expected: float) -> None:
    assert ranking.ndcg(ranked, relevant, 10) == pytest.approx(expected)
