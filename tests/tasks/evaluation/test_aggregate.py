from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS

from tasks.evaluation.aggregate import NOTHING, Figure, bootstrap_errors, clustered_error, mean

VALUES = st.lists(st.tuples(st.floats(-10, 10) | st.none(), st.integers(0, 6)), max_size=60)


@given(VALUES)
def test_mean_error_and_interval_are_those_of_statsmodels(drawn: list[tuple[float | None, int]]) -> None:
    """Least squares on a constant, with errors clustered as statsmodels does by default, and Student's t."""
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
    assert found.interval() == pytest.approx(tuple(fitted.conf_int()[0]), abs=1e-7)


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
    assert mean([1.0, None, 1.0, None], "abcd") == Figure(1.0, 2, 2, 0.0, 2)
    assert mean([None, None]) == Figure(None, 0, 2, reason="none of 2 questions could be scored")
    assert mean([]) == Figure(None, 0, reason=NOTHING)
    assert mean([], reason="no yes/no question") == Figure(None, 0, reason="no yes/no question")


def test_of_one_cluster_no_error_can_be_told() -> None:
    found = mean([1.0, 0.0, 1.0], ["a", "a", "a"])
    assert found[1:5] == (3, 0, None, 1) and found.value == pytest.approx(2 / 3)
    assert found.interval() == (None, None) and clustered_error([], []) is None


def test_every_value_has_its_label() -> None:
    with pytest.raises(ValueError, match="zip"):
        mean([1.0, 2.0], ["a"])


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    """2,000 gold sets of 12 documents with 8 questions each, of which a document's share half their variance. Taken
    for independent, the interval holds the truth in about two of three.
    """
    draw, held, held_alone = np.random.default_rng(4), 0, 0
    documents = np.repeat(np.arange(12), 8)
    for _ in range(2000):
        values = draw.standard_normal(12)[documents] + draw.standard_normal(len(documents))
        for clusters in (documents.tolist(), None):
            low, high = mean(values.tolist(), clusters).interval()
            assert low is not None and high is not None
            held += (low <= 0 <= high) and clusters is not None
            held_alone += (low <= 0 <= high) and clusters is None
    assert 0.93 < held / 2000 < 0.97
    assert held_alone / 2000 < 0.75


def test_the_error_by_draws_of_clusters_is_about_that_of_the_mean() -> None:
    draw = np.random.default_rng(9)
    documents = np.repeat(np.arange(40), 3)
    values = draw.standard_normal(40)[documents] + draw.standard_normal(len(documents))
    clusters = documents.tolist()

    def figures(at: Sequence[int]) -> list[float | None]:
        return [float(values[list(at)].mean()), None if 0 in at else 1.0]

    by_draws, undefined_in_some = bootstrap_errors(clusters, figures)
    assert by_draws == pytest.approx(mean(values.tolist(), clusters).standard_error, rel=0.1)
    assert undefined_in_some is None
    assert bootstrap_errors(["a", "a"], lambda at: [1.0, None]) == [None, None]
