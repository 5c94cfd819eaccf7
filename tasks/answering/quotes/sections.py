"""Sections of quotes: a chunk knows the section that it begins in, and often goes on into another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.records import Chunk, Hit

if TYPE_CHECKING:
    from tasks.storage.lake import Lake

Starts = Sequence[tuple[int, str]]
"""The starts of sections in a document's text, each with its path, in order."""
SectionsOf = Callable[[str], Starts]
"""Function from a document's id to the starts of its sections; none where nothing is known of it."""


def sections_of(converted: ConvertedCache, lake: Lake, corpus: str) -> SectionsOf:
    """Function that gives a document's sections, from its conversion or the table ``elements``; the last are cached."""

    @lru_cache(maxsize=1024)
    def found(document_id: str) -> Starts:
        paths: Iterable[tuple[int | None, str | None]] | None = converted.section_paths(document_id)
        if paths is None:
            rows = lake.read("elements", corpus=corpus)
            own = rows.filter(pc.equal(rows["document_id"], document_id))
            paths = zip(own["start_offset"].to_pylist(), own["section_path"].to_pylist(), strict=True)
        return section_starts(paths)

    return found


def section_starts(elements: Iterable[tuple[int | None, str | None]]) -> Starts:
    """The starts of the sections of a document from its ``elements``, each with its path, where it differs from the one
    before. Elements without a place in the text, such as headers, are left out; no elements give none.
    """
    found: list[tuple[int, str]] = []
    placed = [(start, path or "") for start, path in elements if start is not None]
    for start, path in sorted(placed, key=lambda one: one[0]):
        if not found or found[-1][1] != path:
            found.append((start, path))
    return found


def with_sections(hits: Mapping[str, Sequence[Hit]], sections_of: SectionsOf) -> dict[str, list[Hit]]:
    """The hits, with the sections that begin within each chunk added to it."""

    def told(chunk: Chunk) -> Chunk:
        starts = sections_of(chunk.document_id)
        first = bisect_right(starts, chunk.start, key=lambda one: one[0])
        past = bisect_left(starts, chunk.end, key=lambda one: one[0])
        return replace(chunk, section_starts=tuple(starts[first:past])) if first < past else chunk

    def all_told(hit: Hit) -> Hit:
        handed = None if hit.handed_over is None else tuple(map(told, hit.handed_over))
        return replace(hit, chunk=told(hit.chunk), handed_over=handed, around=tuple(map(told, hit.around)))

    return {question_id: list(map(all_told, of_question)) for question_id, of_question in hits.items()}
