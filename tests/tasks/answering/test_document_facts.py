"""The facts of documents, whichever version of the conversion left them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tasks.answering.document_facts import facts_of
from tasks.conversion.document.serialization import first_page_from_json, to_json
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.records import Document, Quarantined
from tasks.storage.lake import Lake
from tests.made.chunks import document_of

DAY = date(2025, 6, 1)
MADE = replace(
    document_of(["Owner: Chief Architect\nValid until 31 December 2025", "Owner: nobody\nSuperseded by version 9"]),
    document_date=DAY,
)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path))


def kept(lake: Lake, document: Document | Quarantined, version: str) -> None:
    lake.put(to_json(document), "index", "converted", f"{document.document_id}-{version}.json")


@pytest.mark.parametrize("version", ["", "2"], ids=["this conversion", "one before an upgrade"])
def test_a_published_document_tells_its_facts_whatever_converted_it(lake: Lake, version: str) -> None:
    kept(lake, MADE, version) if version else ConvertedCache(lake).put_document(MADE)
    facts = facts_of(ConvertedCache(lake), lambda: date(2026, 1, 1))
    told = (facts.owner, facts.dated, facts.standing)
    assert [fact(MADE.document_id) for fact in told] == ["Chief Architect", DAY, "Valid until 31 December 2025"]
    assert [fact("0" * 16) for fact in told] == [None, None, ""]


def test_the_newest_conversion_tells_them(lake: Lake) -> None:
    for version, owner in (("9", "Ann"), ("10", "Bob"), ("2", "Cy")):
        kept(lake, replace(MADE, text=f"Owner: {owner}"), version)
    assert facts_of(ConvertedCache(lake)).owner(MADE.document_id) == "Bob"
    ConvertedCache(lake).put_document(replace(MADE, text="Owner: Dee"))
    assert facts_of(ConvertedCache(lake)).owner(MADE.document_id) == "Dee"


def test_a_document_holds_until_its_last_day(lake: Lake) -> None:
    ConvertedCache(lake).put_document(MADE)
    assert facts_of(ConvertedCache(lake), lambda: date(2025, 12, 31)).standing(MADE.document_id) == ""


def test_the_first_page_is_read_alone() -> None:
    first = first_page_from_json(to_json(MADE))
    assert first is not None and first.text == MADE.text[: MADE.pages[0].end] and first.title == MADE.title
    assert [(page.start, page.end) for page in first.pages] == [(0, len(first.text))]
    assert first_page_from_json(to_json(Quarantined("d", "a.pdf", "0", "it is empty"))) is None
    bare = first_page_from_json(to_json(replace(MADE, pages=(), elements=())))
    assert bare is not None and (bare.text, bare.pages) == (MADE.text, ())
