from __future__ import annotations

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.evaluation.metrics.latency import latency_figures


@settings(max_examples=25)
@given(st.lists(st.floats(0, 1e5), min_size=2, max_size=40))
def test_they_are_those_of_the_standard_library(times_ms: list[float]) -> None:
    found = {name: figure.value for name, figure in latency_figures("retrieval", times_ms).items()}
    cuts = statistics.quantiles(times_ms, n=100, method="inclusive")
    wanted = {
        "retrieval_ms_mean": statistics.fmean(times_ms),
        "retrieval_ms_sd": statistics.stdev(times_ms),
        "retrieval_ms_p50": cuts[49],
        "retrieval_ms_p95": cuts[94],
    }
    assert found == {name: pytest.approx(value, rel=1e-9, abs=1e-9) for name, value in wanted.items()}


def test_the_error_of_the_mean_is_about_s_over_root_n() -> None:
    times_ms = [float(number % 17) for number in range(200)]
    figure = latency_figures("drafting", times_ms)["drafting_ms_mean"]
    low, high = figure.bootstrap
    assert figure.standard_error == pytest.approx(statistics.stdev(times_ms) / 200**0.5, rel=0.03)
    assert low is not None and high is not None and figure.value is not None
    assert low < figure.value < high and figure.n == 200


def test_over_nothing_they_are_undefined_and_so_is_the_deviation_of_one() -> None:
    for figure in latency_figures("drafting", []).values():
        assert (figure.value, figure.n, figure.reason) == (None, 0, "too few questions were timed: 0")
        assert figure.standard_error is None and figure.bootstrap == (None, None)
    one = latency_figures("drafting", [3.0])
    assert one["drafting_ms_p95"].value == 3.0 and one["drafting_ms_sd"].value is None
