"""Whom it serves that a machine has by now what it lacked."""

from __future__ import annotations

import pytest

from tasks.conversion.document.serialization import to_json
from tasks.conversion.files.reconversion import INSTALL_OCR, Help, has_unread_pages
from tasks.records import Document, DocumentKind, Page, Quarantined, SourceFile, TextSource

FILE = SourceFile("a.pdf", "a.pdf", 9, "sha")
ID = FILE.document_id
NOTHING = Help("limits", has_ocr=False, has_renderer=False, unread=frozenset(), unrendered=frozenset())
ALL = NOTHING._replace(has_ocr=True, has_renderer=True)


def document(kind: DocumentKind, *sources: TextSource) -> Document:
    pages = tuple(Page(number, 0, 0, source) for number, source in enumerate(sources, start=1))
    return Document(ID, "a", "sha", kind, "a", '"kind":"pdf"', pages, ())


def turned_away(reason: str, depends_on: str = "") -> Quarantined:
    return Quarantined(ID, "a.pdf", "sha", reason, depends_on)


@pytest.mark.parametrize(
    ("help_", "cached", "expected"),
    [
        (ALL, document("pdf", "native", "none"), False),
        (ALL._replace(unread=frozenset({ID})), document("pdf", "native", "none"), True),
        (NOTHING._replace(unread=frozenset({ID})), document("pdf", "native", "none"), False),
        (ALL, document("docx", "breaks"), True),
        (ALL, document("docx", "rendered"), False),
        (ALL._replace(unrendered=frozenset({ID})), document("docx", "breaks"), False),
        (NOTHING, document("docx", "breaks"), False),
        (ALL, turned_away(f"scanned; {INSTALL_OCR}"), True),
        (NOTHING, turned_away(f"scanned; {INSTALL_OCR}"), False),
        (ALL, turned_away("damaged"), False),
        (ALL, turned_away("too long", "other limits"), True),
        (ALL, turned_away("too long", "limits"), False),
        (ALL, None, False),
    ],
)
def test_what_help_serves(help_: Help, cached: Document | Quarantined | None, expected: bool) -> None:
    assert help_.serves(FILE, cached) is expected


def test_what_is_worth_asking() -> None:
    row = {"content_sha256": "sha", "status": "indexed", "kind": "pdf", "is_rendered": False}
    assert not ALL.may_serve(FILE, row) and not ALL.may_serve(FILE, None)
    assert ALL.may_serve(FILE, {**row, "kind": "docx"}) and ALL.may_serve(FILE, {**row, "status": "quarantined"})
    assert not ALL.may_serve(FILE, {**row, "kind": "docx", "content_sha256": "another"})
    assert ALL._replace(unread=frozenset({ID})).may_serve(FILE, row)
    assert not NOTHING._replace(unread=frozenset({ID})).may_serve(FILE, row)


def test_pages_that_wait_are_those_of_a_pdf() -> None:
    assert has_unread_pages(to_json(document("pdf", "native", "none")))
    assert not has_unread_pages(to_json(document("pdf", "native", "ocr")))
    # What a text says of itself is no kind: its quotes are written otherwise.
    assert not has_unread_pages(to_json(document("txt", "none")))
