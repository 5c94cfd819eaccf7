"""The words that go into a PDF come out of it, all of them and in order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configs.demo import pdf
from configs.demo.build import SOURCES
from configs.demo.source import parse
from tests.made.conversions import convert_bytes
from tests.made.known_documents import (
    FONTS,
    KINDS,
    PAGES,
    SIZES,
    Kept,
    Recipe,
    compare,
    demo_text,
    make_document,
    make_rows,
)

LEAST = 0.999

RECIPES = st.builds(
    Recipe,
    seed=st.integers(0, 1 << 30),
    page=st.sampled_from(PAGES),
    font=st.sampled_from(FONTS),
    size=st.sampled_from(SIZES),
    columns=st.sampled_from([1, 1, 2]),
    is_justified=st.booleans(),
    has_running_lines=st.booleans(),
    blocks=st.lists(st.sampled_from(KINDS), min_size=3, max_size=40).map(tuple),
)


@pytest.mark.parametrize(
    ("known", "found", "kept"),
    [
        ("", "", Kept(0, 0, 0)),
        ("a b c", "a b c", Kept(3, 3, 0)),
        ("a b c d", "a x c d y", Kept(4, 3, 2)),
        ("a b c d", "c d a b", Kept(4, 2, 2)),
        ("well-known \ufb01les", "wellknown files", Kept(2, 2, 0)),
        ("one | two", "one two", Kept(2, 2, 0)),
        ("a b", "", Kept(2, 0, 0)),
    ],
)
def test_the_measure(known: str, found: str, kept: Kept) -> None:
    assert compare(known, found) == kept


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_the_measure_is_the_longest_common_subsequence(first: list[str], second: list[str]) -> None:
    """Against the textbook's table."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first, start=1):
        for j, b in enumerate(second, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    assert compare(" ".join(first), " ".join(second)).kept == table[-1][-1]


def test_every_pdf_of_the_demo_comes_back() -> None:
    found: dict[str, Kept] = {}
    for path in sorted((SOURCES / "documents").glob("*.md")):
        source = parse(path.read_text(encoding="utf-8"), path.name)
        if source.front.file.endswith(".pdf"):
            rendered = pdf.render(source)
            document = convert_bytes(source.front.file, rendered.data)
            found[source.front.file] = compare(demo_text(source, rendered), document.text)
    assert len(found) > 5
    assert {name: kept for name, kept in found.items() if kept.share < LEAST} == {}
    assert sum(kept.kept for kept in found.values()) >= LEAST * sum(kept.words for kept in found.values())
    # A table's header is printed again on each page that the table runs over: nothing else comes with the words.
    assert all(kept.others <= 0.01 * kept.words for kept in found.values()), found


@settings(max_examples=25)
@given(RECIPES)
def test_a_random_document_comes_back(recipe: Recipe) -> None:
    made = make_document(recipe)
    document = convert_bytes("a.pdf", made.data)
    kept = compare(made.text, document.text)
    assert len(document.pages) == made.pages
    assert kept.share >= LEAST, kept
    assert kept.others == 0, "running lines are kept out, and nothing is put in"


@settings(max_examples=60)
@given(
    st.integers(0, 1 << 30),
    st.sampled_from(FONTS),
    st.sampled_from(SIZES),
    st.integers(6, 45),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
)
def test_random_columns_that_are_drawn_in_rows_come_back(
    seed: int, font: str, size: float, rows: int, hyphens: float
) -> None:
    made = make_rows(seed, font, size, rows, hyphens)
    kept = compare(made.text, convert_bytes("a.pdf", made.data).text)
    assert kept.share == 1 and kept.others == 0, kept
