"""Fitted weights of the shipped models, as plain numbers in files beside this module.

``tests/bench`` fits them: ``entailment_fit.py``, ``fit_selection.py``, ``fit_follow_ups.py`` and ``fit_verdicts.py``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, ValidationError

from configs.slices import Slice
from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError

ENTAILMENT, SELECTION, FOLLOW_UPS = (
    Path(__file__).with_name(f"{name}.yaml") for name in ("entailment", "selection", "follow_ups")
)
VERDICTS_DIR = Path(__file__).parent / "verdicts"
Share = Annotated[float, Field(ge=0, le=1)]


class Entailing(Slice):
    """A logistic regression over named features, with the thresholds on its probability.

    A sentence below ``drop_below`` is left out of an answer, as is one with less than ``least_share`` of its words in
    any passage: text that a document told the model to say has none there, and invented text few. A sentence below
    ``keep_above``, or with less than ``least_in_order`` of its words in the order of its source, is marked for a
    person. ``typical`` values replace features that cannot be computed.
    """

    drop_below: Share
    keep_above: Share
    least_share: Share
    least_in_order: Share
    intercept: float
    weights: dict[str, float]
    typical: dict[str, float]


class Selecting(Slice):
    """Weights of the sentence selection: ``weights`` of named features rank the passages.

    ``intercept``, ``share`` and ``reading`` give the probability that the first passage answers, from its share among
    them and its cross-encoder score.
    """

    weights: dict[str, float]
    intercept: float
    share: float
    reading: float


class FollowUpWeights(Slice):
    """Four linear functions of named features, each with a ``bias``, for follow-up questions in a conversation.

    ``wording`` gives, by the words of a question alone, the log-odds of each kind of follow-up against a self-contained
    question. ``place`` ranks the spans of the previous question that an elliptical follow-up may replace. ``topic``
    gives the log-odds that a word of the previous question belongs to the referent of a pronoun. ``leans`` gives the
    log-odds that a question depends on the previous one, by its wording and by its hits; it is asked together with the
    previous question where these exceed ``asked_joined_from``.
    """

    wording: dict[str, dict[str, float]]
    place: dict[str, float]
    topic: dict[str, float]
    leans: dict[str, float]
    asked_joined_from: float


class Linear(Slice):
    """A linear function of named features: a weight is the rise of the log-odds where its feature rises by 1."""

    intercept: float
    weights: dict[str, float]


class Replies(Slice):
    """The weight of a language model's own verdict.

    The model knows it with the probability ``known``, and else guesses each verdict, or ``not_settled``, with the
    probability in ``guess``.
    """

    known: Annotated[float, Field(ge=0, lt=1)] = 0.0
    guess: dict[str, Annotated[float, Field(gt=0, le=1)]] = dict.fromkeys(("yes", "no", "partial", "not_settled"), 0.25)


class VerdictWeights(Slice):
    """The weights of the three steps of a verdict.

    ``settles``: does a passage settle the question. ``says``: which verdict it then gives. ``right``: the probability
    that the verdict is right, from the best passage and the others. ``replies`` is the weight of a language model's
    verdict beside them.
    """

    settles: Linear
    says: dict[str, Linear]
    right: Linear
    replies: Replies = Replies()


@cache
def entailment_weights() -> Entailing:
    """The shipped weights of the entailment model."""
    return Entailing.model_validate(yaml.safe_load(ENTAILMENT.read_text(encoding="utf-8")))


@cache
def selection_weights() -> Selecting:
    """The shipped weights of the model that selects the sentences of a draft."""
    return Selecting.model_validate(yaml.safe_load(SELECTION.read_text(encoding="utf-8")))


@cache
def follow_up_weights() -> FollowUpWeights:
    """The shipped weights of the model for follow-up questions."""
    return FollowUpWeights.model_validate(yaml.safe_load(FOLLOW_UPS.read_text(encoding="utf-8")))


@lru_cache(maxsize=8)
def load_verdict_weights(name: str) -> VerdictWeights:
    """The weights in ``configs/verdicts/NAME.json``. Raises UsageError where they are missing or damaged."""
    path = VERDICTS_DIR / f"{name}.json"
    try:
        return VerdictWeights.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        known = ", ".join(sorted(one.stem for one in VERDICTS_DIR.glob("*.json")))
        raise UsageError(f"there are no verdict weights {name!r}; there are: {known or 'none'}") from error
    except ValidationError as error:
        raise UsageError(f"{path.name}: {wrong_keys(error, 'the file')}") from error
