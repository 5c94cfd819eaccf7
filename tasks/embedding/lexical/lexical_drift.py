"""Corpus drift: the distance of a corpus from the texts that its lexical space was fitted on."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from configs.plans import Lexical
from tasks.embedding.lexical import lexical_space
from tasks.records import content_id


@dataclass(frozen=True, slots=True)
class Fitted:
    """The texts that a lexical space was fitted on: ``texts`` (m,) are distinct ids, sorted;
    ``recipe`` names the fit.
    """

    recipe: str
    texts: NDArray[np.uint64]

    def drift_to(self, now: Fitted) -> float:
        """The Jaccard distance of the texts (1 − shared / all): 0 where they are the same, or where there are none."""
        both = len(np.intersect1d(self.texts, now.texts, assume_unique=True))
        either = len(self.texts) + len(now.texts) - both
        return 1 - both / either if either else 0.0

    def without_lost(self, now: Fitted) -> Fitted:
        """The record for a space from which the words of lost texts were taken: those that are not in ``now``.

        A lost text leaves the complement of its id. So it counts as drift, even if it comes back.
        """
        texts = np.where(np.isin(self.texts, now.texts), self.texts, ~self.texts)
        return Fitted(self.recipe, np.unique(texts))

    def to_bytes(self) -> bytes:
        """The record as the bytes of an ``.npz`` archive, without pickle."""
        buffer = io.BytesIO()
        np.savez(buffer, recipe=np.array(self.recipe), texts=self.texts)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Fitted:
        """The record from the bytes of :meth:`to_bytes`."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            return cls(str(arrays["recipe"]), arrays["texts"])


def fitted_on(text_ids: Iterable[str], plan: Lexical, dense_dimensions: int) -> Fitted:
    """The record for a space that is fitted on those texts by that plan;
    order and repeats of the texts do not matter.
    """
    components = plan.components or dense_dimensions
    versions = (lexical_space.LOGIC_VERSION, lexical_space.STATE_VERSION)
    recipe = content_id("space", plan.fingerprint(), components, *versions)
    return Fitted(recipe, np.array(sorted({int(one, 16) for one in text_ids}), dtype=np.uint64))
