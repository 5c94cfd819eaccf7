"""Reuse of table rows: rows of unchanged documents are taken over from a lake table's earlier state."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tasks.schemas import TABLES, to_table

MADE_OF = b"bidfolio.made_of"
"""The metadata key of a table's file for the documents that its rows are of: their ids,
each with a key of its sources.
"""
Rows = Iterable[Mapping[str, Any]]


def kept_documents(before: pa.Table) -> dict[str, str]:
    """The source keys of the documents with rows in ``before``, by document id;
    none where the table has no such record.
    """
    told = (before.schema.metadata or {}).get(MADE_OF)
    found: dict[str, str] = json.loads(told) if told else {}
    return found


def with_kept_rows(
    name: str, before: pa.Table, documents: Mapping[str, str], rows_of: Callable[[str], Rows]
) -> pa.Table:
    """The table ``name`` with the rows of ``documents`` (source keys by id), in their order.

    A document with the same key in the table ``before`` keeps its rows; ``rows_of`` makes those of the others. The
    result's metadata records the documents and keys. No documents give a table without rows.
    """
    known, spans = kept_documents(before), _spans(before["document_id"])
    is_kept = {one: known.get(one) == key and (spans is not None) for one, key in documents.items()}
    parts: list[pa.Table] = [TABLES[name].empty_table()]
    for kept, ids in groupby(documents, key=is_kept.__getitem__):
        if not kept:
            parts.append(to_table(name, chain.from_iterable(rows_of(one) for one in ids)))
            continue
        for begin, end in _together((spans or {}).get(one, (0, 0)) for one in ids):
            parts.append(before.slice(begin, end - begin).cast(TABLES[name]))
    return pa.concat_tables(parts).replace_schema_metadata({MADE_OF: json.dumps(dict(documents))})


def _spans(ids: pa.ChunkedArray) -> dict[str, tuple[int, int]] | None:
    """The begin and end of each document's rows; None if some document's rows are not contiguous (a foreign table)."""
    if not len(ids):
        return {}
    runs = pc.run_end_encode(ids.combine_chunks())
    names, ends = runs.values.to_pylist(), runs.run_ends.to_pylist()
    found = {name: (begin, end) for name, begin, end in zip(names, [0, *ends], ends, strict=False)}
    return found if len(found) == len(names) else None


def _together(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same spans, with adjacent ones merged and empty ones left out."""
    held = (0, 0)
    for begin, end in spans:
        if begin == end:
            continue
        if begin == held[1]:
            held = (held[0], end)
            continue
        if held[0] < held[1]:
            yield held
        held = (begin, end)
    if held[0] < held[1]:
        yield held
