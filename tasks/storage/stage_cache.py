"""Generic store of the stages' results between runs: each is kept under the key of its inputs.

Each room has its own subclass, with its paths and codecs. Files in ``cache/`` can be made again: deleting them costs
time and nothing else. Files that a rollback to an index version needs are in ``index/``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from tasks.errors import CacheGone
from tasks.storage.stored_file import Stored

Parts = TypeVar("Parts", str, tuple[str, str])
"""A text, or a pair of texts."""


class Store(Protocol):
    """File storage of the cache; each method takes the parts of a path below the home."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Write a file, completely or not at all."""

    def get(self, *parts: str) -> bytes | None:
        """The content of a file; None where it is missing, or was damaged and can be made anew."""

    def put_table(self, table: pa.Table, *parts: str) -> None:
        """Write a Parquet file."""

    def get_table(self, *parts: str, columns: list[str] | None = None) -> pa.Table | None:
        """The table of a Parquet file, or those columns of it; None as for :meth:`get`."""

    def url(self, *parts: str) -> str:
        """The URL by which any process can read the file."""

    def has(self, *parts: str) -> bool:
        """Tell if the file exists."""

    def drop(self, *parts: str) -> None:
        """Remove the file; a missing file is no error."""

    def names(self, *parts: str, suffix: str) -> list[str]:
        """The names below a folder with that suffix."""

    def below(self, *parts: str) -> list[Stored]:
        """Every file below a folder, at any depth."""

    def digest(self, *parts: str) -> str:
        """The SHA-256 of a stored file."""


class KnownOutputs(Protocol):
    """Cache of what models gave for texts; ``tasks.storage.output_cache`` implements it."""

    def recalled(
        self, space: str, inputs: Sequence[Parts], compute: Callable[[list[Parts]], Sequence[bytes]]
    ) -> list[bytes]:
        """The output for each input, in order; ``compute`` gives those that are not known, each once.

        ``space`` names everything else that an output depends on, such as the model's fingerprint.
        """
        ...


class StageCache:
    """Base of the rooms' caches: the store of a home, and JSON in it. A missing key gives None."""

    def __init__(self, lake: Store) -> None:
        self._lake = lake

    def put_json(self, value: Any, *parts: str) -> None:
        """Store a value as JSON."""
        self._lake.put(json.dumps(value).encode(), *parts)

    def get_json(self, *parts: str) -> Any:
        """The value of a JSON file; None where it is missing. What is damaged is treated as the store does it."""
        raw = self._lake.get(*parts)
        return None if raw is None else json.loads(raw)

    def path(self, *parts: str) -> str:
        """The file's path, as messages name it."""
        return self._lake.url(*parts).removeprefix("file://")


def gone(what: str, key: str) -> CacheGone:
    """The error of a file that another stage left in the cache, and that is not there, or damaged."""
    return CacheGone(
        f"the cache has no {what} {key}: where it was cleared meanwhile, run the same command again; where a Dask "
        "worker says so, give a --home that all of them see"
    )
