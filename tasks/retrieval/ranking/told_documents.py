"""Known facts of documents beside their hits: names, dates, periods, and printed labels of pages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

from tasks.conversion.document.serialization import day_of
from tasks.records import Chunk, Duplicate, Hit
from tasks.text.names.periods import Period, periods_in


class Told(NamedTuple):
    """The title of a document, as its corpus knows it, its date, period, entity and its pages' printed labels, from its
    row.
    """

    title: str
    day: date | None
    period: Period | None = None
    entity: str = ""
    page_labels: Sequence[str] = ()

    def label_of(self, page_number: int | None) -> str:
        """The printed label of a page, "" where it is the page's number or unknown."""
        is_known = page_number is not None and page_number <= len(self.page_labels)
        return self.page_labels[page_number - 1] if page_number is not None and is_known else ""


def told_of_documents(documents: Iterable[Mapping[str, Any]]) -> dict[str, Told]:
    """The known facts of each document, by file name, from rows of the table ``documents``.

    The title is the name within the corpus. Rows of an older bidfolio lack it, the period, the entity and labels.
    """
    return {
        row["file_name"]: Told(
            row.get("name") or row["title"] or "",
            day_of(row),
            next(periods_in(row.get("period") or ""), None),
            row.get("entity") or "",
            tuple(json.loads(row.get("page_labels") or "[]")),
        )
        for row in documents
    }


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
