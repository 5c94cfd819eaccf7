from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.evaluation.metrics.calibration import Judged, coverage_curve, expected_calibration_error, widest

JUDGED = st.lists(st.builds(Judged, st.floats(0, 1), st.booleans()), max_size=60)
WORKED = [Judged(0.9, True), Judged(0.9, False), Judged(0.8, True), Judged(0.4, False)]


def test_the_curve_of_a_worked_example() -> None:
    curve = coverage_curve(WORKED, questions=5)
    assert [(p.threshold, p.coverage, p.n) for p in curve] == [(0.9, 0.4, 2), (0.8, 0.6, 3), (0.4, 0.8, 4)]
    assert [p.error for p in curve] == pytest.approx([0.5, 1 / 3, 0.5])
    assert widest(curve, 0.34) == curve[1]
    assert widest(curve, 0.5) == curve[2], "the widest, though a narrower one is no worse"
    assert widest(curve, 0.1) is None


def test_the_error_of_a_worked_example() -> None:
    """Fewer drafts than bins: each is a bin of its own, and the two of .9 are half right each."""
    assert expected_calibration_error(WORKED) == pytest.approx((0.4 + 0.4 + 0.2 + 0.4) / 4)
    pairs = [Judged(at / 20 + step, at > 3) for at in range(10) for step in (0, 0.01)]
    gaps = [abs(at / 20 + 0.005 - (at > 3)) for at in range(10)]
    assert expected_calibration_error(pairs) == pytest.approx(sum(gaps) / 10), "two to a bin"
    assert expected_calibration_error([]) is None and coverage_curve([], 3) == []


def test_bins_of_equal_width_hold_as_many_as_fall_into_them() -> None:
    """{.9, .9}, of which half are right, {.8} and {.4}; an edge belongs to the bin above it."""
    assert expected_calibration_error(WORKED, "width") == pytest.approx((2 * 0.4 + 0.2 + 0.4) / 4)
    one_bin = [Judged(0.5, True), Judged(0.55, False), Judged(0.59, False)]
    assert expected_calibration_error(one_bin, "width") == pytest.approx(abs(1.64 - 1) / 3)
    assert expected_calibration_error([Judged(1.0, True), Judged(0.0, False)], "width") == 0


def test_a_confidence_that_is_the_share_right_has_no_error() -> None:
    judged = [Judged(0.25, number % 4 == 0) for number in range(400)]
    assert expected_calibration_error(judged) == pytest.approx(0)
    assert expected_calibration_error(sorted(judged)) == pytest.approx(0)


@given(JUDGED, st.randoms())
def test_the_error_does_not_hang_on_the_order(judged: list[Judged], chance: Random) -> None:
    shuffled = chance.sample(judged, len(judged))
    assert expected_calibration_error(shuffled) == pytest.approx(expected_calibration_error(judged))


@given(JUDGED, st.floats(0, 1))
def test_the_widest_point_keeps_the_promise_and_none_wider_would(judged: list[Judged], error: float) -> None:
    curve = coverage_curve(judged, len(judged) or 1)
    found = widest(curve, error)
    for point in curve:
        kept = [one for one in judged if one.confidence >= point.threshold]
        assert len(kept) == point.n and point.error == pytest.approx(sum(not one.is_right for one in kept) / len(kept))
        assert point.error > error or (found is not None and found.coverage >= point.coverage)
