"""Texts as batches of tokens, like lengths together, and back to one vector a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Outputs = Sequence[Vectors]
"""What a model gives of a batch: the texts' vectors ``(texts, n)``, and its tokens' ``(texts, longest, n)`` if asked.

They may be overwritten by the next batch's.
"""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Batch:
    """What a model is given at once: ``input_ids`` and ``attention_mask`` are (texts, longest) int64.

    ``rows`` says where each of its vectors belongs.
    """

    rows: tuple[int, ...]
    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]

    @property
    def inputs(self) -> dict[str, NDArray[np.int64]]:
        """What models take, by its name there; each text stands alone, so all its tokens are of type 0."""
        types = np.zeros_like(self.input_ids)
        return {"input_ids": self.input_ids, "attention_mask": self.attention_mask, "token_type_ids": types}


class Run(Protocol):
    """Runs a model."""

    def __call__(self, batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        """Each batch with what ``read`` makes of the outputs, in any order."""
        ...


def read_vectors(_batch: Batch, outputs: Outputs) -> list[Vectors]:
    """The vector of each text."""
    return list(outputs[0].copy())


def cut_batches(tokens: Sequence[Sequence[int]], size: int, pad_token_id: int, length_step: int = 1) -> Iterator[Batch]:
    """``tokens`` in batches of ``size``, the longest first, so that little is padding; every batch is as long as its
    first, or the next multiple of ``length_step``. No tokens give no batch.
    """
    order = sorted(range(len(tokens)), key=lambda row: -len(tokens[row]))
    for begin in range(0, len(order), size):
        rows = order[begin : begin + size]
        shape = (len(rows), -(-len(tokens[rows[0]]) // length_step) * length_step)
        input_ids = np.full(shape, pad_token_id, dtype=np.int64)
        attention_mask = np.zeros(shape, dtype=np.int64)
        for at, row in enumerate(rows):
            length = len(tokens[row])
            input_ids[at, :length] = tokens[row]
            attention_mask[at, :length] = 1
        yield Batch(tuple(rows), input_ids, attention_mask)


def run_sorted(
    tokens: Sequence[Sequence[int]],
    run: Run,
    read: Callable[[Batch, Outputs], Sequence[T]],
    size: int,
    pad_token_id: int,
    length_step: int = 1,
) -> list[T]:
    """What ``read`` gives of each of ``tokens``, cut as by :func:`cut_batches`, in order; none give none."""
    found: dict[int, T] = {}
    for batch, made in run(list(cut_batches(tokens, size, pad_token_id, length_step)), read):
        found.update(zip(batch.rows, made, strict=True))
    return [found[row] for row in range(len(tokens))]


def mean_of_parts(vectors: Vectors, counts: Sequence[int]) -> Vectors:
    """The unit mean of each text's parts, ``(len(counts), n)``: ``counts`` says how many rows are whose, one or more.

    The vector of a text of one part is left as it is.
    """
    ends = np.cumsum(counts)
    means = [
        vectors[end - 1] if count == 1 else unit(vectors[end - count : end].mean(axis=0, keepdims=True))[0]
        for end, count in zip(ends, counts, strict=True)
    ]
    return np.stack(means)


def unit(vectors: Vectors) -> Vectors:
    """The rows of length 1; a row of zeros stays one."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return made
