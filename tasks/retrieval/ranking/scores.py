"""Scores of a batch of questions against the candidate chunks of a version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.records import Chunk

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of questions against m chunks, in the order of the version; every matrix is ``(questions, m)``.

    ``positions`` (m) is each chunk's place in the version. ``dense`` and ``lexical`` are the cosines. A chunk that is
    no candidate of a question has the score minus infinity. ``is_whole``: no other chunk of the version could be among
    the best. ``is_beginning``: none could be before those that have a score, however many are wanted.
    """

    chunks: Sequence[Chunk]
    positions: NDArray[np.int64]
    dense: Matrix
    lexical: Matrix
    bm25: Matrix
    scores: Matrix
    is_whole: bool
    is_beginning: bool = False
