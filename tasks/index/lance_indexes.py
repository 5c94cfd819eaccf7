"""The indexes of a Lance table: of files, kinds and words, and of vectors where a version is too large for memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, IvfPq, IvfSq
from lancedb.table import Table

from tasks.index.versions import Recipe

_TRAINING = {"sample_rate": 64, "max_iterations": 10}
"""From how many vectors a partition's centre is found, and in how many rounds; LanceDB's own are 256 and 50."""
_PQ_WIDTH = 8
"""How many dimensions a code of IVF_PQ stands for."""


def indexes_of(recipe: Recipe) -> dict[str, Any]:
    """The indexes that every table has, by column. Of the text and of its context each has its own."""
    words = recipe.language != "none"
    language = recipe.language.title() if words else "English"
    full_text = FTS(language=language, stem=words, remove_stop_words=words)
    return {"file_name": BTree(), "kind": Bitmap(), "text": full_text, "context": full_text}


def vector_index(recipe: Recipe, rows: int, width: int) -> Any:
    """The index of so many vectors of that ``width``."""
    given: dict[str, Any] = {"distance_type": "dot", "num_partitions": recipe.partitions_of(rows), **_TRAINING}
    if recipe.index == "ivf_hnsw_sq":
        return HnswSq(**given, m=recipe.m, ef_construction=recipe.ef_construction)
    if recipe.index == "ivf_pq":
        # Lance's own default, half as many, finds less than half of the best.
        return IvfPq(**given, num_sub_vectors=width // _PQ_WIDTH if width % _PQ_WIDTH == 0 else None)
    return {"ivf_sq": IvfSq, "ivf_flat": IvfFlat}[recipe.index](**given)


def build(table: Table, wanted: Mapping[str, Any]) -> None:
    """Makes those of the ``wanted`` indexes that a killed run has not made; of no rows there are none."""
    there = {column for index in table.list_indices() for column in index.columns}
    for column, config in wanted.items() if table.count_rows() else ():
        if column not in there:
            table.create_index(column, config=config)


def unindexed(table: Table) -> int:
    """How many rows of the table some index of it does not know."""
    stats = [table.index_stats(index.name) for index in table.list_indices()]
    return max((int(each.num_unindexed_rows) for each in stats if each), default=0)
