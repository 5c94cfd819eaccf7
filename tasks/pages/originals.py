"""Documents as they were indexed: their rows, their converted text, and the bytes of their files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from tasks.conversion.document.serialization import documents_from_rows
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.member_cache import MemberCache
from tasks.errors import SourceChanged
from tasks.pages.pictures.page_lookup import NoSuchPage, PageGone
from tasks.records import Document

if TYPE_CHECKING:
    from tasks.storage.lake import Lake


class Originals:
    """The documents of a home; ``read`` reads a file by its URL, ``why_unreadable`` says what kept it from doing so."""

    def __init__(self, lake: Lake, read: Callable[[str], bytes], why_unreadable: Callable[[str, OSError], str]) -> None:
        self._lake, self._read, self._why_unreadable = lake, read, why_unreadable

    def row(self, document_id: str) -> dict[str, Any]:
        """The document's row of the table ``documents``, in any corpus.

        Raises PageGone if a later refresh changed or removed it, NoSuchPage if there never was one.
        """
        for corpus in self._lake.values("documents", "corpus"):
            rows = self._lake.read("documents", corpus=corpus)
            for row in rows.filter(pc.equal(rows["document_id"], document_id)).to_pylist():
                if row["status"] == "indexed":
                    return dict(row)
        if ConvertedCache(self._lake).has_document(document_id):
            raise PageGone(
                "the document was changed or removed by a later refresh: ask again, to be shown what is there"
            )
        raise NoSuchPage(f"there is no document {document_id[:40]!r}: take the id from a citation")

    def document(self, row: Mapping[str, Any]) -> Document:
        """The converted document from the cache, or rebuilt from the tables if the cache was cleared."""
        kept = ConvertedCache(self._lake).document(row["document_id"])
        if isinstance(kept, Document):
            return kept
        tables = (self._lake.read(name, corpus=row["corpus"]) for name in ("pages", "elements", "lines"))
        found = (table.filter(pc.equal(table["document_id"], row["document_id"])).to_pylist() for table in tables)
        return next(iter(documents_from_rows([dict(row)], *found)))

    def data(self, row: Mapping[str, Any]) -> bytes:
        """The bytes that the document was converted from. Raises PageGone or SourceChanged if the source lost them."""
        kept = MemberCache(self._lake).member(row["content_sha256"])
        if kept is not None:
            return kept
        name = row["file_name"]
        try:
            data = self._read(f"{row['source'].rstrip('/')}/{name}")
        except (FileNotFoundError, NotADirectoryError) as error:
            raise PageGone(
                f"{name} is not in its folder any more: put it back, or refresh, so that it stops answering"
            ) from error
        except OSError as error:
            raise PageGone(self._why_unreadable(name, error)) from error
        if hashlib.sha256(data).hexdigest() != row["content_sha256"]:
            raise SourceChanged(f"{name} was written to since it was indexed: refresh, and ask again")
        return data
