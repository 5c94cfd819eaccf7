"""Confidence thresholds: choose when to decline and when to ask for a review, and test the choice on other questions.

Each question of the gold set is asked once with both thresholds at 0; what any thresholds would do follows from its
confidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from configs.plans import Confidence, Plan
from tasks.evaluation.metrics.calibration import Judged, Point, coverage_curve, expected_calibration_error, widest
from tasks.statistics.estimates import Figure, clustered, mean

FOLDS, SEEDS = 10, 5
LEAST_OF_A_KIND = 10
"""Least number of drafts for answerable and for unanswerable questions: with fewer, a tenth of them may be none."""
MOST_LOG_ODDS = 30.0
LEVELS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
"""Confidence levels at which the curve shows what declining everything below would leave."""
_PLACES = 1000
"""Thresholds have three decimals: nobody could justify finer ones."""
_ROUNDING = 1e-9

Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """Outcome of a question with both thresholds at 0.

    ``may_stand``: only its confidence could send it to review. ``is_right``: it cites a page that answers and gives no
    wrong yes or no; None if unknown.
    """

    confidence: float
    answerable: bool
    is_drafted: bool
    may_stand: bool
    is_right: bool | None
    cluster: str


class Thresholds(NamedTuple):
    """Confidence thresholds: decline below ``decline_below``, ask for a review below ``review_below``.

    If ``review_below`` is 1, every draft is reviewed.
    """

    decline_below: float
    review_below: float


class Sigmoid(NamedTuple):
    """Platt scaling from log-odds x to a probability: 1 / (1 + exp(-(slope x + intercept)))."""

    slope: float
    intercept: float


class Effect(NamedTuple):
    """Effect of thresholds on a set of questions, as shares.

    The shares of answerable and of unanswerable questions that are declined, of all that are drafted and answered
    outright, and of those with a known result that are right.
    """

    declined_answerable: Figure
    declined_unanswerable: Figure
    drafted: Figure
    right_of_drafted: Figure
    outright: Figure
    right_of_outright: Figure


def opened(plan: Plan) -> Plan:
    """Copy the plan with both thresholds at 0."""
    answering = plan.answering.model_copy(update={"decline_below": 0.0, "review_below": 0.0})
    return plan.model_copy(update={"answering": answering})


class Wish(NamedTuple):
    """Targets that thresholds must meet.

    ``keep``: the share of the answerable questions' drafts to give. ``right``: the share of outright answers that must
    be right. ``drafts_right``, if given, replaces ``keep``: the share of all given drafts that must be right.
    """

    keep: float
    right: float
    drafts_right: float | None = None


def thresholds(seen: Sequence[Seen], wish: Wish) -> Thresholds:
    """Choose the thresholds that meet the wish.

    ``decline_below`` is the highest threshold that still gives enough drafts, or the lowest above which enough drafts
    are right. ``review_below`` is the lowest threshold above it where enough outright answers are right; 1 if there is
    none. Sets with so few answers that a single wrong one exceeds the allowed share are skipped: above nearly any high
    threshold, a few are right by chance.

    Raises ValueError if no answerable question has a draft.
    """
    drafts = [_down(one.confidence) for one in seen if one.answerable and one.is_drafted]
    if not drafts:
        raise ValueError("no answerable question has a draft")
    if wish.drafts_right is not None:
        decline = _lowest([one for one in seen if one.is_drafted], len(seen), wish.drafts_right)
    else:
        decline = float(np.quantile(drafts, 1 - wish.keep, method="lower"))
    standing = [one for one in seen if one.may_stand and _down(one.confidence) >= decline]
    return Thresholds(decline, _lowest(standing, len(seen), wish.right))


def _lowest(seen: Sequence[Seen], total: int, right: float) -> float:
    """The lowest threshold above which a share ``right`` of the answers with a known result is right; 1 if none."""
    known = [Judged(_down(one.confidence), one.is_right) for one in seen if one.is_right is not None]
    least = 1 / (1 - right) - _ROUNDING
    point = widest([point for point in coverage_curve(known, total) if point.n >= least], 1 - right + _ROUNDING)
    return point.threshold if point else 1.0


def effect(seen: Sequence[Seen], of: Thresholds) -> Effect:
    """The effect of thresholds on the questions."""
    declined, outright = (np.array([holds(one, of) for one in seen], np.float64) for holds in (_is_declined, _stands))
    return _effect(seen, declined, outright)


def effect_left_out(seen: Sequence[Seen], wish: Wish) -> Effect:
    """The effect of :func:`thresholds` on questions that did not choose them, by cross-validation.

    A tenth is left out at a time, for SEEDS partitions. Raises ValueError as :func:`thresholds`.
    """
    declined, outright = np.zeros(len(seen)), np.zeros(len(seen))
    for others, left_out in _folds(seen):
        own = thresholds(others, wish)
        for number in left_out:
            declined[number] += _is_declined(seen[number], own) / SEEDS
            outright[number] += _stands(seen[number], own) / SEEDS
    return _effect(seen, declined, outright)


def curve(seen: Sequence[Seen]) -> list[Point]:
    """The coverage of the questions, and the share of wrong drafts, if all drafts below each of LEVELS are declined.

    Drafts whose result is unknown do not count. A level that leaves no draft has no point.
    """
    known = [Judged(one.confidence, one.is_right) for one in seen if one.is_drafted and one.is_right is not None]
    points = coverage_curve(known, len(seen))
    left = [(level, [point for point in points if point.threshold >= level]) for level in LEVELS]
    return [above[-1]._replace(threshold=level) for level, above in left if above]


def calibration_error(seen: Sequence[Seen]) -> float | None:
    """The expected calibration error of the drafts' confidence, against whether their question is answerable.

    None without drafts.
    """
    return expected_calibration_error([Judged(one.confidence, one.answerable) for one in seen if one.is_drafted])


def sigmoid(seen: Sequence[Seen]) -> Sigmoid:
    """Fit Platt's (1999) slope and intercept of the drafts' log-odds to whether their questions are answerable.

    With his targets, a little short of 1 and of 0. Raises ValueError if all drafts are of one kind.
    """
    from sklearn.linear_model import LogisticRegression

    drafts = [one for one in seen if one.is_drafted]
    odds, is_up = np.array([_odds(one.confidence) for one in drafts]), np.array([one.answerable for one in drafts])
    up, down = int(is_up.sum()), int((~is_up).sum())
    if not (up and down):
        raise ValueError(f"{up} drafts of answerable questions and {down} of others: both are needed")
    target = np.where(is_up, (up + 1) / (up + 2), 1 / (down + 2))
    model = LogisticRegression(C=np.inf).fit(
        np.concatenate([odds, odds])[:, None],
        np.repeat([1, 0], len(odds)),
        sample_weight=np.concatenate([target, 1 - target]),
    )
    return Sigmoid(float(model.coef_[0, 0]), float(model.intercept_[0]))


def losses_left_out(seen: Sequence[Seen]) -> tuple[list[float], list[float]]:
    """The log loss of each draft's probability in nats, under the plan and under a sigmoid fitted without the question.

    The latter is the mean over SEEDS partitions.
    """
    drafts = [one for one in seen if one.is_drafted]
    after = np.zeros(len(drafts))
    for others, left_out in _folds(drafts):
        own = sigmoid(others)
        for number in left_out:
            after[number] += _loss(drafts[number], own) / SEEDS
    return [_loss(one, Sigmoid(1, 0)) for one in drafts], after.tolist()


def can_be_fitted(seen: Sequence[Seen]) -> bool:
    """Tell if there are LEAST_OF_A_KIND drafts both for answerable questions and for others."""
    drafts = [one.answerable for one in seen if one.is_drafted]
    return min(sum(drafts), len(drafts) - sum(drafts)) >= LEAST_OF_A_KIND


def moved(weights: Confidence, by: Sigmoid) -> Confidence:
    """Apply the sigmoid to the confidence weights, so that they give its log-odds instead of their own."""
    return Confidence(
        support=round(weights.support * by.slope, 3),
        relevance=round(weights.relevance * by.slope, 3),
        known_words=round(weights.known_words * by.slope, 3),
        intercept=round(weights.intercept * by.slope + by.intercept, 3),
    )


def moved_threshold(threshold: float, by: Sigmoid) -> float:
    """Convert a threshold so that it separates the same drafts after :func:`moved`, up to rounding; 0 and 1 stay."""
    if threshold in (0, 1):
        return threshold
    return round(1 / (1 + math.exp(-_moved_odds(threshold, by))), 3)


def _effect(seen: Sequence[Seen], declined: Floats, outright: Floats) -> Effect:
    def share(values: Floats, which: Sequence[bool]) -> Figure:
        picked = [at for at, is_one in enumerate(which) if is_one]
        return mean([float(values[at]) for at in picked], [seen[at].cluster for at in picked])

    return Effect(
        share(declined, [one.answerable for one in seen]),
        share(declined, [not one.answerable for one in seen]),
        share(1 - declined, [True] * len(seen)),
        _right_of(seen, 1 - declined, "drafted"),
        share(outright, [True] * len(seen)),
        _right_of(seen, outright, "answered outright"),
    )


def _right_of(seen: Sequence[Seen], given: Floats, what: str) -> Figure:
    """The share of right answers among those ``given``: a ratio of two sums, with its error from influences."""
    known = [at for at, one in enumerate(seen) if one.is_right is not None and given[at] > 0]
    if not known:
        return Figure(None, 0, reason=f"nothing of which it is known is {what}")
    weights, is_right = given[known], np.array([seen[at].is_right for at in known], np.float64)
    share = float(weights @ is_right / weights.sum())
    influences = weights * (is_right - share) / weights.sum()
    return clustered(share, influences, [seen[at].cluster for at in known])


def _is_declined(one: Seen, of: Thresholds) -> bool:
    return not one.is_drafted or one.confidence < of.decline_below


def _stands(one: Seen, of: Thresholds) -> bool:
    return one.may_stand and one.confidence >= max(of)


def _folds(seen: Sequence[Seen]) -> Iterator[tuple[list[Seen], list[int]]]:
    """The others and the numbers of the questions left out, for each fold of SEEDS partitions.

    They are stratified by answerable and drafted.
    """
    for seed in range(SEEDS):
        draw, folds, begin = np.random.default_rng(seed), np.zeros(len(seen), np.int64), 0
        for kind in ((a, b) for a in (True, False) for b in (True, False)):
            own = draw.permutation([at for at, one in enumerate(seen) if (one.answerable, one.is_drafted) == kind])
            folds[own.astype(np.int64)] = (begin + np.arange(len(own))) % FOLDS
            begin += len(own)
        for fold in range(FOLDS):
            others = [one for one, at in zip(seen, folds, strict=True) if at != fold]
            yield others, np.flatnonzero(folds == fold).tolist()


def _odds(confidence: float) -> float:
    if not 0 < confidence < 1:
        return math.copysign(MOST_LOG_ODDS, confidence - 0.5)
    return min(MOST_LOG_ODDS, max(-MOST_LOG_ODDS, math.log(confidence / (1 - confidence))))


def _moved_odds(confidence: float, by: Sigmoid) -> float:
    return min(MOST_LOG_ODDS, max(-MOST_LOG_ODDS, by.slope * _odds(confidence) + by.intercept))


def _loss(one: Seen, by: Sigmoid) -> float:
    odds = _moved_odds(one.confidence, by)
    return float(np.logaddexp(0, -odds if one.answerable else odds))


def _down(threshold: float) -> float:
    return math.floor(threshold * _PLACES) / _PLACES
