"""Rows of the table ``documents`` by the set of documents that they describe, and the changes that led to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from tasks.records import content_id
from tasks.schemas import TABLES
from tasks.storage.commits import Commits
from tasks.storage.stage_cache import StageCache

_DATES = tuple(field.name for field in TABLES["documents"] if pa.types.is_date(field.type))


def documents_key(document_ids: Iterable[str]) -> str:
    """The key of a set of documents, in any order; no documents give the key of the empty set."""
    return content_id("documents", *sorted(document_ids))


class DocumentRows(StageCache):
    """The rows and changes of a corpus' documents, under the key of :func:`documents_key`."""

    def put_document_rows(self, corpus: str, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Store the rows of the table ``documents`` with the index: a version that is rolled back to needs them."""
        raw, place = (
            json.dumps(list(rows), default=date.isoformat).encode(),
            ("index", "documents", corpus, f"{key}.json"),
        )
        if self._lake.get(*place) != raw:  # the same documents from another folder
            Commits(self._lake).forget([place])
            self._lake.put(raw, *place)

    def document_rows(self, corpus: str, key: str) -> list[dict[str, Any]] | None:
        """The rows of the table ``documents`` for those documents of the corpus."""
        rows: list[dict[str, Any]] | None = self.get_json("index", "documents", corpus, f"{key}.json")
        for row in rows or ():
            row |= {name: date.fromisoformat(row[name]) for name in _DATES if row.get(name)}
        return rows

    def put_changes(self, corpus: str, key: str, rows: Sequence[dict[str, Any]]) -> None:
        """Store the changes found when those documents of the corpus were converted."""
        self.put_json(list(rows), "cache", "changes", f"{corpus}-{key}.json")

    def changes(self, corpus: str, key: str) -> list[dict[str, Any]]:
        """The changes found when those documents of the corpus were converted; empty without any."""
        return self.get_json("cache", "changes", f"{corpus}-{key}.json") or []
