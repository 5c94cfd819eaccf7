"""Token batches: texts of similar lengths are batched together, the outputs put back in order, one vector a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tasks.embedding.models.unit_vectors import unit

Vectors = NDArray[np.float32]
Outputs = Sequence[Vectors]
"""A model's outputs for a batch: text vectors ``(texts, n)``, and token vectors ``(texts, longest, n)`` if asked for.

The next batch may overwrite them.
"""
T = TypeVar("T")
LENGTH_STEP = 16
"""The step in tokens by which batches are padded: 16 float32 fill the widest vector register (AVX-512).

The rest of a length that is no multiple is summed up in another way, which moves a text's vector by up to .003 in 8
bits. At multiples a graph gives a text the same bits, whatever the batch's length, size and other texts; and it takes
half as long again for the first question of each new length.
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of texts for a model: ``input_ids`` and ``attention_mask`` are (texts, longest) int64.

    ``rows`` are the positions of its texts in the whole input. ``types`` tell the second text of a pair from the first;
    None is for texts that stand alone.
    """

    rows: tuple[int, ...]
    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]
    types: NDArray[np.int64] | None = None

    @property
    def inputs(self) -> dict[str, NDArray[np.int64]]:
        """The model's inputs by name."""
        types = np.zeros_like(self.input_ids) if self.types is None else self.types
        return {"input_ids": self.input_ids, "attention_mask": self.attention_mask, "token_type_ids": types}


class Run(Protocol):
    """Function that runs a model on batches."""

    def __call__(self, batches: Sequence[Batch], read: Callable[[Batch, Outputs], T], /) -> Iterable[tuple[Batch, T]]:
        """Each batch with the result of ``read`` on its outputs, in any order."""
        ...


def read_vectors(_batch: Batch, outputs: Outputs) -> list[Vectors]:
    """The vectors of the batch's texts, copied."""
    return list(outputs[0].copy())


def cut_batches(tokens: Sequence[Sequence[int]], size: int, pad_token_id: int, length_step: int = 1) -> Iterator[Batch]:
    """Cut ``tokens`` into batches of ``size``, the longest texts first, so that there is little padding.

    Every batch is as long as its first text, or the next multiple of ``length_step``. No tokens give no batch.
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
    """Run the model on ``tokens``, cut as by :func:`cut_batches`; the results of ``read`` in the order of ``tokens``.

    No tokens give none.
    """
    found: dict[int, T] = {}
    for batch, made in run(list(cut_batches(tokens, size, pad_token_id, length_step)), read):
        found.update(zip(batch.rows, made, strict=True))
    return [found[row] for row in range(len(tokens))]


def mean_of_parts(vectors: Vectors, counts: Sequence[int]) -> Vectors:
    """The unit mean of the vectors of each text's parts, ``(len(counts), n)``.

    ``counts`` is the number of rows of each text, one or more. The vector of a text of one part is left as it is.
    """
    ends = np.cumsum(counts)
    means = [
        vectors[end - 1] if count == 1 else unit(vectors[end - count : end].mean(axis=0, keepdims=True))[0]
        for end, count in zip(ends, counts, strict=True)
    ]
    return np.stack(means)
