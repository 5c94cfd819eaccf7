"""The fitted weights of the model that proposes verdicts: plain numbers in ``configs/verdicts/*.json``.

``tests/bench/fit_verdicts.py`` fits them; nothing is loaded but numbers.
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
    """A linear function of named features: by how much the log-odds rise where a feature rises by 1."""

    intercept: float
    weights: dict[str, float]


class Replies(Slice):
    """The weight of a language model's own verdict: the model knows it with the probability ``known``, and else guesses
    each verdict, or ``not_settled``, as often as ``guess`` says.
    """

    known: Annotated[float, Field(ge=0, lt=1)] = 0.0
    guess: dict[str, Annotated[float, Field(gt=0, le=1)]] = dict.fromkeys(("yes", "no", "partial", "not_settled"), 0.25)


class VerdictWeights(Slice):
    """The weights of the three steps: whether a passage ``settles`` a question, which verdict it then ``says``, and how
    probable it is, by what the best passage and the others say, that the verdict is ``right``. ``replies`` is what a
    language model's verdict counts beside them.
    """

    settles: Linear
    says: dict[str, Linear]
    right: Linear
    replies: Replies = Replies()


@lru_cache(maxsize=8)
def load_verdict_weights(name: str) -> VerdictWeights:
    """The weights in ``configs/verdicts/NAME.json``. Raises UsageError where there are none, or they are damaged."""
    path = VERDICTS_DIR / f"{name}.json"
    try:
        return VerdictWeights.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        known = ", ".join(sorted(one.stem for one in VERDICTS_DIR.glob("*.json")))
        raise UsageError(f"there are no verdict weights {name!r}; there are: {known or 'none'}") from error
    except ValidationError as error:
        raise UsageError(f"{path.name}: {wrong_keys(error, 'the file')}") from error
