"""The fitted weights of the model that proposes verdicts: plain numbers in ``configs/verdicts/*.json``.

``tests/bench/fit_verdicts.py`` fits them; the files hold only numbers.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from configs.slices import Slice
from configs.wrong_keys import wrong_keys
from tasks.errors import UsageError

VERDICTS_DIR = Path(__file__).parent / "verdicts"


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
