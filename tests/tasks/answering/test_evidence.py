"""What the weights of a plan are fitted and judged by, on questions made by chance."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench.evidence import (
    Set,
    calibration_error,
    declined_where_kept,
    fit_sets,
    questions_left_out,
    separation,
    set_left_out,
)


def made(seed: int, apart: float, count: int = 200) -> Set:
    """A set of which three quarters are answerable, whose relevance is ``apart`` deviations more."""
    draw = np.random.default_rng(seed)
    answerable = draw.permutation(np.arange(count) % 4 > 0)
    found = draw.standard_normal((count, 3))
    found[:, 1] += apart * answerable
    foreign = draw.standard_normal((1, int(answerable.sum()), 3))
    return Set(found, answerable, foreign, np.zeros(count), np.full(count, 80.0), np.zeros(count, bool))


def test_what_parts_the_classes_is_found_and_is_a_probability() -> None:
    sets = {"one": made(0, 2.0), "two": made(1, 2.0), "three": made(2, 2.0)}
    whole = [np.ones(200, bool)] * 3
    weights = fit_sets(list(sets.values()), whole).weights
    assert weights[1] > 4 * max(abs(weights[0]), abs(weights[2]))
    for scores in (set_left_out(sets), questions_left_out(sets)):
        for name, one in sets.items():
            assert separation(scores[name], one.answerable) > 0.85
            assert calibration_error(scores[name], one.answerable) < 0.1


def test_a_question_is_not_judged_by_a_fit_that_saw_it() -> None:
    """Of classes drawn by chance nothing can be known, and a fit to few questions thinks that it knows."""
    draws = [made(seed, 0.0, count=24) for seed in range(12)]
    out = [separation(questions_left_out({"one": one})["one"], one.answerable) for one in draws]
    seen = [separation(fit_sets([one], [np.ones(24, bool)]).probability(one.signals), one.answerable) for one in draws]
    assert np.mean(out) < 0.55 < 0.6 < np.mean(seen)


def test_the_threshold_keeps_what_it_says() -> None:
    answerable = np.array([True] * 20 + [False] * 4)
    scores = np.concatenate([np.arange(20) / 20, [-1.0, 0.01, 0.06, 0.9]])
    assert declined_where_kept(scores, answerable) == pytest.approx(0.25)
