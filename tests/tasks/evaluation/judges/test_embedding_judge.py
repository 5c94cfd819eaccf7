from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tasks.evaluation.judges.cases import CRITERIA, Case
from tasks.evaluation.judges.embedding import NOT_LEARNT, EmbeddingJudge, cuts_of
from tasks.evaluation.judges.labels import Labelled

PLACES = {"question": 0.0, "near": 0.3, "far": 1.2, "reference": 0.2, "away": 3.0}
"""Each text's angle."""


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    angles = np.array([PLACES[text] for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def labelled(answer: str, **labels: float) -> Labelled:
    return Labelled(Case("question", ("near", "far"), answer, "reference"), labels)


def test_cuts_give_each_grade_as_often_as_people_do() -> None:
    correctness = CRITERIA["correctness"]
    cosines, labels = [0.9, 0.2, 0.7, 0.4], [5, 1, 5, 3]
    assert cuts_of(cosines, labels, correctness) == pytest.approx((0.3, 0.3, 0.55, 0.55))
    assert cuts_of(cosines, [1, 1, 1, 1], correctness) == (float("inf"),) * 4
    assert cuts_of(cosines, [5, 5, 5, 5], correctness) == (0.0,) * 4
    assert cuts_of(cosines, [1, 0, 0, 0], CRITERIA["relevancy"]) == pytest.approx((0.8,))


def test_grades_begin_where_the_examples_say_and_shares_are_cosines() -> None:
    judge = EmbeddingJudge(encode, "m", [labelled("near", correctness=5), labelled("far", correctness=1)])
    cases = [Case("question", ("near", "far"), "near", "reference"), Case("question", ("near",), "far", "reference")]
    assert [one.score for one in judge.judge(cases, "correctness")] == [5, 1]
    (found, _) = judge.judge(cases, "answer_relevance")
    assert found.score == pytest.approx(np.cos(0.3))
    (found, other) = judge.judge(cases, "claim_faithfulness")
    assert found.score == pytest.approx(1.0) and other.score == pytest.approx(np.cos(0.9))


def test_by_context_and_no_cosine_is_below_nothing() -> None:
    judge = EmbeddingJudge(encode, "m", [labelled("near", graded_context_relevance=5)])
    (found,) = judge.judge([Case("question", ("far", "away"), None, None)], "graded_context_relevance")
    assert found.score == 5 and found.shares == pytest.approx((np.cos(1.2), 0.0))


def test_a_criterion_without_examples_is_unscored() -> None:
    judge = EmbeddingJudge(encode, "m", [])
    (found,) = judge.judge([Case("question", ("near",), "near", "reference")], "correctness")
    assert found.score is None and found.unscored == NOT_LEARNT
    assert judge.judge([], "correctness") == []
