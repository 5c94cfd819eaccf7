"""Which section a quote stands in: a chunk knows the one that it begins in, and often goes on into another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from tasks.records import Chunk, Hit

Starts = Sequence[tuple[int, str]]
"""Where sections begin in a document's text, each with its path, in order."""
SectionsOf = Callable[[str], Starts]
"""Gives those of the document of that id; none where nothing is known of it."""


class Converted(Protocol):
    """What conversion left; ``tasks.conversion.files.converted_cache`` has it."""

    def section_paths(self, document_id: str) -> list[tuple[int | None, str]] | None:
        """Where each element of a document begins, and its section's path; None where it is gone."""
        ...


class Tables(Protocol):
    """The lake's tables; ``tasks.storage.lake`` has them."""

    def read(self, table: str, **partition: str) -> pa.Table:
        """The rows of a partition."""
        ...


def sections_of(converted: Converted, tables: Tables, corpus: str) -> SectionsOf:
    """What gives the sections of a document, by what its conversion left, or, where the cache was cleared, by the table
    ``elements`` of the corpus; those of the last documents are kept.
    """

    @lru_cache(maxsize=1024)
    def found(document_id: str) -> Starts:
        paths: Iterable[tuple[int | None, str | None]] | None = converted.section_paths(document_id)
        if paths is None:
            rows = tables.read("elements", corpus=corpus)
            own = rows.filter(pc.equal(rows["document_id"], document_id))
            paths = zip(own["start_offset"].to_pylist(), own["section_path"].to_pylist(), strict=True)
        return section_starts(paths)

    return found


def section_starts(elements: Iterable[tuple[int | None, str | None]]) -> Starts:
    """The starts of a document's ``elements``, each with its section's path, where that is another than before. What
    has no place in the text, as a header, is left out; no elements give none.
    """
    found: list[tuple[int, str]] = []
    placed = [(start, path or "") for start, path in elements if start is not None]
    for start, path in sorted(placed, key=lambda one: one[0]):
        if not found or found[-1][1] != path:
            found.append((start, path))
    return found


def with_sections(hits: Mapping[str, Sequence[Hit]], sections_of: SectionsOf) -> dict[str, list[Hit]]:
    """The hits, whose chunks know the sections that begin within them."""

    def told(chunk: Chunk) -> Chunk:
        starts = sections_of(chunk.document_id)
        first = bisect_right(starts, chunk.start, key=lambda one: one[0])
        past = bisect_left(starts, chunk.end, key=lambda one: one[0])
        return replace(chunk, section_starts=tuple(starts[first:past])) if first < past else chunk

    def all_told(hit: Hit) -> Hit:
        handed = None if hit.handed_over is None else tuple(map(told, hit.handed_over))
        return replace(hit, chunk=told(hit.chunk), handed_over=handed, around=tuple(map(told, hit.around)))

    return {question_id: list(map(all_told, of_question)) for question_id, of_question in hits.items()}
