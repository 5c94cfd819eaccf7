"""What each trial gave, kept by what it is of; so a grid that was interrupted goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa

from tasks.records import content_id
from tasks.schemas.evaluation import GRID_MEASURES

SCHEMA = pa.schema(GRID_MEASURES)


class Store(Protocol):
    """Where it lies; each method takes the parts of a path below the home."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Writes a file, whole or not at all."""
        ...

    def get(self, *parts: str) -> bytes | None:
        """The bytes of a file, or None."""
        ...

    def put_table(self, table: pa.Table, *parts: str) -> None:
        """Writes a Parquet file."""
        ...

    def get_table(self, *parts: str, columns: list[str] | None = None) -> pa.Table | None:
        """The table of a Parquet file, or None."""
        ...


class KeptTrials:
    """The trials of a home by their keys, and which runs of a grid were begun and not ended."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps the rows of a trial."""
        self._store.put_table(pa.Table.from_pylist(list(rows), schema=SCHEMA), "cache", "trials", f"{key}.parquet")

    def get(self, key: str) -> list[dict[str, Any]] | None:
        """The rows of a trial, or None where it is not there."""
        table = self._store.get_table("cache", "trials", f"{key}.parquet")
        return None if table is None else table.to_pylist()

    def begin(self, keys: Sequence[str], run_id: str) -> str | None:
        """Notes that the run measures the trials of those keys; gives the run that began the same and did not end."""
        raw = self._store.get(*self._grid(keys))
        self._store.put(json.dumps({"run_id": run_id}).encode(), *self._grid(keys))
        begun = json.loads(raw or b"{}").get("run_id")
        return None if begun is None else str(begun)

    def end(self, keys: Sequence[str]) -> None:
        """Notes that all of them are measured."""
        self._store.put(b"{}", *self._grid(keys))

    def _grid(self, keys: Sequence[str]) -> tuple[str, ...]:
        return "cache", "trials", f"{content_id('grid', *keys)}.json"
