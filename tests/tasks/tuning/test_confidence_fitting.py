"""Thresholds chosen by questions, what they make of others, and a probability that is moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from configs.plans import Confidence, load_plan
from tasks.tuning import confidence_fitting
from tasks.tuning.confidence_fitting import Seen, Sigmoid, Thresholds, Wish

NEVER_DRAFTED = Seen(0.0, True, False, False, False, "none")


def draft(value: float, *, answerable: bool = True, right: bool | None = True, stands: bool = True) -> Seen:
    return Seen(value, answerable, True, stands, right if answerable else False, f"question {value}")


def drawn(count: int, slope: float = 1.0, intercept: float = 0.0, seed: int = 0) -> list[Seen]:
    """Drafts whose questions can be answered as often as a sigmoid of their confidence's log-odds says."""
    draw = np.random.default_rng(seed)
    odds = draw.normal(1, 2, count)
    up = draw.random(count) < 1 / (1 + np.exp(-(slope * odds + intercept)))
    return [
        draft(float(1 / (1 + np.exp(-value))), answerable=bool(is_up), right=bool(is_up))
        for value, is_up in zip(odds, up, strict=True)
    ]


def test_as_many_drafts_of_answerable_questions_are_kept_as_is_asked() -> None:
    seen = [draft((500 + number) / 1000) for number in range(100)]
    seen += [draft(0.1, answerable=False), NEVER_DRAFTED]
    chosen = confidence_fitting.thresholds(seen, Wish(0.9, 0.95))
    assert chosen.decline_below == pytest.approx(0.509)
    assert sum(one.confidence >= chosen.decline_below for one in seen) == 91
    # All that is left is right.
    assert chosen.review_below == chosen.decline_below


def test_what_is_answered_outright_is_right_as_often_as_is_asked() -> None:
    wrong = [draft((500 + number) / 1000, right=False) for number in range(10)]
    right = [draft((600 + number) / 1000) for number in range(90)]
    chosen = confidence_fitting.thresholds([*wrong, *right], Wish(0.99, 0.95))
    # 90 that are right and the 4 best that are wrong: a 23rd; a fifth would be more than a 20th of 95.
    assert chosen.review_below == pytest.approx(0.506)
    effect = confidence_fitting.effect([*wrong, *right], chosen)
    assert effect.right_of_outright.value == pytest.approx(90 / 94) and effect.outright.value == pytest.approx(0.94)
    stricter = confidence_fitting.thresholds([*wrong, *right], Wish(0.99, 0.99))
    assert stricter.review_below == 1.0, "of 90 answers none may be wrong for a hundredth"


def test_drafts_are_given_from_where_enough_of_them_are_right() -> None:
    wrong = [draft((500 + number) / 1000, right=False) for number in range(50)]
    right = [draft((600 + number) / 1000) for number in range(90)]
    chosen = confidence_fitting.thresholds([*wrong, *right], Wish(0.95, 0.95, drafts_right=0.9))
    # 90 that are right and the 10 best that are wrong.
    assert chosen.decline_below == pytest.approx(0.54)
    effect = confidence_fitting.effect([*wrong, *right], chosen)
    assert effect.right_of_drafted.value == pytest.approx(0.9) and effect.drafted.value == pytest.approx(100 / 140)
    none = confidence_fitting.thresholds([*wrong, draft(0.9)], Wish(0.95, 0.95, drafts_right=0.9))
    assert none.decline_below == 1.0, "one draft that is right tells of nothing"


def test_of_a_few_that_are_right_by_chance_no_threshold_is_made() -> None:
    few = [draft(0.9 + number / 1000) for number in range(19)]
    rest = [draft(0.5 + number / 1000, right=number % 2 > 0 and number < 55) for number in range(60)]
    assert confidence_fitting.thresholds([*few, *rest], Wish(0.95, 0.95)).review_below == 1.0
    one_more = [*few, *rest, draft(0.95)]
    assert confidence_fitting.thresholds(one_more, Wish(0.95, 0.95)).review_below == pytest.approx(0.9)


def test_what_a_person_has_to_see_anyway_and_what_nobody_knows_choose_nothing() -> None:
    sure = [draft(0.8 + number / 1000) for number in range(40)]
    doubted = [draft(0.85, right=False, stands=False) for _ in range(20)]
    unknown = [draft(0.85, right=None) for _ in range(20)]
    chosen = confidence_fitting.thresholds([*sure, *doubted, *unknown], Wish(0.99, 0.95))
    assert chosen.review_below == chosen.decline_below == pytest.approx(0.8)
    effect = confidence_fitting.effect([*sure, *doubted, *unknown], chosen)
    assert effect.outright.value == pytest.approx(60 / 80)
    assert effect.right_of_outright == effect.right_of_outright._replace(value=1.0, n=40)


def test_no_draft_of_an_answerable_question_is_an_error() -> None:
    with pytest.raises(ValueError, match="no answerable question has a draft"):
        confidence_fitting.thresholds([NEVER_DRAFTED, draft(0.9, answerable=False)], Wish(0.95, 0.95))


def test_the_effect_counts_what_has_no_draft_as_declined() -> None:
    seen = [draft(0.9), draft(0.4), NEVER_DRAFTED, draft(0.8, answerable=False), draft(0.3, answerable=False)]
    effect = confidence_fitting.effect(seen, Thresholds(0.5, 0.85))
    assert effect.declined_answerable.value == pytest.approx(2 / 3) and effect.declined_answerable.n == 3
    assert effect.declined_unanswerable.value == pytest.approx(1 / 2)
    assert effect.outright.value == pytest.approx(1 / 5) and effect.right_of_outright.value == 1
    none = confidence_fitting.effect(seen, Thresholds(0.95, 1.0))
    assert none.right_of_outright.value is None and none.right_of_outright.reason
    assert confidence_fitting.effect([draft(1.0)], Thresholds(0.5, 1.0)).outright.value == 1


def test_thresholds_that_fit_noise_are_told_by_the_questions_left_out() -> None:
    # What is right has nothing to do with the confidence, and 90% of it is.
    draw = np.random.default_rng(3)
    seen = [draft(float(value), right=bool(draw.random() < 0.9)) for value in draw.uniform(0.5, 1, 120)]
    own = confidence_fitting.effect(seen, confidence_fitting.thresholds(seen, Wish(0.95, 0.95)))
    left_out = confidence_fitting.effect_left_out(seen, Wish(0.95, 0.95))
    assert own.right_of_outright.value is not None and own.right_of_outright.value >= 0.95
    assert left_out.right_of_outright.value is not None and left_out.right_of_outright.value < 0.95
    assert left_out.declined_answerable.value == pytest.approx(0.05, abs=0.03)


def test_the_error_of_a_ratio_is_that_of_its_draws() -> None:
    seen = [draft(value / 1000, right=value % 4 > 0) for value in range(500, 900)]
    told = confidence_fitting.effect(seen, Thresholds(0.0, 0.0)).right_of_outright
    assert told.value == pytest.approx(0.75) and told.n == 400
    assert told.standard_error == pytest.approx(math.sqrt(0.75 * 0.25 / 400), rel=0.01)


def test_a_sigmoid_finds_the_slope_and_the_intercept_that_the_questions_have() -> None:
    found = confidence_fitting.sigmoid(drawn(20_000, slope=0.6, intercept=-0.8))
    assert found.slope == pytest.approx(0.6, abs=0.03) and found.intercept == pytest.approx(-0.8, abs=0.05)


def test_a_sigmoid_is_that_of_scikit_learns_calibration() -> None:
    from sklearn.calibration import _SigmoidCalibration

    seen = drawn(200, slope=0.7, intercept=0.4)
    odds = np.array([math.log(one.confidence / (1 - one.confidence)) for one in seen])
    peer = _SigmoidCalibration().fit(odds, np.array([one.answerable for one in seen]))
    found = confidence_fitting.sigmoid(seen)
    assert found == pytest.approx((-peer.a_, -peer.b_), abs=1e-3)


def test_a_sigmoid_wants_both_kinds() -> None:
    with pytest.raises(ValueError, match="3 drafts of answerable questions and 0 of others"):
        confidence_fitting.sigmoid([draft(0.5), draft(0.6), draft(0.7), NEVER_DRAFTED])
    assert not confidence_fitting.can_be_fitted([draft(0.5)] * 50 + [draft(0.5, answerable=False)] * 9)
    assert confidence_fitting.can_be_fitted([draft(0.5)] * 50 + [draft(0.5, answerable=False)] * 10)


def test_losses_are_less_where_the_plan_is_off_and_no_less_where_it_is_right() -> None:
    off_before, off_after = confidence_fitting.losses_left_out(drawn(400, slope=0.5, intercept=-1.5))
    assert sum(off_after) < 0.9 * sum(off_before) and len(off_after) == len(off_before) == 400
    before, after = confidence_fitting.losses_left_out(drawn(400))
    assert sum(after) == pytest.approx(sum(before), rel=0.02) and sum(after) > sum(before)


def test_a_certain_draft_costs_a_finite_loss() -> None:
    seen = [*drawn(100), draft(1.0, answerable=False), draft(0.0)]
    before, after = confidence_fitting.losses_left_out(seen)
    assert max(before) == pytest.approx(confidence_fitting.MOST_LOG_ODDS) and all(map(math.isfinite, after))


def test_moved_weights_and_thresholds_part_the_same_drafts() -> None:
    weights, by = Confidence(support=4, relevance=8, known_words=2, intercept=-3), Sigmoid(0.5, -0.25)
    moved = confidence_fitting.moved(weights, by)
    assert moved == Confidence(support=2, relevance=4, known_words=1, intercept=-1.75)
    threshold = confidence_fitting.moved_threshold(0.76, by)
    odds = math.log(0.76 / 0.24)
    assert threshold == pytest.approx(1 / (1 + math.exp(-(0.5 * odds - 0.25))), abs=1e-3)
    assert confidence_fitting.moved_threshold(1.0, by) == 1 and confidence_fitting.moved_threshold(0.0, by) == 0
    assert confidence_fitting.moved_threshold(0.76, Sigmoid(1, 0)) == pytest.approx(0.76, abs=1e-3)


def test_the_curve_tells_what_declining_below_each_level_would_leave() -> None:
    seen = [draft(0.55, right=False), draft(0.65, stands=False), draft(0.7), draft(0.72, answerable=False), draft(0.91)]
    seen += [draft(0.9, right=None), NEVER_DRAFTED]
    told = {point.threshold: (point.n, point.coverage, point.error) for point in confidence_fitting.curve(seen)}
    assert told[0.0] == told[0.5] == (5, 5 / 7, 2 / 5)
    assert told[0.6] == (4, 4 / 7, 1 / 4) and told[0.7] == (3, 3 / 7, 1 / 3)
    assert told[0.75] == told[0.9] == (1, 1 / 7, 0.0), "what nobody knows counts for nothing"
    assert 0.95 not in told, "nothing is left"


def test_the_calibration_error_is_of_all_drafts_against_what_can_be_answered() -> None:
    assert confidence_fitting.calibration_error([draft(0.5), draft(0.5, answerable=False)]) == 0.0
    assert confidence_fitting.calibration_error(
        [draft(0.9, answerable=False), draft(0.9, right=False)]
    ) == pytest.approx(0.4)
    assert confidence_fitting.calibration_error([NEVER_DRAFTED]) is None


def test_an_opened_plan_declines_nothing_for_its_confidence() -> None:
    plan = load_plan("bidfolio")
    opened = confidence_fitting.opened(plan)
    assert (opened.answering.decline_below, opened.answering.review_below) == (0, 0)
    assert opened.answering.confidence == plan.answering.confidence and opened.index_key == plan.index_key
