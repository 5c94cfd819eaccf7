"""How far a corpus has drifted from the texts that its lexical space was fitted on."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from configs.plans import Lexical
from tasks.embedding import lexical
from tasks.records import content_id


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a space is fitted on: the ids of its distinct ``texts`` (m,), sorted, and the ``recipe`` of the fit."""

    recipe: str
    texts: NDArray[np.uint64]

    def drift_to(self, now: Fitted) -> float:
        """1 − the texts in both / the texts in either: 0 where they are the same, none at all with them."""
        both = len(np.intersect1d(self.texts, now.texts, assume_unique=True))
        either = len(self.texts) + len(now.texts) - both
        return 1 - both / either if either else 0.0

    def to_bytes(self) -> bytes:
        """As an ``.npz``, free of pickle."""
        buffer = io.BytesIO()
        np.savez(buffer, recipe=np.array(self.recipe), texts=self.texts)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Fitted:
        """What :meth:`to_bytes` gave."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            return cls(str(arrays["recipe"]), arrays["texts"])


def fitted_on(text_ids: Iterable[str], plan: Lexical, dense_dimensions: int) -> Fitted:
    """What a space fitted on those texts by that plan is fitted on; any order, and any repeats, give the same."""
    components = plan.components or dense_dimensions
    versions = (lexical.LOGIC_VERSION, lexical.STATE_VERSION)
    recipe = content_id("space", plan.fingerprint(), components, *versions)
    return Fitted(recipe, np.array(sorted({int(one, 16) for one in text_ids}), dtype=np.uint64))
