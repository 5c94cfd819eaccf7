"""Files worth converting again, because this machine now has tesseract, LibreOffice or other limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from tasks.conversion.document.serialization import is_rendered
from tasks.records import Document, Quarantined, SourceFile

INSTALL_OCR = "install tesseract to read it"
"""The end of the reason for a scanned file that was not read because OCR is missing."""

Note = Literal["unrendered", "unread"]
"""Note on a converted file: ``unrendered`` where LibreOffice was there and could not lay it out, ``unread`` where OCR
was missing and some of its pages are pictures."""
_PDF = b'"kind":"pdf"'
_UNREAD = b'"text_source":"none"'


class Help(NamedTuple):
    """The helpers and limits of this machine, and the ids of files converted without them or in vain.

    ``unread`` have pages that are pictures and were read without OCR; ``unrendered`` could not be laid out.
    """

    limits: str
    has_ocr: bool
    has_renderer: bool
    unread: frozenset[str]
    unrendered: frozenset[str]

    def may_serve(self, file: SourceFile, row: Mapping[str, Any] | None) -> bool:
        """Tell if it is worth loading the file's document for :meth:`serves`; ``row`` is its published row."""
        if self.has_ocr and file.document_id in self.unread:
            return True
        if row is None or row["content_sha256"] != file.content_sha256:
            return False
        return row["status"] == "quarantined" or (row["kind"] == "docx" and not row["is_rendered"])

    def serves(self, file: SourceFile, cached: Document | Quarantined | None) -> bool:
        """Tell if converting the file again would help.

        It was refused for lack of OCR, by other limits, or by a crash; or it has pages without text, or no page layout,
        for lack of a helper that this machine has now.
        """
        if file.refused or cached is None:
            return False
        if isinstance(cached, Quarantined):
            if cached.depends_on:
                return cached.depends_on != self.limits
            return cached.reason.endswith(INSTALL_OCR) and self.has_ocr
        if self.has_ocr and file.document_id in self.unread:
            return True
        return self.could_render(cached) and file.document_id not in self.unrendered

    def could_render(self, document: Document | Quarantined) -> bool:
        """Tell if the document is a Word file whose pages were not laid out, on a machine that can."""
        if not isinstance(document, Document) or document.kind != "docx" or is_rendered(document):
            return False
        return self.has_renderer


def has_unread_pages(raw: bytes) -> bool:
    """Tell if a document, as JSON that may be too long to parse, is a PDF with pages of unread pictures."""
    return _PDF in raw and _UNREAD in raw
