"""Weights of the entailment model, as ``entailment.yaml`` has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

WEIGHTS = Path(__file__).with_name("entailment.yaml")


class Entailing(BaseModel):
    """A logistic regression over named features, and what is made of its probability.

    A sentence below ``drop_below`` is left out of an answer, as is one of whose words no passage has ``least_share``:
    what a document told the model to say has none there, and what is invented few. One below ``keep_above``, or with
    less than ``least_in_order`` of its words in the order of its source, is marked for a person. ``typical`` values
    stand in for features that cannot be computed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    drop_below: Annotated[float, Field(ge=0, le=1)]
    keep_above: Annotated[float, Field(ge=0, le=1)]
    least_share: Annotated[float, Field(ge=0, le=1)]
    least_in_order: Annotated[float, Field(ge=0, le=1)]
    intercept: float
    weights: dict[str, float]
    typical: dict[str, float]


@cache
def shipped_weights() -> Entailing:
    """The weights that bidfolio ships."""
    return Entailing.model_validate(yaml.safe_load(WEIGHTS.read_text(encoding="utf-8")))
