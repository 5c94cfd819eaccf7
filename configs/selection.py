"""Weights of the model that selects the sentences of a draft, from ``selection.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

WEIGHTS = Path(__file__).with_name("selection.yaml")


class Selecting(BaseModel):
    """Weights of the sentence selection: ``weights`` of named features rank the passages.

    ``intercept``, ``share`` and ``reading`` give the probability that the first passage answers, from its share among
    them and its cross-encoder score.
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
