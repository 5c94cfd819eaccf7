"""Weights of the entailment model, from ``entailment.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field

WEIGHTS = Path(__file__).with_name("entailment.yaml")


class Entailing(BaseModel):
    """A logistic regression over named features, with the thresholds on its probability.

    A sentence below ``drop_below`` is left out of an answer, as is one with less than ``least_share`` of its words in
    any passage: text that a document told the model to say has none there, and invented text few. A sentence below
    ``keep_above``, or with less than ``least_in_order`` of its words in the order of its source, is marked for a
    person. ``typical`` values replace features that cannot be computed.
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
