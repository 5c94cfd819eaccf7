"""Facts of the library's entries at the time of answering: do they still stand, and where is their evidence now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from tasks.answering.conflicts.approved_answers import EntryOf, EntryState
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.library.rows import entry_of
from tasks.library.standing import DocumentOf, StandingOf, standing_of
from tasks.records import Chunk, Document

_KEPT = 32


def entry_states(
    rows: Iterable[Mapping[str, Any]], document_of: DocumentOf, not_in_force: StandingOf, today: Callable[[], date]
) -> EntryOf:
    """The function that gives the state of an approved answer's entry, of the ``rows`` of the table ``library``.

    A chunk that is no listed entry has no faults.
    """
    known = {(row["file_name"], row["sheet_name"], row["row_number"]): row for row in rows}

    def state(chunk: Chunk) -> EntryState:
        row = known.get((chunk.file_name, chunk.sheet_name, chunk.row_number))
        if row is None:
            return EntryState()
        entry = entry_of(row)
        found = standing_of(entry, document_of, not_in_force, today())
        return EntryState(tuple(fault.told for fault in found.faults), found.citations, found.instead, entry)

    return state


def documents_by_name(documents: Iterable[Mapping[str, Any]], cache: ConvertedCache) -> DocumentOf:
    """The function that gives the converted document of a name, of the rows of the table ``documents``."""
    ids = {row["file_name"]: row["document_id"] for row in documents if row["status"] == "indexed"}

    @lru_cache(maxsize=_KEPT)
    def document_of(file_name: str) -> Document | None:
        found = cache.document(ids[file_name]) if file_name in ids else None
        return found if isinstance(found, Document) else None

    return document_of
