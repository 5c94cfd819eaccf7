"""The embedding triad: how near question, context and answer are to each other, by cosines, without known answers.

König 2025 has a language model judge the three sides of his RAG triad. Here they are cosines of the plan's own model,
so that no server is needed; where several contexts are handed over, the nearest counts, as his maximum does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]


class Triad(NamedTuple):
    """Each in [0, 1]: ``context_relevance`` of contexts to the question, ``groundedness`` of the answer in contexts,
    ``answer_relevance`` of the answer to the question; None without an answer, which is not one that is far from all.
    """

    context_relevance: float
    groundedness: float | None
    answer_relevance: float | None

    @property
    def mean(self) -> float | None:
        """The mean of the three, their sum on the scale of one; None where one is."""
        if self.groundedness is None or self.answer_relevance is None:
            return None
        return (self.context_relevance + self.groundedness + self.answer_relevance) / 3


def embedding_triad(question: Vector, contexts: Matrix, answer: Vector | None) -> Triad:
    """The triad of unit vectors: of a question (n,), of what was handed over for it (m, n), and of the answer (n,).

    Where there are no contexts their sides are 0. A cosine below 0 counts as 0.
    """
    has_context = len(contexts) > 0
    return Triad(
        _share((contexts @ question).max()) if has_context else 0.0,
        None if answer is None else _share((contexts @ answer).max()) if has_context else 0.0,
        None if answer is None else _share(answer @ question),
    )


def _share(cosine: Any) -> float:
    return min(1.0, max(0.0, float(cosine)))
