"""Filters that limit a search to a part of a version, written so that LanceDB reads few other rows.

Filters are ranges of sorted values: a folder is one range of file names, and the chunks of a document are consecutive.
So no name has to be escaped as a pattern, and a filter stays short however many documents it lets in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
MAX_RANGES = 100
"""The most ranges in a filter; with more, the filter takes longer than the search itself."""
MAX_NAMES = 5_000
"""The most names that a filter lists singly; for more scattered names, ranges let in some unwanted ones."""


@dataclass(frozen=True, slots=True)
class Within:
    """A part of a version: the sorted ``positions`` of its chunks, and SQL filters for the shared and the own rows.

    The filters may let in other rows, too.
    """

    positions: Positions
    shared_filter: str
    own_filter: str


def ranges_of(numbers: Sequence[int] | Positions, limit: int = MAX_RANGES) -> list[tuple[int, int]]:
    """The first and last of each run of consecutive ``numbers``, which are sorted and distinct; no numbers give none.

    Where there are more runs than ``limit``, the nearest ones are merged, with the numbers between them.
    """
    if not len(numbers):
        return []
    gaps = np.diff(np.asarray(numbers))
    breaks = np.flatnonzero(gaps > 1)
    if len(breaks) >= limit:
        breaks = np.sort(breaks[np.argsort(-gaps[breaks], kind="stable")[: limit - 1]])
    begins, ends = [0, *(breaks + 1)], [*breaks, len(numbers) - 1]
    return [(int(numbers[begin]), int(numbers[end])) for begin, end in zip(begins, ends, strict=True)]


def file_filter(wanted: Collection[str], others: Collection[str]) -> str:
    """An SQL filter on ``file_name`` that lets in all ``wanted`` names, at least one.

    ``others`` are the unwanted names of the version; where very many wanted names lie scattered, some others pass, too.
    """
    mine = frozenset(wanted)
    names = sorted(mine.union(others))
    at = [number for number, name in enumerate(names) if name in mine]
    if len(mine) <= MAX_NAMES and len(ranges_of(at, len(at) + 1)) > MAX_RANGES:
        return f"file_name IN ({quoted(mine)})"
    return " OR ".join(
        f"(file_name >= {quoted([names[first]])} AND file_name <= {quoted([names[last]])})"
        for first, last in ranges_of(at)
    )


def position_filter(positions: Positions) -> str:
    """An SQL filter on ``position`` that lets in those positions, at least one and sorted; others pass, too,
    if many scatter.
    """
    return " OR ".join(f"(position >= {first} AND position <= {last})" for first, last in ranges_of(positions))


def quoted(texts: Collection[str]) -> str:
    """The texts as a list of SQL literals, sorted, each once."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in sorted(set(texts)))
