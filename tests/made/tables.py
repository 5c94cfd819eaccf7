"""Rows of the lake's tables with nothing in them but what is required."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from tasks.schemas import TABLES

SAMPLES: dict[pa.DataType, Any] = {
    pa.string(): "text",
    pa.int32(): 1,
    pa.int64(): 1,
    pa.float64(): 0.5,
    pa.bool_(): True,
    pa.binary(): b"\x00\x01",
    pa.timestamp("us", tz="UTC"): datetime(2026, 1, 2, tzinfo=UTC),
}


def least_row(table: str) -> dict[str, Any]:
    """A row with the required columns alone: everything else is null."""
    return {field.name: SAMPLES[field.type] for field in TABLES[table] if not field.nullable}
