"""Scales, what is settled without a judge, and the triad by a worked example."""

from __future__ import annotations

import pytest

from tasks.errors import UsageError
from tasks.evaluation.judges.cases import (
    CRITERIA,
    DECLINED,
    MARKS,
    Case,
    Judgement,
    known_criteria,
    mark,
    share_of_mark,
    triads,
)

CASE = Case("How long?", ("For 45 days.",), "For 45 days.", "45 days")


def test_a_share_gets_the_nearest_mark_and_the_higher_of_two() -> None:
    assert [mark(share) for share in (0, 0.12, 0.125, 0.5, 0.62, 0.625, 1)] == [1, 1, 2, 3, 3, 4, 5]
    assert [mark(share, "1/3/5/7/10") for share in (0, 0.3, 0.5, 0.8, 1)] == [1, 3, 5, 7, 10]
    assert mark(0.4, "share") == 0.4 and mark(0.5, "0/1") == 1
    for scale, marks in MARKS.items():
        places = [share_of_mark(one, scale) for one in marks]
        assert (places[0], places[-1]) == (0, 1) and [mark(one, scale) for one in places] == list(marks)
    with pytest.raises(ValueError, match="not in tuple"):
        share_of_mark(2, "1/3/5/7/10")


def test_what_a_criterion_needs_and_has_not_is_unscored_with_the_reason() -> None:
    for criterion in CRITERIA.values():
        assert criterion.settled(CASE) is None
    declined = CASE._replace(answer=None)
    assert CRITERIA["correctness"].settled(declined) == Judgement(None, unscored=DECLINED)
    assert CRITERIA["context_recall"].settled(declined) is None
    assert CRITERIA["refusal"].settled(declined) == Judgement(1.0, "declined", shares=(1.0,))
    unknown = CRITERIA["correctness"].settled(CASE._replace(reference=None))
    assert unknown is not None and "no known answer" in unknown.unscored
    alone = CRITERIA["faithfulness"].settled(CASE._replace(contexts=()))
    assert alone is not None and "nothing was handed over" in alone.unscored


def test_the_triad_by_its_largest_its_mean_and_its_first_context() -> None:
    judged = {
        "graded_context_relevance": [Judgement(4, shares=(0.5, 0.75, 0.25))],
        "graded_faithfulness": [Judgement(5, shares=(0.0, 1.0, 0.5))],
        "graded_answer_relevance": [Judgement(2, shares=(0.25,))],
    }
    found = triads(judged)
    scores = {name: one.score for name, (one,) in found.items()}
    assert scores == {
        "triad_context_relevance_max": 0.75,
        "triad_groundedness_max": 1.0,
        "triad_max": pytest.approx((0.75 + 1 + 0.25) / 3),
        "triad_context_relevance_mean": 0.5,
        "triad_groundedness_mean": 0.5,
        "triad_mean": pytest.approx((0.5 + 0.5 + 0.25) / 3),
        "triad_context_relevance_first": 0.5,
        "triad_groundedness_first": 0.0,
        "triad_first": pytest.approx((0.5 + 0 + 0.25) / 3),
    }


def test_a_side_that_is_unscored_leaves_the_triad_so_and_one_that_was_not_judged_makes_none() -> None:
    judged = {
        "graded_context_relevance": [Judgement(4, shares=(0.75,))],
        "graded_faithfulness": [Judgement(None, unscored=DECLINED)],
        "graded_answer_relevance": [Judgement(None, unscored=DECLINED)],
    }
    found = triads(judged)
    assert found["triad_context_relevance_max"][0].score == 0.75
    assert found["triad_max"] == [Judgement(None, unscored=DECLINED)]
    del judged["graded_faithfulness"]
    assert triads(judged) == {}


def test_a_criterion_that_is_not_known_is_named() -> None:
    assert known_criteria([]) == list(CRITERIA)
    assert known_criteria(["refusal", "refusal"]) == ["refusal"]
    with pytest.raises(UsageError, match="no criterion is called 'beauty': take some of correctness"):
        known_criteria(["beauty"])
