"""The fitted model that proposes a verdict from the passages found for a yes/no question.

It has three logistic regressions over named features: does a passage settle the question; which verdict does it then
say; and is the best right, given the other passages. The last is calibrated on other companies' questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from configs.weights import Linear, VerdictWeights
from tasks.answering.drafts.draft import VERDICTS, Proposal
from tasks.answering.verdicts.features import FEATURES, Reading, features_of, logistic, qualifications

SETTLED_FROM = 0.5
"""The least probability that a passage settles its question from which it is taken to."""


class Proposed(NamedTuple):
    """A proposed verdict, and the index ``at`` of the reading that it rests on.

    ``beside`` is the index of the reading that bears it out: a past answer beside a document, or a document beside a
    past answer; None without one.
    """

    proposal: Proposal
    at: int
    beside: int | None = None


def propose(readings: Sequence[Reading], weights: VerdictWeights) -> Proposed | None:
    """The verdict that the ``readings`` of one question make most likely; None without a reading."""
    if not readings:
        return None
    features = np.array([features_of(one) for one in readings])
    joint = joint_probabilities(features, weights)
    is_past = np.array([one.is_past_answer for one in readings])
    of_documents = np.where(is_past[:, None], 0.0, joint)
    # A document is current, and was not written for another customer.
    is_settled = bool((of_documents.sum(axis=1) >= SETTLED_FROM).any())
    best = _place(of_documents if is_settled else joint)
    agreed, right = agreement(joint, features, best), weights.right
    probability = logistic(right.intercept + sum(weight * agreed[name] for name, weight in right.weights.items()))
    at, said = best
    chances, settled = _chances(joint, said, probability), float(joint[at].sum())
    proposal = Proposal(VERDICTS[said], probability, chances, settled)
    return Proposed(proposal, at, _borne_out_by(joint, is_past, best))


def _borne_out_by(joint: NDArray[np.float64], is_past: NDArray[np.bool_], best: tuple[int, int]) -> int | None:
    """The reading of the other kind, past answer or document, that settles most surely what the ``best`` says."""
    at, said = best
    agrees = (is_past != is_past[at]) & (joint.argmax(axis=1) == said) & (joint.sum(axis=1) >= SETTLED_FROM)
    return int(np.where(agrees, joint[:, said], 0.0).argmax()) if agrees.any() else None


def _place(joint: NDArray[np.float64]) -> tuple[int, int]:
    """The reading and the verdict of the greatest of the probabilities (n, 3)."""
    at, said = np.unravel_index(int(joint.argmax()), joint.shape)
    return int(at), int(said)


def _chances(joint: NDArray[np.float64], said: int, probability: float) -> tuple[float, ...]:
    """The probabilities of VERDICTS and of none, (4,): what the proposed verdict leaves is shared among the others as
    the readings say.
    """
    rest = np.append(joint.max(axis=0), 1 - joint.sum(axis=1).max())
    rest[said] = 0.0
    chances = (1 - probability) * rest / rest.sum()
    chances[said] = probability
    return tuple(chances.tolist())


def joint_probabilities(features: NDArray[np.float64], weights: VerdictWeights) -> NDArray[np.float64]:
    """The probability that each reading, by its ``features``, settles the question and says each verdict, (n, 3)."""
    settles = 1 / (1 + np.exp(-_rows(weights.settles, features)))
    says = np.stack([_rows(weights.says[verdict], features) for verdict in VERDICTS], axis=1)
    says = np.exp(says - says.max(axis=1, keepdims=True, initial=0.0))
    return cast("NDArray[np.float64]", settles[:, None] * says / says.sum(axis=1, keepdims=True))


def agreement(
    joint: NDArray[np.float64], features: NDArray[np.float64], proposed: tuple[int, int] | None = None
) -> dict[str, float]:
    """The features of the last step, from the ``joint`` probabilities (n, 3) and ``features`` of n > 0 readings.

    ``proposed`` are the reading and the verdict that are proposed; None takes those of the greatest probability.
    """
    at, said = proposed or _place(joint)
    others = np.delete(joint.max(axis=0), said)
    support = np.delete(joint[:, said], at)
    by_any = 1 - np.prod(1 - joint, axis=0)  # the probability that some passage says each verdict
    qualified = qualifications(dict(zip(FEATURES, features[at].tolist(), strict=True)))
    best = min(1 - 1e-6, max(1e-6, float(joint[at, said])))
    return {
        "best": float(np.log(best / (1 - best))),
        "settles": float(joint[at].sum()),
        "relevance": float(features[at, list(FEATURES).index("relevance")]),
        "against": float(others.max()),
        "others_for": float(support.max(initial=0.0)),
        "agreed": float(by_any[said] / by_any.sum()),
        "says_yes": float(VERDICTS[int(said)] == "yes"),
        "says_partial": float(VERDICTS[int(said)] == "partial"),
        "is_plain": float(not qualified),
        "qualified": min(3.0, qualified) / 3,
    }


def _rows(of: Linear, features: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.array([of.weights.get(name, 0.0) for name in FEATURES])
    return np.asarray(np.clip(features @ weights + of.intercept, -30, 30), np.float64)
