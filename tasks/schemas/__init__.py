"""One Arrow schema a table of the lake; each column carries its meaning in the field's metadata.

No vector and no nested column: vectors are little-endian float32 bytes, so that any BI tool reads every
table. Times are UTC microseconds, durations ``*_ms``. Schemas change by adding columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

import pyarrow as pa

from tasks.schemas import answering, corpus, evaluation
from tasks.schemas.pandas_import import postpone

postpone()

ROWS_AT_ONCE = 10_000

TABLES: Final[Mapping[str, pa.Schema]] = {
    name: pa.schema(columns) for room in (corpus, answering, evaluation) for name, columns in room.TABLES.items()
}

TABLES_BY_RUN: Final = tuple(name for name, schema in TABLES.items() if "run_id" in schema.names)
"""The tables whose rows name the run that wrote them."""


def to_table(name: str, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """``rows`` as the table ``name``: a missing column is null, no rows give an empty table of the schema.

    Raises KeyError for a column that the schema does not have, and ArrowInvalid for a value of the wrong type.
    """
    schema = TABLES[name]
    left, made = iter(rows), [schema.empty_table()]
    # A row of Python's weighs ten times one of Arrow's: those of a large corpus never stand in memory together.
    while listed := list(islice(left, ROWS_AT_ONCE)):
        unknown = {key for row in listed for key in row} - set(schema.names)
        if unknown:
            raise KeyError(f"table {name} has no column {', '.join(sorted(unknown))}")
        values = [{column: row.get(column) for column in schema.names} for row in listed]
        made.append(pa.Table.from_pylist(values, schema=schema))
    return pa.concat_tables(made)
