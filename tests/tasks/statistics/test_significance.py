from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tasks.statistics.significance import PairedDifference, cluster_p, holm, paired_difference, resampled


def test_every_question_better_by_the_same() -> None:
    """Of the 2⁴ ways to flip signs, two are as far from 0: p = 2/16, exactly."""
    assert paired_difference([1, 1, 1, 1], [0, 0, 0, 0]) == PairedDifference(1.0, 1.0, 1.0, 0.125, 4)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [], PairedDifference(None, None, None, None, 0)),
        ([0.5, 1.0], [0.5, 1.0], PairedDifference(0.0, 0.0, 0.0, 1.0, 2)),
        ([1.0], [0.0], PairedDifference(1.0, 1.0, 1.0, 1.0, 1)),
    ],
    ids=["nothing", "no difference", "one question"],
)
def test_corners(first: list[float], second: list[float], expected: PairedDifference) -> None:
    assert paired_difference(first, second) == expected


def test_as_often_better_as_worse_is_chance() -> None:
    found = paired_difference([1, 0, 1, 0], [0, 1, 0, 1])
    assert found.mean == 0.0 and found.p == 1.0
    assert found.low is not None and found.high is not None and found.low < 0 < found.high


def test_p_is_the_share_of_all_sign_flips_as_extreme() -> None:
    first, second = [1.0, 0.5, 1.0, 0.0, 1.0, 0.2], [0.0, 0.5, 0.5, 0.25, 0.0, 0.1]
    differences = np.subtract(first, second)
    flips = np.array(np.meshgrid(*[[1, -1]] * 6)).reshape(6, -1)
    means = flips.T @ differences / 6
    expected = np.mean(np.abs(means) >= abs(differences.mean()) - 1e-12)
    assert paired_difference(first, second).p == pytest.approx(expected)


def test_the_order_of_the_plans_turns_the_sign_alone() -> None:
    first, second = [1.0, 0.5, 1.0, 0.0, 1.0], [0.0, 0.5, 0.5, 0.25, 0.0]
    one, other = paired_difference(first, second), paired_difference(second, first)
    assert one.mean == pytest.approx(-(other.mean or 0)) and one.p == other.p


def test_the_same_data_give_the_same_figures() -> None:
    draw = np.random.default_rng(3)
    first, second = draw.random(60).tolist(), draw.random(60).tolist()
    assert paired_difference(first, second) == paired_difference(first, second)


def test_other_questions_are_no_pair() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        paired_difference([1.0, 0.0], [1.0])


def test_the_spread_of_a_mean() -> None:
    assert resampled([]) == (None, (None, None))
    assert resampled([0.5, 0.5]) == (0.0, (0.5, 0.5))
    error, (low, high) = resampled([0.0, 1.0] * 50)
    assert low == pytest.approx(0.4, abs=0.02) and high == pytest.approx(0.6, abs=0.02)
    assert error == pytest.approx(0.05, abs=0.002)


def test_the_spread_of_a_percentile_lies_around_it() -> None:
    values = [float(number) for number in range(1, 101)]
    error, (low, high) = resampled(values, partial(np.percentile, q=95))
    assert low is not None and high is not None and error is not None
    assert 88 < low < np.percentile(values, 95) < high <= 100 and 1 < error < 5


@pytest.mark.parametrize(
    ("ps", "expected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # 4 × .005, 3 × .01, 2 × .03, and no less
        ([0.5, 0.6, 0.04], [1.0, 1.0, 0.12]),
        ([0.02, None, 0.01], [0.02, None, 0.02]),
        ([None], [None]),
    ],
    ids=["none", "one", "four", "none above 1", "an undefined one is not counted", "undefined"],
)
def test_holm(ps: list[float | None], expected: list[float | None]) -> None:
    assert holm(ps) == [p if p is None else pytest.approx(p) for p in expected]


def test_whole_clusters_change_sides() -> None:
    """Sums of 3, −1 and 2 over documents of 4, 2 and 2 questions: of the 2³ ways to flip their signs ±(3 + 1 + 2) and
    ±(3 − 1 + 2) are as far from 0 as 4 is, so p = 4/8. By single questions 7 of one sign and one of the other, or none,
    are much rarer.
    """
    first, second = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]
    clusters = ["a"] * 4 + ["b"] * 2 + ["c"] * 2
    assert cluster_p(first, second, clusters) == paired_difference(first, second, clusters).p_clustered == 0.5
    by_question = paired_difference(first, second).p
    assert by_question is not None and by_question < 0.2
    assert cluster_p(first, second, range(8)) == by_question


def test_one_cluster_says_nothing_of_others_and_nothing_has_no_p() -> None:
    assert cluster_p([1.0] * 50, [0.0] * 50, ["a"] * 50) == 1.0
    assert cluster_p([1.0] * 50, [0.0] * 50, [at // 10 for at in range(50)]) == 2 / 2**5
    assert cluster_p([], [], []) is None


def test_it_keeps_its_level_where_questions_of_a_document_go_together() -> None:
    """No plan is the better one, but documents suit one or the other: of 300 sets of 20 documents of up to 20 questions
    some 5% have p < .05 by documents, and far more by questions.
    """
    draw = np.random.default_rng(7)
    by_cluster = by_question = 0
    for _ in range(300):
        clusters = np.repeat(np.arange(20), draw.integers(1, 21, 20))
        differences = (draw.normal(size=20)[clusters] + draw.normal(size=len(clusters))).tolist()
        zeros = [0.0] * len(differences)
        by_cluster += (cluster_p(differences, zeros, clusters.tolist()) or 0) < 0.05
        error = np.std(differences, ddof=1) / np.sqrt(len(differences))
        by_question += abs(np.mean(differences)) / error > 1.96
    assert 0.02 <= by_cluster / 300 <= 0.09
    assert by_question / 300 > 0.3
