"""Adapters of question vectors: a learnt matrix that moves a question's vector towards the chunks that answer it.

Only question vectors are changed, so no index changes, and a version with its adapter can be rolled back. Finardi et
al. (Chronicles of RAG) customise their embeddings so.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from configs.retrieval import Retrieval
from tasks.embedding.models.unit_vectors import unit
from tasks.errors import UsageError
from tasks.records import content_id
from tasks.retrieval.ranking.reranking import ADAPTED_SHARE

SCHEMA_VERSION = 1
Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A learnt matrix for question vectors.

    ``matrix`` (n, n) is what a question's vector, a row, is multiplied by. ``model_fingerprint`` is the embedding model
    that it was learnt for. ``judged_by`` is the retrieval that it was judged with, by :func:`judge_of`: with another
    retrieval it may be no better. ``learnt_from`` holds the :func:`question_key` of each question that a person wrote:
    figures measured on these questions say nothing of others.
    """

    matrix: Matrix
    model_fingerprint: str
    judged_by: str
    learnt_from: frozenset[str] = frozenset()

    def turned(self, questions: Matrix) -> Matrix:
        """Multiply the unit vectors ``(m, n)`` by the matrix and make them unit vectors again.

        A zero vector stays zero; no questions give none.
        """
        return unit(questions @ self.matrix)

    def to_bytes(self) -> bytes:
        """The adapter as the bytes of an ``.npz`` archive."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            schema_version=np.array(SCHEMA_VERSION),
            matrix=self.matrix,
            model_fingerprint=np.array(self.model_fingerprint),
            judged_by=np.array(self.judged_by),
            learnt_from=np.array(sorted(self.learnt_from), np.str_),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Adapter:
        """The adapter from the bytes of :meth:`to_bytes`. Raises UsageError for another schema version."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            version = int(arrays["schema_version"])
            if version != SCHEMA_VERSION:
                raise UsageError(
                    f"the adapter has schema version {version}, and this bidfolio reads {SCHEMA_VERSION}: "
                    "run `bidfolio tune --adapter` again"
                )
            learnt_from = frozenset(arrays["learnt_from"].tolist() if "learnt_from" in arrays.files else [])
            return cls(arrays["matrix"], str(arrays["model_fingerprint"]), str(arrays["judged_by"]), learnt_from)


def question_key(question: str) -> str:
    """A content id of a question that an adapter has learnt from; it holds no word of the question."""
    return content_id("learnt from", question)


def judge_of(retrieval: Retrieval) -> str:
    """A content id of the retrieval that an adapter is judged with.

    With another retrieval, or another share of the cosines (``ADAPTED_SHARE``), the adapter may be no better than none.
    """
    return content_id("judge", retrieval.fingerprint(), f"{ADAPTED_SHARE}")


def require_fitting(adapter: Adapter, model_fingerprint: str, dimensions: int, index_version: str) -> None:
    """Check that the adapter fits the vectors. Raises UsageError for another model or another width."""
    if adapter.model_fingerprint == model_fingerprint and adapter.matrix.shape == (dimensions, dimensions):
        return
    rows, columns = adapter.matrix.shape
    raise UsageError(
        f"the adapter of index version {index_version} is {rows} × {columns}, for the model "
        f"{adapter.model_fingerprint}, and its vectors have {dimensions} dimensions, of the model {model_fingerprint}: "
        "go back with `bidfolio index rollback`, or set retrieval.adapter: off in the plan"
    )
