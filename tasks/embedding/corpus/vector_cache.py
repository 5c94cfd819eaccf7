"""Vectors of recurring texts: each text is embedded once, in this run or in an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.model_files import model_fingerprint, prompt
from tasks.embedding.models.shards import Encoder, text_id
from tasks.storage.stage_cache import KnownOutputs

Matrix = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Matrix]
EncodeQuestions = Callable[[Sequence[str]], tuple[Matrix, list[Matrix]]]
Given = TypeVar("Given", covariant=True)
_SHAPE = np.dtype("<u4")


class EncodeBy(Protocol[Given]):
    """Function that gives the vectors of texts by an encoder, as those of ``tasks.embedding.models.dense``."""

    def __call__(self, texts: Sequence[str], encoder: Encoder) -> Given:
        """The vectors."""
        ...


class VectorCache(Protocol):
    """Cache that keeps vectors from run to run, by the name of a space."""

    def dense(self, fingerprint: str, wanted: frozenset[str]) -> dict[str, Matrix]:
        """The cached vectors for those text ids."""
        ...


def passage_encoder(encoder: Encoder, encode: EncodeBy[Matrix], outputs: KnownOutputs) -> Encode:
    """Function that gives the vectors ``(len(texts), n)`` of passages by ``encode``; no texts give (0, 0)."""
    space = f"{model_fingerprint(encoder.plan)}-{encoder.backend}-passages"
    return partial(recalled_passages, outputs, space, partial(encode, encoder=encoder))


def recalled_passages(outputs: KnownOutputs, space: str, encode: Encode, texts: Sequence[str]) -> Matrix:
    """The vectors of passages as ``encode`` gives them, of which the cache keeps each."""
    found = outputs.recalled(space, texts, lambda new: [row.tobytes() for row in encode(new)])
    return np.stack([np.frombuffer(raw, np.float32) for raw in found]) if found else np.zeros((0, 0), np.float32)


class RecalledQuestions:
    """Function object that gives the vectors of questions and of their tokens."""

    def __init__(self, outputs: KnownOutputs, space: str, encode: EncodeQuestions) -> None:
        """Take those that the cache does not know in that ``space`` from ``encode``."""
        self._outputs, self._space, self._encode = outputs, space, encode

    def __call__(self, texts: Sequence[str]) -> tuple[Matrix, list[Matrix]]:
        """The vectors ``(len(texts), n)``, and the token vectors of each text;
        no token vectors where the plan keeps none.
        """
        if not texts:
            return self._encode([])
        found = [_unpacked(raw) for raw in self._outputs.recalled(self._space, texts, self._packed)]
        return np.stack([dense for dense, _ in found]), [tokens for _, tokens in found if tokens is not None]

    def dense(self, texts: Sequence[str]) -> Matrix:
        """The vectors of the texts, without token vectors."""
        return self(texts)[0]

    def _packed(self, texts: Sequence[str]) -> list[bytes]:
        dense, tokens = self._encode(texts)
        of_tokens: Sequence[Matrix] = tokens or [np.zeros((0, 0), np.float32)] * len(dense)
        return [
            np.array([len(row), each.shape[1]], _SHAPE).tobytes() + row.tobytes() + each.tobytes()
            for row, each in zip(dense, of_tokens, strict=True)
        ]


def question_encoder(
    encoder: Encoder, encode: EncodeBy[tuple[Matrix, list[Matrix]]], outputs: KnownOutputs
) -> RecalledQuestions:
    """Function object that gives the vectors of questions and of their tokens by ``encode``."""
    model = f"{model_fingerprint(encoder.plan)}-{encoder.backend}"
    space = f"{model}-questions-{text_id(prompt(encoder.plan, 'query'))}"
    return RecalledQuestions(outputs, space, partial(encode, encoder=encoder))


def _unpacked(raw: bytes) -> tuple[Matrix, Matrix | None]:
    n, d = np.frombuffer(raw, _SHAPE, 2).tolist()
    dense, tokens = np.split(np.frombuffer(raw, np.float32, offset=2 * _SHAPE.itemsize), [n])
    return dense, tokens.reshape(-1, d) if d else None


class ChunkVectors:
    """Function object that gives the vectors of texts from a corpus' own, and of other texts from ``encode``."""

    def __init__(self, cache: VectorCache, space: str, encode: Encode) -> None:
        self._cache, self._space, self._encode = cache, space, encode
        self._known: dict[str, Matrix] = {}

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """The vectors ``(len(texts), n)``; no texts give (0, 0)."""
        new = {text_id(text): text for text in texts if text not in self._known}
        found = self._cache.dense(self._space, frozenset(new)) if new else {}
        missing = [text for one, text in new.items() if one not in found]
        self._known |= {new[one]: vector for one, vector in found.items()}
        self._known |= dict(zip(missing, self._encode(missing), strict=True)) if missing else {}
        return np.stack([self._known[text] for text in texts]) if len(texts) else np.zeros((0, 0), np.float32)
