"""Facts that documents state about themselves on their first pages: owner, date, and if they are in force."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache as once
from functools import lru_cache
from typing import TypeVar

from tasks.answering.answerer import DocumentFacts
from tasks.answering.conflicts.document_status import standing_in
from tasks.answering.decision.decline_advice import owner_in
from tasks.conversion.document.serialization import first_page_from_json
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.records import Document

T = TypeVar("T")
_KEPT = 1024


def facts_of(cache: ConvertedCache, today: Callable[[], date] = date.today) -> DocumentFacts:
    """The facts of documents by their first pages, the last of which stay in memory; nothing of an unknown document.

    A document that this version of the conversion has not converted is read as the newest earlier version did: a
    published version answers from what was published until it is refreshed.
    """
    newest = once(cache.conversions)

    @lru_cache(maxsize=_KEPT)
    def first_page(document_id: str) -> Document | None:
        raw = cache.document_json(document_id)
        if raw is None and document_id in newest():
            raw = cache.document_json(document_id, newest()[document_id])
        return first_page_from_json(raw) if raw else None

    def fact(read: Callable[[Document], T], unknown: T) -> Callable[[str], T]:
        return lambda document_id: read(document) if (document := first_page(document_id)) else unknown

    return DocumentFacts(
        fact(owner_in, None),
        fact(lambda document: document.document_date, None),
        fact(lambda document: standing_in(document, today()), ""),
    )
