"""Figures of proposed verdicts: how many are right, and how many could be given from which probability on.

A verdict that the customer is given was proposed, too. For an unanswerable question, every verdict is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from tasks.evaluation.metrics.calibration import Judged, Point, coverage_curve, expected_calibration_error, widest
from tasks.records import Verdict
from tasks.statistics.estimates import Figure, bootstrapped, mean

RIGHT_PERCENT = 95
NO_YES_NO = "the gold set has no yes/no question whose answer is known"
NO_PROPOSAL = "no verdict was proposed"


class Proposed(NamedTuple):
    """A yes/no question with its true verdict and the verdict that was ``proposed``.

    ``truth`` is None if nothing answers the question; ``proposed`` and ``probability`` are None if the evidence settles
    nothing; ``given`` is the verdict that the customer gets.
    """

    truth: Verdict | None
    proposed: Verdict | None
    probability: float | None
    given: Verdict | None
    cluster: Hashable


def proposal_figures(asked: Sequence[Proposed]) -> dict[str, Figure]:
    """Compute the figures of proposed verdicts by name, each in [0, 1], with an error clustered by ``cluster``.

    - ``verdict_given_precision``: right, over those that were given.
    - ``verdict_wrongly_given``: given and wrong, over all questions.
    - ``verdict_proposal_precision``: right, over those that were proposed to a person and not given.
    - ``verdict_right_or_proposed``: the true verdict given or proposed, over the questions that have one.
    - ``verdict_unanswerable_open``: without any verdict, over the questions that nothing answers;
      ``verdict_unanswerable_not_given``: without one for the customer, over the same.
    - ``verdict_calibration_error``: how far the probability is from the share right, over ten bins of equal width.
    - ``verdict_coverage_where_95_right``: the largest share of all questions that a threshold of the probability gives
      a verdict, 95% of them right; ``verdict_threshold_where_95_right`` is that threshold. It is chosen on these very
      questions, so that of others fewer may be right.
    """
    known = [one for one in asked if one.truth is not None]
    silent = [one for one in asked if one.truth is None]
    given = [one for one in asked if one.given is not None]
    left = [one for one in asked if one.proposed is not None and one.given is None]
    no_silent = "the gold set has no yes/no question that nothing answers"
    return {
        "verdict_given_precision": _share(given, lambda one: one.given == one.truth, "no verdict was given"),
        "verdict_wrongly_given": _share(asked, lambda one: one.given not in (None, one.truth), NO_YES_NO),
        "verdict_proposal_precision": _share(left, _is_right, "no verdict was left to a person"),
        "verdict_right_or_proposed": _share(known, _is_right, NO_YES_NO),
        "verdict_unanswerable_open": _share(silent, lambda one: one.proposed is None, no_silent),
        "verdict_unanswerable_not_given": _share(silent, lambda one: one.given is None, no_silent),
        **_threshold_figures(asked),
    }


def verdict_curve(asked: Sequence[Proposed]) -> list[Point]:
    """The coverage curve of proposed verdicts by their probability; no proposals give no points."""
    return coverage_curve(_judged(asked), len(asked))


def _share(some: Sequence[Proposed], holds: Callable[[Proposed], bool], reason: str) -> Figure:
    return mean([float(holds(one)) for one in some], [one.cluster for one in some], reason=reason)


def _is_right(one: Proposed) -> bool:
    return one.proposed is not None and one.proposed == one.truth


def _judged(asked: Sequence[Proposed]) -> list[Judged]:
    return [Judged(one.probability, _is_right(one)) for one in asked if one.probability is not None]


def _threshold_figures(asked: Sequence[Proposed]) -> dict[str, Figure]:
    proposed = len(_judged(asked))
    undefined = f"no threshold leaves {RIGHT_PERCENT}% right" if proposed else NO_PROPOSAL if asked else NO_YES_NO
    found = bootstrapped(asked, [one.cluster for one in asked], _threshold_values)
    found["verdict_calibration_error"] = found["verdict_calibration_error"]._replace(n=proposed)
    return {name: one._replace(reason=undefined if one.value is None else None) for name, one in found.items()}


def _threshold_values(asked: Sequence[Proposed]) -> dict[str, float | None]:
    best = widest(verdict_curve(asked), 1 - RIGHT_PERCENT / 100)
    return {
        "verdict_calibration_error": expected_calibration_error(_judged(asked), "width"),
        f"verdict_coverage_where_{RIGHT_PERCENT}_right": best.coverage if best else None,
        f"verdict_threshold_where_{RIGHT_PERCENT}_right": best.threshold if best else None,
    }
