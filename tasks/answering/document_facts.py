"""What documents tell of themselves, as they were converted: who owns them, of which day they are, and whether they
hold.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from tasks.answering.answerer import DocumentFacts
from tasks.answering.conflicts.document_status import Standing, standing_in
from tasks.answering.conflicts.past_answers import Dated
from tasks.answering.decision.declines import Owner, owner_in
from tasks.cache import StageCache
from tasks.records import Document

_KEPT = 1024


def facts_of(cache: StageCache) -> DocumentFacts:
    """The facts of documents as they were converted; those of the last documents are kept."""
    return DocumentFacts(owners_of(cache), days_of(cache), standings_of(cache))


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


def standings_of(cache: StageCache) -> Standing:
    """By which words a document says that it does not hold today; "" where it says no such thing, or is no longer kept
    as it was converted.
    """

    @lru_cache(maxsize=_KEPT)
    def standing(document_id: str) -> str:
        document = cache.document(document_id)
        return standing_in(document, date.today()) if isinstance(document, Document) else ""

    return standing
