"""Hits and what is cited from them show the document's name and the page's printed label."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks.records import Citation, Duplicate, PageSpan
from tasks.retrieval.ranking.told_documents import Told, with_names
from tests.made.chunks import chunk_of
from tests.made.hits import hit as hit_of

TOLD = {"a.pdf": Told("Boeing 2018 annual report", None, page_labels=("", "", "1"))}


def test_chunks_and_duplicates_are_named_and_labelled() -> None:
    chunk = replace(chunk_of("Text.", file_name="a.pdf"), page_spans=(PageSpan(3, 0, 5),))
    hit = replace(
        hit_of("Text."),
        chunk=chunk,
        handed_over=(chunk,),
        around=(chunk,),
        duplicates=(Duplicate("a.pdf", 3, None, None),),
    )
    (named,) = with_names([hit], TOLD)
    for one in (named.chunk, *named.chunks, *named.around):
        assert (one.document_name, one.label_of(3), one.label_of(4)) == ("Boeing 2018 annual report", "1", "")
    assert named.duplicates[0].locator == "a.pdf, p. 1 (sheet 3)"
    assert with_names([hit], {}) == [hit]
    assert with_names([], TOLD) == []


def test_a_page_without_a_known_label_has_none() -> None:
    assert [TOLD["a.pdf"].label_of(number) for number in (1, 3, 9, None)] == ["", "1", "", ""]


CITED = Citation("id", "guide.pdf", "sha", 8, "Copies.", 0, 7, section_path="Manual > Backups")


@pytest.mark.parametrize(
    ("citation", "place"),
    [
        (CITED, "guide.pdf, § Backups, p. 8"),
        (replace(CITED, section_path=""), "guide.pdf, p. 8"),
        (replace(CITED, page_number=None), "guide.pdf, § Backups"),
        (
            replace(CITED, page_number=None, section_path="", sheet_name="S", row_number=3),
            "guide.pdf, sheet S, row 3",
        ),
        (replace(CITED, page_number=None, section_path="", row_number=3), "guide.pdf, row 3"),
        (replace(CITED, page_label="iv", document_name="Guide"), "guide.pdf, § Backups, p. iv (sheet 8)"),
        (replace(CITED, document_name="Backup guide 2024"), "Backup guide 2024: guide.pdf, § Backups, p. 8"),
    ],
)
def test_places_of_citations(citation: Citation, place: str) -> None:
    assert citation.place == place


def test_short_places_have_the_label_as_well() -> None:
    labelled = replace(CITED, page_label="iv")
    assert labelled.locator == "guide.pdf, p. iv (sheet 8)"
    assert labelled.inline == "[§ Backups, p. iv (sheet 8)]"
