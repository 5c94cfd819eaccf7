"""A quote is cited with the section that it stands in, not with the one that its chunk begins in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from tasks.answering.quotes.passages import best_quote
from tasks.answering.quotes.sections import section_starts, sections_of, with_sections
from tasks.conversion.files.converted_cache import ConvertedCache
from tasks.records import Chunk, Hit
from tasks.storage.lake import Lake
from tests.made.chunks import chunk_of

FIRST = "Requests of data subjects are passed on to the customer. "
TITLE = "8 Breaches\n"
SECOND = "Customers are told of a breach within 48 hours of its confirmation."
STARTS = [(0, "A"), (100, "A > 7 Help"), (100 + len(FIRST), "A > 8 Breaches"), (900, "A > 9 End")]


def hit_of(chunk: Chunk) -> Hit:
    return Hit("q", 1, chunk, 1.0, 0.9, 0.5, 0.9)


def test_a_quote_has_its_own_section() -> None:
    chunk = replace(chunk_of(FIRST + TITLE + SECOND, start=100), section_path="A > 7 Help")
    told = with_sections({"q": [hit_of(chunk)]}, lambda _: STARTS)["q"][0]
    assert told.chunk.section_starts == (STARTS[2],)
    for text, path in ((FIRST.strip(), "A > 7 Help"), (SECOND, "A > 8 Breaches")):
        cited = best_quote(text, told)
        assert cited is not None and (cited.quote, cited.section_path) == (text, path)
    assert best_quote(SECOND, told).inline == "[§ 8 Breaches, p. 1]"  # type: ignore[union-attr]
    unknown = with_sections({"q": [hit_of(chunk)]}, lambda _: [])["q"][0]
    assert unknown.chunk == chunk and best_quote(SECOND, unknown).section_path == "A > 7 Help"  # type: ignore[union-attr]


def test_what_is_handed_over_with_a_hit_is_told_too() -> None:
    one = replace(chunk_of(FIRST + SECOND, start=100), section_path="A > 7 Help")
    told = with_sections({"q": [replace(hit_of(one), handed_over=(one, one))]}, lambda _: STARTS)["q"][0]
    assert [chunk.section_starts for chunk in told.chunks] == [(STARTS[2],)] * 2
    assert with_sections({}, lambda _: STARTS) == {}


@pytest.mark.parametrize(
    ("offset", "path"), [(100, "A > 7 Help"), (STARTS[2][0] - 1, "A > 7 Help"), (STARTS[2][0], "A > 8 Breaches")]
)
def test_a_section_holds_from_its_first_character(offset: int, path: str) -> None:
    chunk = replace(chunk_of(FIRST + SECOND, start=100), section_path="A > 7 Help", section_starts=(STARTS[2],))
    assert chunk.section_at(offset) == path


def test_sections_begin_where_the_path_is_another() -> None:
    elements = [(None, "header"), (30, "A"), (0, ""), (10, "A"), (50, "A > B"), (70, None)]
    assert section_starts(elements) == [(0, ""), (10, "A"), (50, "A > B"), (70, "")]
    assert section_starts([]) == []


def test_without_the_cache_the_table_of_elements_tells_them_and_each_document_is_read_once(tmp_path: Path) -> None:
    read: list[str] = []

    class Cache(ConvertedCache):
        def section_paths(self, document_id: str) -> list[tuple[int | None, str]] | None:
            read.append(document_id)
            return [(0, "kept")] if document_id == "kept" else None

    class Elements(Lake):
        def read(self, table: str, **partition: str) -> pa.Table:
            assert (table, partition) == ("elements", {"corpus": "c"})
            rows = {"document_id": ["gone", "other"], "start_offset": [5, 6], "section_path": ["told", "no"]}
            return pa.table(rows)

    lake = Elements(str(tmp_path))
    sections = sections_of(Cache(lake), lake, "c")
    assert sections("kept") == [(0, "kept")] and sections("gone") == [(5, "told")] and sections("none") == []
    sections("kept")
    assert read == ["kept", "gone", "none"]
