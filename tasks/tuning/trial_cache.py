"""Cache of measured trials, so that a grid that was interrupted can continue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa

from tasks.records import content_id
from tasks.schemas.evaluation import GRID_MEASURES

SCHEMA = pa.schema(GRID_MEASURES)


class Store(Protocol):
    """Protocol of the storage; each method takes the parts of a path below the home."""

    def put(self, raw: bytes, *parts: str) -> None:
        """Write a file, whole or not at all."""
        ...

    def get(self, *parts: str) -> bytes | None:
        """The bytes of a file, or None."""
        ...

    def put_table(self, table: pa.Table, *parts: str) -> None:
        """Write a Parquet file."""
        ...

    def get_table(self, *parts: str, columns: list[str] | None = None) -> pa.Table | None:
        """The table of a Parquet file, or None."""
        ...


class KeptTrials:
    """The cached trials of a home by key, and the grid runs that began and did not end."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Cache the rows of a trial."""
        self._store.put_table(pa.Table.from_pylist(list(rows), schema=SCHEMA), "cache", "trials", f"{key}.parquet")

    def get(self, key: str) -> list[dict[str, Any]] | None:
        """The cached rows of a trial, or None."""
        table = self._store.get_table("cache", "trials", f"{key}.parquet")
        return None if table is None else table.to_pylist()

    def begin(self, keys: Sequence[str], run_id: str) -> str | None:
        """Record that the run measures these trials; returns the id of an earlier run that did not end, or None.

        An earlier run counts if it began with the same trials.
        """
        raw = self._store.get(*self._grid(keys))
        self._store.put(json.dumps({"run_id": run_id}).encode(), *self._grid(keys))
        begun = json.loads(raw or b"{}").get("run_id")
        return None if begun is None else str(begun)

    def end(self, keys: Sequence[str]) -> None:
        """Record that all these trials are measured."""
        self._store.put(b"{}", *self._grid(keys))

    def _grid(self, keys: Sequence[str]) -> tuple[str, ...]:
        return "cache", "trials", f"{content_id('grid', *keys)}.json"
