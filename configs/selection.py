"""Weights of the model that selects the sentences of a draft, as ``selection.yaml`` has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("selection.yaml")


class Selecting(BaseModel):
    """The ``weights`` of named features by which passages are ranked, and of the first one's ``share`` among them and
    its ``reading`` by which the probability is told that it answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[str, float]
    intercept: float
    share: float
    reading: float


@cache
def shipped_selection() -> Selecting:
    """The weights that bidfolio ships."""
    return Selecting.model_validate(yaml.safe_load(WEIGHTS.read_text(encoding="utf-8")))
