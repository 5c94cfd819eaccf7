"""Printed page labels come from the file, or from numbers in headers and footers that count on."""

from __future__ import annotations

from dataclasses import replace

from tasks.conversion.document.page_labels import printed_labels
from tasks.records import Document, Element, Page


def document_of(footers: list[str], labels: dict[int, str] | None = None) -> Document:
    """A document of one page for each footer, "" for none, with own labels by index."""
    pages = tuple(Page(at + 1, at, at + 1, "native", label=(labels or {}).get(at)) for at in range(len(footers)))
    elements = tuple(Element("footer", text, None, None, at + 1) for at, text in enumerate(footers) if text)
    return Document("id", "a.pdf", "sha", "pdf", "A", text="x" * len(footers), pages=pages, elements=elements)


def test_numbers_that_count_on_are_labels_and_pages_between_are_counted() -> None:
    assert printed_labels(document_of(["", "Cover 2022", "1", "2", "", "4"])) == ["", "", "1", "2", "3", "4"]


def test_pages_that_print_their_number_have_no_label() -> None:
    assert printed_labels(document_of([f"Guide v5 Page {at} of 4" for at in (1, 2, 3, 4)])) is None
    assert printed_labels(document_of(["", "", ""])) is None
    assert printed_labels(document_of([])) is None


def test_numbers_that_stay_or_jump_are_no_labels() -> None:
    assert printed_labels(document_of(["Type 7 report"] * 9)) is None
    assert printed_labels(document_of(["12", "40", "7"])) is None


def test_an_annex_that_begins_anew_has_its_own_numbers() -> None:
    assert printed_labels(document_of(["", "1", "2", "3", "1", "2"])) == ["", "1", "2", "3", "1", "2"]


def test_a_files_own_labels_come_first() -> None:
    document = document_of(["", "1", "2"], {0: "i", 1: "ii"})
    assert printed_labels(document) == ["i", "ii", "2"]
    assert printed_labels(replace(document, elements=())) == ["i", "ii", ""]
