"""A part of a version that a question is limited to, and the filters by which LanceDB looks at its rows alone.

Filters are ranges of what is sorted: a folder is one range of file names, and the chunks of a document stand together.
So no name has to be escaped as a pattern is, and a filter stays short however many documents it lets in.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
MAX_RANGES = 100
"""A filter of more takes longer than the search itself."""
MAX_NAMES = 5_000
"""So many names are listed one by one; of more that lie scattered, ranges let in some that are not meant."""


@dataclass(frozen=True, slots=True)
class Within:
    """The ``positions`` of its chunks, sorted, and filters that let in their rows: of the shared part of a version, and
    of its own. They may let in others, too.
    """

    positions: Positions
    shared_filter: str
    own_filter: str


def ranges_of(numbers: Sequence[int] | Positions, limit: int = MAX_RANGES) -> list[tuple[int, int]]:
    """The first and last of each run of ``numbers``, which are sorted, each once; none give none.

    Where there are more runs than ``limit``, those nearest to each other are one, with what lies between them.
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
    """An SQL filter on ``file_name`` that lets in all that are ``wanted``, at least one. ``others`` are the names of
    the same version that are not; where the wanted are very many and lie scattered, it lets in some of them.
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
    """An SQL filter on ``position`` that lets in those, at least one and sorted; of many that lie scattered, more."""
    return " OR ".join(f"(position >= {first} AND position <= {last})" for first, last in ranges_of(positions))


def quoted(texts: Collection[str]) -> str:
    """The texts as SQL writes them, in a list."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in sorted(set(texts)))
