"""Cache of the page finder's matrices, beside the converted files that they were fitted on."""

from __future__ import annotations

from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.conversion.files.version import LOGIC_VERSION as CONVERSION_VERSION
from tasks.pages.finders.verbatim import LOGIC_VERSION


class PageCache(ConvertedCache):
    """The converted files and their page finder's matrices. A new conversion of a file drops its matrices."""

    def put_page_matrices(self, document_id: str, raw: bytes) -> None:
        """Store the page finder's matrices of a converted file."""
        self._lake.put(raw, *_pages(document_id))

    def page_matrices(self, document_id: str) -> bytes | None:
        """The page finder's matrices of a converted file."""
        return self._lake.get(*_pages(document_id)) or None


def _pages(document_id: str) -> tuple[str, ...]:
    return "cache", "pages", f"{document_id}-{CONVERSION_VERSION}-{LOGIC_VERSION}.npz"
