from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS

from tasks.statistics.estimates import (
    NOTHING,
    Figure,
    bootstrap_interval,
    bootstrapped,
    clustered_error,
    degrees_of_freedom,
    mean,
)

VALUES = st.lists(st.tuples(st.floats(-10, 10) | st.none(), st.integers(0, 6)), max_size=60)


@given(VALUES)
def test_mean_and_error_are_those_of_statsmodels(drawn: list[tuple[float | None, int]]) -> None:
    """Least squares on a constant, with errors clustered as statsmodels does by default."""
    scored = [(value, label) for value, label in drawn if value is not None]
    values, labels = np.array([value for value, _ in scored]), [label for _, label in scored]
    assume(len(set(labels)) > 1 and np.ptp(values) > 1e-3)
    fitted = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(labels)}, use_t=True
    )
    found = mean([value for value, _ in drawn], [label for _, label in drawn])
    assert (found.n, found.unscored, found.clusters) == (len(scored), len(drawn) - len(scored), len(set(labels)))
    assert found.value == pytest.approx(fitted.params[0], abs=1e-9)
    assert found.standard_error == pytest.approx(fitted.bse[0], abs=1e-9)
    if len(set(Counter(labels).values())) == 1 and found.standard_error:
        assert found.interval() == pytest.approx(tuple(fitted.conf_int()[0]), abs=1e-7), "clusters of one size"


@given(st.lists(st.integers(1, 40), min_size=2, max_size=12))
def test_the_degrees_of_freedom_are_those_of_the_whole_matrix(sizes: list[int]) -> None:
    n = np.array(sizes, dtype=float)
    residual = np.eye(int(n.sum())) - 1 / n.sum()
    of = np.repeat(np.eye(len(sizes)), sizes, axis=1)
    covariance = of @ residual @ residual.T @ of.T
    expected = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    found = degrees_of_freedom([label for label, size in enumerate(sizes) for _ in range(size)])
    assert found == pytest.approx(expected, rel=1e-9) and expected <= len(sizes) - 1 + 1e-9


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=40))
def test_questions_that_are_all_clusters_of_their_own_have_the_usual_error(values: list[float]) -> None:
    found = mean(values)
    assert found.standard_error == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)), abs=1e-9)
    assert found == mean(values, [f"q{number}" for number in range(len(values))])


def test_a_worked_example() -> None:
    """Two documents: one right four times of four, one wrong twice of two. As six questions the error is 0.21; as two
    documents it is √(2 · ((4/3)² + (4/3)²)) / 6.
    """
    values, documents = [1, 1, 1, 1, 0, 0], ["a", "a", "a", "a", "b", "b"]
    found = mean(values, documents)
    assert found.value == pytest.approx(2 / 3) and found.clusters == 2
    assert found.standard_error == pytest.approx(math.sqrt(2 * 2 * (4 / 3) ** 2) / 6)
    assert mean(values).standard_error == pytest.approx(0.2108, abs=1e-4)
    assert found.interval(0, 1) == (0, 1)


def test_unscored_is_counted_and_never_0() -> None:
    assert mean([1.0, None, 1.0, None], "abcd") == Figure(1.0, 2, 2, 0.0, 2, 1.0)
    assert mean([None, None]) == Figure(None, 0, 2, reason="none of 2 questions could be scored")
    assert mean([]) == Figure(None, 0, reason=NOTHING)
    assert mean([], reason="no yes/no question") == Figure(None, 0, reason="no yes/no question")


def test_of_one_cluster_no_error_can_be_told() -> None:
    found = mean([1.0, 0.0, 1.0], ["a", "a", "a"])
    assert found[1:5] == (3, 0, None, 1) and found.value == pytest.approx(2 / 3)
    assert found.interval() == found.bootstrap == (None, None) and clustered_error([], []) is None
    assert bootstrap_interval([1.0, 0.0, 1.0], "aaa") == (None, None)


def test_of_values_that_are_all_alike_no_interval_can_be_told() -> None:
    """Of ninety questions none was declined: that does not make 0 certain."""
    found = mean([0.0] * 90, range(90))
    assert found.standard_error == 0.0 and found.interval(0, 1) == found.bootstrap == (None, None)


def test_every_value_has_its_label() -> None:
    with pytest.raises(ValueError, match="zip"):
        mean([1.0, 2.0], ["a"])


@pytest.mark.parametrize(
    ("sizes", "share", "least", "alone_at_most", "drawn"),
    [([8] * 12, 0.5, 0.93, 0.75, 0.90), ([42, 39, 8, 3, 1, 1], 0.05, 0.90, 0.80, 0.82)],
    ids=["of one size", "as Northwind's"],
)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(
    sizes: list[int], share: float, least: float, alone_at_most: float, drawn: float
) -> None:
    """2,000 gold sets of documents that have this share of the variance to themselves. Of questions taken for
    independent the interval holds it less often, and so it does where documents are drawn anew.
    """
    draw, held, held_alone, held_drawn = np.random.default_rng(4), 0, 0, 0
    documents = np.repeat(np.arange(len(sizes)), sizes)
    for _ in range(2000):
        of_document = share**0.5 * draw.standard_normal(len(sizes))[documents]
        values = of_document + (1 - share) ** 0.5 * draw.standard_normal(len(documents))
        for clusters in (documents.tolist(), None):
            found = mean(values.tolist(), clusters)
            (low, high), (drawn_low, drawn_high) = found.interval(), found.bootstrap
            assert low is not None and high is not None and drawn_low is not None and drawn_high is not None
            held_drawn += (drawn_low <= 0 <= drawn_high) and clusters is not None
            held += (low <= 0 <= high) and clusters is not None
            held_alone += (low <= 0 <= high) and clusters is None
    assert least < held / 2000 < 0.97
    assert held_alone / 2000 < alone_at_most
    assert held_drawn / 2000 == pytest.approx(drawn, abs=0.03)


def test_the_interval_by_draws_is_that_of_each_draw_by_hand() -> None:
    """Of documents as large as Northwind's, whole ones drawn anew; what they are called is nothing to it."""
    documents = [label for label, size in zip("abcdef", [42, 39, 8, 3, 1, 1], strict=True) for _ in range(size)]
    values = np.random.default_rng(2).integers(0, 2, len(documents)).astype(float)
    of = [values[[label == one for label in documents]] for one in "abcdef"]
    draws = np.random.default_rng(0).integers(6, size=(2_000, 6))
    means = [float(np.concatenate([of[at] for at in draw]).mean()) for draw in draws]
    low, high = np.percentile(means, [2.5, 97.5])
    assert bootstrap_interval(values, documents) == pytest.approx((low, high))
    assert (
        mean(values.tolist(), documents).bootstrap == mean(values.tolist(), [ord(one) for one in documents]).bootstrap
    )
    assert low < values.mean() < high


def test_the_error_by_draws_of_clusters_is_about_that_of_the_mean() -> None:
    draw = np.random.default_rng(9)
    documents = np.repeat(np.arange(40), 3)
    values = draw.standard_normal(40)[documents] + draw.standard_normal(len(documents))
    clusters = documents.tolist()

    def figures(some: Sequence[float]) -> dict[str, float | None]:
        return {"mean": float(np.mean(some)), "undefined in some": None if values[0] in some else 1.0}

    found = bootstrapped(values.tolist(), clusters, figures)
    by_draws, by_all = found["mean"], mean(values.tolist(), clusters)
    assert by_draws.value == pytest.approx(by_all.value)
    assert by_draws[1:3] == (120, 0) and by_draws[4:6] == by_all[4:6]
    assert by_draws.standard_error == pytest.approx(by_all.standard_error, rel=0.1)
    assert by_draws.bootstrap == pytest.approx(by_all.bootstrap, abs=0.06)
    assert found["undefined in some"] == Figure(None, 120, 0, None, 40, by_all.degrees_of_freedom)
    assert bootstrapped([1, 2], ["a", "a"], lambda some: {"one": 1.0}) == {"one": Figure(1.0, 2, 0, None, 1)}
