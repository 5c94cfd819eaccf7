from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import f, f_oneway, ttest_rel

from tasks.statistics.anova import by_runs, effects, level_means

CELLS = list(product("abc", "xy"))
LEVELS = {"one": [cell[0] for cell in CELLS], "two": [cell[1] for cell in CELLS]}
QUESTIONS = 7
VALUES = np.array(
    [
        [
            (question * 7 + cell * 5 + question * cell * 3) % 11 / 10
            + (0.3 if CELLS[cell][0] == "c" else 0)
            + (0.05 * question if CELLS[cell][1] == "y" else 0)
            for cell in range(len(CELLS))
        ]
        for question in range(QUESTIONS)
    ]
)


def test_f_and_p_are_those_of_statsmodels() -> None:
    """AnovaRM and, for the squares, anova_lm (type II, questions as blocks) of statsmodels 0.15.0 on these values."""
    one, two = effects(VALUES, LEVELS)
    assert (one.factor, one.df, one.df_error, two.factor, two.df, two.df_error) == ("one", 2, 12, "two", 1, 6)
    assert one.f == pytest.approx(1.4673748103186646, rel=1e-9)
    assert f.sf(one.f, 2, 12) == pytest.approx(0.26909138851712905, rel=1e-9), "before epsilon"
    assert two.f == pytest.approx(0.12164107485604067, rel=1e-9)
    assert two.p == pytest.approx(0.7391741524396203, rel=1e-9) and two.epsilon == pytest.approx(1)
    squares = {"questions": 0.202857, "one": 0.460476, "two": 0.010060, "left": 3.589048}
    assert one.eta2 == pytest.approx(squares["one"] / sum(squares.values()), abs=1e-6)
    assert two.eta2 == pytest.approx(squares["two"] / sum(squares.values()), abs=1e-6)


def test_partial_eta_squared_follows_from_f() -> None:
    for effect in effects(VALUES, LEVELS):
        assert effect.f is not None and effect.partial_eta2 is not None
        expected = effect.f * effect.df / (effect.f * effect.df + effect.df_error)
        assert effect.partial_eta2 == pytest.approx(expected, rel=1e-12)


def test_of_two_levels_it_is_the_paired_t_test() -> None:
    draw = np.random.default_rng(5)
    values = draw.random((12, 4)) + draw.random((12, 1))
    (effect,) = effects(values, {"one": ["a", "a", "b", "b"]})
    test = ttest_rel(values[:, :2].mean(axis=1), values[:, 2:].mean(axis=1))
    assert effect.f == pytest.approx(test.statistic**2) and effect.p == pytest.approx(test.pvalue)


def test_epsilon_is_that_of_the_differences_covariance() -> None:
    """By its other definition: the eigenvalues of the covariance within orthonormal contrasts (k = 3)."""
    _, means = level_means(VALUES, LEVELS["one"])
    contrasts = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    values = np.linalg.eigvalsh(contrasts @ np.cov(means, rowvar=False) @ contrasts.T)
    expected = values.sum() ** 2 / (2 * (values**2).sum())
    effect = effects(VALUES, LEVELS)[0]
    assert effect.epsilon == pytest.approx(expected) and 0.5 <= expected < 1
    assert effect.p == pytest.approx(f.sf(effect.f, 2 * expected, 12 * expected))


def test_chance_alone_is_called_an_effect_as_often_as_p_says() -> None:
    """2,000 grids in which nothing matters but which question is asked, and how hard each level finds it."""
    draw, called = np.random.default_rng(11), 0
    for _ in range(2000):
        by_level = 0.5 * draw.standard_normal((20, 3, 1)) * [[[1.0], [2.0], [4.0]]]
        values = draw.standard_normal((20, 1, 1)) + by_level + 0.3 * draw.standard_normal((20, 3, 4))
        (effect,) = effects(values.reshape(20, 12), {"one": [level for level in "abc" for _ in range(4)]})
        called += effect.p is not None and effect.p < 0.05
    assert 0.035 < called / 2000 < 0.065


@pytest.mark.parametrize(
    "values",
    [np.ones((5, 6)), np.arange(5.0)[:, None] * np.ones((1, 6)), VALUES[:1]],
    ids=["equal", "by question", "one"],
)
def test_where_nothing_can_be_told_nothing_is(values: np.ndarray) -> None:
    for effect in effects(values, LEVELS):
        assert (effect.f, effect.p, effect.eta2, effect.partial_eta2) == (None, None, None, None)


def test_levels_that_differ_by_just_the_same_for_each_question() -> None:
    values = np.arange(5.0)[:, None] + np.array([[0, 0, 0, 0, 1, 1]])
    one, two = effects(values, LEVELS)
    assert (one.f, one.p, two.p) == (None, 0.0, None) and one.partial_eta2 == pytest.approx(1)


def test_by_runs_it_is_one_way_over_the_means() -> None:
    means = VALUES.mean(axis=0)
    wanted = f_oneway(means[:2], means[2:4], means[4:])
    assert by_runs(VALUES, LEVELS)["one"] == pytest.approx((wanted.statistic, wanted.pvalue))
    assert by_runs(np.ones((3, 6)), LEVELS)["one"] == (None, None)


def test_the_means_are_of_each_question_and_level_in_their_order() -> None:
    names, means = level_means(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), ["b", "a", "b"])
    assert names == ["b", "a"] and means.tolist() == [[2.0, 2.0], [5.0, 5.0]]
