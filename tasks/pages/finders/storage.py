"""Serialization of a page finder's matrices, and loading the page finder of a corpus."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from tasks.pages.finders.finder import BestPage, FilePages
from tasks.pages.finders.verbatim import VerbatimPages, fit_verbatim_pages
from tasks.records import Document, Quarantined


class FileMatrices(NamedTuple):
    """The page numbers of a file and the verbatim page finder's matrices for it, which contain the TF-IDF ones."""

    numbers: tuple[int, ...]
    pages: VerbatimPages

    def to_bytes(self) -> bytes:
        """Serialize the matrices as an ``.npz``, without pickle."""
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {"numbers": np.array(self.numbers, dtype=np.int32), **self.pages.to_arrays()}
        np.savez(buffer, **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> FileMatrices:
        """Read the matrices that :meth:`to_bytes` wrote."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            return cls(tuple(arrays["numbers"].tolist()), VerbatimPages.from_arrays(dict(arrays)))


class Cache(Protocol):
    """The cache of converted documents and their page finder matrices."""

    def document(self, document_id: str) -> Document | Quarantined | None:
        """The converted document, the record of its quarantine, or None if it is not cached."""
        ...

    def page_matrices(self, document_id: str) -> bytes | None:
        """The serialized page finder matrices of the document, or None if they are not cached."""
        ...


def pages_of(document: Document) -> FilePages:
    """The document's numbered pages and their texts."""
    numbered = [page for page in document.pages if page.page_number is not None]
    return FilePages(
        tuple(page.page_number for page in numbered if page.page_number is not None),
        tuple(document.text[page.start : page.end] for page in numbered),
    )


def fit_file(document: Document) -> FileMatrices:
    """Fit the page finder's matrices of one document."""
    pages = pages_of(document)
    return FileMatrices(pages.numbers, fit_verbatim_pages(pages.texts))


def load_finder(cache: Cache, document_ids: Iterable[str]) -> BestPage:
    """Load the verbatim page finder over those documents; matrices that are not cached are fitted again."""
    found = (cache.document(document_id) for document_id in document_ids)
    return BestPage(
        {document.file_name: matrices_of(cache, document) for document in found if isinstance(document, Document)}
    )


def matrices_of(cache: Cache, document: Document) -> FileMatrices:
    """The page finder's matrices of one document, fitted again if they are not cached."""
    kept = cache.page_matrices(document.document_id)
    return FileMatrices.from_bytes(kept) if kept else fit_file(document)
