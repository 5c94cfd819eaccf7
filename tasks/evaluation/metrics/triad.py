"""Embedding triad: similarity of question, context and answer by cosines, which needs no known answers.

König 2025 has a language model judge the three sides of his RAG triad. Here they are cosines of the plan's own model,
so that no server is needed; of several contexts the nearest counts, as his maximum does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]


class Triad(NamedTuple):
    """The three similarities of the triad, each in [0, 1].

    ``context_relevance`` of contexts to the question, ``groundedness`` of the answer in contexts, ``answer_relevance``
    of the answer to the question. The last two are None without an answer, which differs from an answer that is far
    from everything.
    """

    context_relevance: float
    groundedness: float | None
    answer_relevance: float | None

    @property
    def mean(self) -> float | None:
        """The mean of the three similarities; None if any is None."""
        if self.groundedness is None or self.answer_relevance is None:
            return None
        return (self.context_relevance + self.groundedness + self.answer_relevance) / 3


def embedding_triad(question: Vector, contexts: Matrix, answer: Vector | None) -> Triad:
    """The triad of unit vectors: of a question (n,), its contexts (m, n), and its answer (n,).

    Without contexts their sides are 0. A negative cosine counts as 0.
    """
    has_context = len(contexts) > 0
    return Triad(
        _share((contexts @ question).max()) if has_context else 0.0,
        None if answer is None else _share((contexts @ answer).max()) if has_context else 0.0,
        None if answer is None else _share(answer @ question),
    )


def _share(cosine: Any) -> float:
    return min(1.0, max(0.0, float(cosine)))
