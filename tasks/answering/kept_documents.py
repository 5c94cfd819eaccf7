"""What documents tell of themselves, as they were converted: who owns them, and of which day they are."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from tasks.answering.declines import Owner, owner_in
from tasks.answering.past_answers import Dated
from tasks.cache import StageCache
from tasks.records import Document

_KEPT = 1024


def owners_of(cache: StageCache) -> Owner:
    """Who owns a document by its first page; None where it says nothing, or is no longer kept as it was converted."""

    @lru_cache(maxsize=_KEPT)
    def owner(document_id: str) -> str | None:
        document = cache.document(document_id)
        return owner_in(document) if isinstance(document, Document) else None

    return owner


def days_of(cache: StageCache) -> Dated:
    """The day that a document tells itself; None where it tells none, or is no longer kept as it was converted."""

    @lru_cache(maxsize=_KEPT)
    def day(document_id: str) -> date | None:
        document = cache.document(document_id)
        return document.document_date if isinstance(document, Document) else None

    return day
