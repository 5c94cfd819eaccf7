from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tasks.evaluation.experiments.figures import degradation, experiment_figures, page_finder_figures
from tasks.statistics.estimates import mean
from tasks.statistics.significance import paired_difference


def rows(values: Sequence[float | None], status: str = "answered") -> dict[str, dict[str, Any]]:
    return {f"q{n}": {"correctness": value, "status": status} for n, value in enumerate(values)}


def test_a_setting_is_compared_with_the_base_question_by_question() -> None:
    base, better, same = rows([0.0] * 12), rows([1.0] * 11 + [0.0]), rows([0.0] * 12)
    found = {
        one["setting"]: one
        for one in experiment_figures({"0%": base, "50%": better, "100%": same}, ["correctness"], "0%", 12)
    }
    assert (found["0%"]["is_base"], found["0%"]["difference"], found["0%"]["p_holm"]) == (True, None, None)
    one = found["50%"]
    assert (one["setting_value"], one["n"], one["unscored"]) == (0.5, 12, 0) and one["value"] == pytest.approx(11 / 12)
    expected = paired_difference([1.0] * 11 + [0.0], [0.0] * 12)
    assert (one["difference"], one["p"]) == (expected.mean, expected.p)
    assert one["p_holm"] == pytest.approx(2 * one["p"]) and one["p_holm"] < 0.05, "two settings are compared"
    assert found["100%"]["p"] == found["100%"]["p_holm"] == 1.0
    drawn = mean([1.0] * 11 + [0.0]).bootstrap
    assert drawn != (None, None) and (one["bootstrap_low"], one["bootstrap_high"]) == drawn
    assert found["0%"]["bootstrap_low"] is None, "values that are all alike"


def test_what_has_no_value_is_counted_and_not_compared() -> None:
    some = rows([None, 1.0, 1.0, None])
    given = {"nothing": rows([None] * 4), "some": some, "right": {"q2": some["q2"] | {"correctness": 0.0}}}
    nothing, base, right = experiment_figures(given, ["correctness"], "some", 4)
    assert (nothing["value"], nothing["n"], nothing["unscored"], nothing["interval_low"]) == (None, 0, 4, None)
    assert (nothing["difference"], nothing["p"], nothing["p_holm"]) == (None, None, None)
    assert (base["value"], base["n"], base["unscored"]) == (1.0, 2, 2)
    assert (right["n"], right["unscored"], right["difference"]) == (1, 3, -1.0), "over the question that both have"


def test_a_setting_falls_short_of_the_right_passage_alone_over_the_questions_that_both_have() -> None:
    given = {
        "retrieved": rows([3.0, 7.0, 10.0, 10.0]),
        "right": rows([10.0, 10.0, 5.0, None]),
        "worst": rows([None] * 4),
    }
    found = experiment_figures(given, ["correctness"], "retrieved", 4, "right")
    retrieved, right, worst = found
    expected = degradation([3, 7, 10], [10, 10, 5])
    assert retrieved["degradation"] == expected.value == pytest.approx(1 - 20 / 25)
    assert (retrieved["degradation_low"], retrieved["degradation_high"]) == expected.interval(highest=1)
    assert right["degradation"] is None and worst["degradation"] is None
    assert all(one["degradation"] is None for one in experiment_figures(given, ["correctness"], "retrieved", 4))
    zero = experiment_figures({"a": rows([1.0]), "b": rows([0.0])}, ["correctness"], "a", 1, "b")
    assert zero[0]["degradation"] is None, "a share of nothing is undefined"


def test_what_is_drafted_is_told_from_what_is_declined_or_failed() -> None:
    mixed = {**rows([1.0]), "d": {"status": "declined"}, "f": {"status": "failed"}, "r": {"status": "needs_review"}}
    (found,) = experiment_figures({"a": mixed}, ["draft_rate"], "a", 4)
    assert (found["value"], found["n"]) == (0.5, 4)


def test_a_page_finder_has_an_interval_and_is_compared_with_none() -> None:
    told = {"120": {"tfidf": {"n": 10, "accuracy": 0.9, "accuracy_reflowed": None}}}
    accuracy, reflowed = page_finder_figures(told)
    assert (accuracy["setting"], accuracy["setting_value"], accuracy["metric"]) == (
        "tfidf, 120 tokens",
        120.0,
        "accuracy",
    )
    # Wilson (1927), by hand: (9 + z²/2 ± z·√(9·1/10 + z²/4)) / (10 + z²) with z = 1.959964
    assert [accuracy["interval_low"], accuracy["interval_high"]] == pytest.approx([0.595850, 0.982124])
    assert (reflowed["value"], reflowed["n"], reflowed["unscored"], reflowed["p"]) == (None, 0, 10, None)
