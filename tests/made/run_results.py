"""Results of a run: counts of files, rows of the lake, Prefect artifacts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
from prefect.client.schemas.objects import Artifact
from prefect.client.schemas.sorting import ArtifactSort

from tests.made.commands import Bidfolio


def counts(**given: int) -> dict[str, int]:
    """Counts of files as a refresh gives them; those that are not given are 0."""
    return {"added": 0, "changed": 0, "deleted": 0, "unchanged": 0, "quarantined": 0} | given


def rows_of(bidfolio: Bidfolio, query: str) -> list[list[Any]]:
    """The rows that `bidfolio sql` gives for a query."""
    ran = bidfolio("--json", "sql", query)
    assert ran.exit_code == 0, ran.err
    rows: list[list[Any]] = ran.summary["rows"]
    return rows


def runs_of(bidfolio: Bidfolio) -> list[list[Any]]:
    """Kind, status and error of every run, the oldest first."""
    rows: list[list[Any]] = bidfolio(
        "--json", "sql", "SELECT kind, status, error FROM runs ORDER BY started_at"
    ).summary["rows"]
    return rows


def artifact(key: str) -> list[dict[str, Any]]:
    """The rows of the newest table artifact of that key."""
    rows = newest_artifact(key).data
    return json.loads(rows) if isinstance(rows, str) else rows  # type: ignore[return-value]


def newest_artifact(key: str) -> Artifact:
    """The newest artifact of that key."""
    with get_client(sync_client=True) as client:
        found = client.read_artifacts(
            artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=[key])), sort=ArtifactSort.CREATED_DESC, limit=1
        )
    return found[0]


def all_strings(home: Path) -> Iterator[tuple[Path, str]]:
    """Every text in every Parquet file of a home."""
    for path in home.rglob("*.parquet"):
        table = pq.ParquetFile(path).read()
        for column in table.columns:
            if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                yield from ((path, text) for text in pc.unique(column).to_pylist() if text is not None)
