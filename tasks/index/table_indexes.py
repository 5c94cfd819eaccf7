"""Indexes of a Lance table: over vectors, words, and the values that searches are limited by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, IvfPq, IvfSq
from lancedb.table import Table

from tasks.index.rows import GRANULARITY
from tasks.index.versions import Recipe

_TRAINING = {"sample_rate": 64, "max_iterations": 10}
"""The sample of vectors for each partition and the rounds of k-means; LanceDB's own defaults are 256 and 50."""
_PQ_WIDTH = 8
"""The number of dimensions that a code of IVF_PQ stands for."""


def indexes_of(recipe: Recipe) -> dict[str, Any]:
    """The scalar and full-text indexes of a table, by column; not every table has all columns.

    Text and context have a full-text index each.
    """
    words = recipe.language != "none"
    language = recipe.language.title() if words else "English"
    full_text = FTS(language=language, stem=words, remove_stop_words=words)
    return {"file_name": BTree(), "kind": Bitmap(), GRANULARITY: Bitmap(), "text": full_text, "context": full_text}


def vector_index(recipe: Recipe, rows: int, width: int) -> Any:
    """The configuration of the index over ``rows`` vectors of that ``width``."""
    given: dict[str, Any] = {"distance_type": "dot", "num_partitions": recipe.partitions_of(rows), **_TRAINING}
    if recipe.index == "ivf_hnsw_sq":
        return HnswSq(**given, m=recipe.m, ef_construction=recipe.ef_construction)
    if recipe.index == "ivf_pq":
        # Lance's own default, half as many sub-vectors, finds less than half of the best.
        return IvfPq(**given, num_sub_vectors=width // _PQ_WIDTH if width % _PQ_WIDTH == 0 else None)
    return {"ivf_sq": IvfSq, "ivf_flat": IvfFlat}[recipe.index](**given)


def build_indexes(table: Table, wanted: Mapping[str, Any]) -> None:
    """Create the ``wanted`` indexes that are missing, say after a killed run.

    None are made for a table without rows, or for a column that the table lacks.
    """
    there = {column for index in table.list_indices() for column in index.columns}
    for column, config in wanted.items() if table.count_rows() else ():
        if column in table.schema.names and column not in there:
            _index(table, column, config)


def _index(table: Table, column: str, config: Any) -> None:
    """Create an index; with fewer partitions where the vectors are too similar for so many."""
    try:
        table.create_index(column, config=config)
    except RuntimeError as error:
        partitions = getattr(config, "num_partitions", 1)
        if partitions == 1 or "IVF partitions" not in str(error):
            raise
        _index(table, column, replace(config, num_partitions=max(1, partitions // 8)))


def unindexed_rows(table: Table) -> int:
    """The largest number of rows that some index of the table does not cover."""
    stats = [table.index_stats(index.name) for index in table.list_indices()]
    return max((int(each.num_unindexed_rows) for each in stats if each), default=0)
