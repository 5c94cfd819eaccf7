"""Figures of proposed verdicts, each worked out by hand."""

from __future__ import annotations

import pytest

from tasks.evaluation.metrics.proposals import NO_PROPOSAL, NO_YES_NO, Proposed, proposal_figures, verdict_curve
from tasks.statistics.estimates import wilson

ASKED = [
    Proposed("yes", "yes", 0.97, "yes", "a"),
    Proposed("no", "no", 0.95, "no", "a"),
    Proposed("yes", "yes", 0.95, None, "b"),
    Proposed("partial", "yes", 0.85, "yes", "b"),
    Proposed("yes", "yes", 0.75, None, "c"),
    Proposed("no", "yes", 0.65, None, "c"),
    Proposed("yes", None, None, None, "d"),
    Proposed(None, "yes", 0.55, None, "d"),
    Proposed(None, None, None, None, "e"),
    Proposed(None, "no", 0.45, "no", "e"),
]


def test_the_figures_of_a_worked_example() -> None:
    found = {name: (figure.value, figure.n) for name, figure in proposal_figures(ASKED).items()}
    # Bins of equal width, with their mean probability and the share right: {.97, .95, .95}, {.85}, {.75}, {.65}, {.55}
    # and {.45}.
    off = 3 * (1 - (0.97 + 0.95 + 0.95) / 3) + 0.85 + 0.25 + 0.65 + 0.55 + 0.45
    assert found == {
        "verdict_given_precision": (2 / 4, 4),
        "verdict_wrongly_given": (2 / 10, 10),
        "verdict_proposal_precision": (2 / 4, 4),
        "verdict_right_or_proposed": (4 / 7, 7),
        "verdict_unanswerable_open": (1 / 3, 3),
        "verdict_unanswerable_not_given": (2 / 3, 3),
        "verdict_calibration_error": (pytest.approx(off / 8), 8),
        "verdict_coverage_where_95_right": (3 / 10, 10),
        "verdict_threshold_where_95_right": (0.95, 10),
    }


def test_the_curve_counts_all_questions_and_each_probability_once() -> None:
    curve = verdict_curve(ASKED)
    assert [(point.threshold, point.n) for point in curve] == [
        (0.97, 1),
        (0.95, 3),
        (0.85, 4),
        (0.75, 5),
        (0.65, 6),
        (0.55, 7),
        (0.45, 8),
    ]
    assert [point.coverage for point in curve] == pytest.approx([n / 10 for n in (1, 3, 4, 5, 6, 7, 8)])
    assert [point.error for point in curve] == pytest.approx([0, 0, 1 / 4, 1 / 5, 2 / 6, 3 / 7, 4 / 8])


def test_of_a_hundred_five_may_be_wrong_and_not_six() -> None:
    asked = [Proposed("yes", "yes", 0.9, None, at) for at in range(95)]
    wrong = [Proposed("no", "yes", 0.8, None, 95 + at) for at in range(6)]
    assert proposal_figures(asked + wrong[:5])["verdict_coverage_where_95_right"].value == 1.0
    found = proposal_figures(asked + wrong)
    assert found["verdict_coverage_where_95_right"].value == pytest.approx(95 / 101)
    assert found["verdict_threshold_where_95_right"].value == 0.9


def test_what_is_undefined_says_why() -> None:
    assert {figure.value for figure in proposal_figures([]).values()} == {None}
    assert proposal_figures([])["verdict_wrongly_given"].reason == NO_YES_NO
    assert proposal_figures([])["verdict_calibration_error"].reason == NO_YES_NO
    silent = proposal_figures([Proposed("yes", None, None, None, 0)])
    assert silent["verdict_calibration_error"][:2] == (None, 0)
    assert silent["verdict_coverage_where_95_right"].reason == NO_PROPOSAL and verdict_curve([]) == []
    wrong = proposal_figures([Proposed("yes", "no", 0.9, None, 0)])["verdict_coverage_where_95_right"]
    assert (wrong.value, wrong.reason) == (None, "no threshold leaves 95% right")


def test_the_interval_is_that_of_wilson() -> None:
    """(k + z²/2 ± z·√(k·(n − k)/n + z²/4)) / (n + z²) with z = 1.959964."""
    assert wilson(9, 10) == pytest.approx((0.595850, 0.982124), abs=1e-6)
    assert wilson(0, 1) == pytest.approx((0.0, 0.793451), abs=1e-6)
    assert wilson(0, 0) == (None, None)
