"""Names of documents and printed labels of pages, beside the chunks that answers are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tasks.records import Chunk, Duplicate, Hit
from tasks.retrieval.ranking.near_duplicates import Told


def with_names(hits: Sequence[Hit], told: Mapping[str, Told]) -> list[Hit]:
    """The hits with the document's name and the pages' printed labels in each chunk and duplicate; as they are where
    nothing is known of a document.
    """

    def named(chunk: Chunk) -> Chunk:
        known = told.get(chunk.file_name)
        if known is None:
            return chunk
        spans = tuple(span._replace(label=known.label_of(span.page_number)) for span in chunk.page_spans)
        return replace(chunk, document_name=known.title, page_spans=spans)

    def labelled(other: Duplicate) -> Duplicate:
        known = told.get(other.file_name)
        return other._replace(page_label=known.label_of(other.page_number)) if known else other

    return [
        replace(
            hit,
            chunk=named(hit.chunk),
            handed_over=None if hit.handed_over is None else tuple(map(named, hit.handed_over)),
            around=tuple(map(named, hit.around)),
            duplicates=tuple(map(labelled, hit.duplicates)),
        )
        for hit in hits
    ]
