from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.conversion.document.assembly import Block, PageBlocks, is_sensible_title
from tasks.records import DocumentKind
from tests.made.conversions import assembled, check_offsets
from tests.made.source_files import source_of

SOURCE = source_of("folder/policy.pdf", b"x")
BLOCKS = st.builds(
    Block,
    kind=st.sampled_from(["title", "paragraph", "list_item", "table", "row", "notes"]),
    text=st.text(alphabet="ab \n|é", max_size=12).map(str.strip),
    level=st.tuples(st.integers(0, 3), st.integers(0, 2)),
    html=st.none(),
    row_number=st.none() | st.integers(1, 9),
    parts=st.just(()),
)


@given(
    st.lists(st.lists(BLOCKS, max_size=6), max_size=5),
    st.lists(st.sampled_from(["header", "footer"]), max_size=2),
)
def test_offsets_hold_for_any_blocks(pages: list[list[Block]], asides: list[str]) -> None:
    drafts = [
        PageBlocks(number, "native", tuple(blocks), tuple(Block(kind, "running") for kind in asides))  # type: ignore[arg-type]
        for number, blocks in enumerate(pages, start=1)
    ]
    document = assembled(SOURCE, "pdf", drafts)
    check_offsets(document)
    assert len(document.pages) == len(pages)
    assert "running" not in document.text


def test_section_paths_follow_the_titles_above() -> None:
    blocks = (
        Block("title", "A", (0, 0)),
        Block("title", "A.1", (1, 0)),
        Block("paragraph", "one"),
        Block("title", "A.2", (1, 0)),
        Block("paragraph", "two"),
        Block("title", "B", (0, 0)),
    )
    after = (Block("paragraph", "three"), Block("row", "four", section="Topic"))
    document = assembled(SOURCE, "pdf", [PageBlocks(1, "native", blocks), PageBlocks(2, "native", after)])
    assert [(e.text, e.section_path) for e in document.elements] == [
        ("A", ""),
        ("A.1", "A"),
        ("one", "A > A.1"),
        ("A.2", "A"),
        ("two", "A > A.2"),
        ("B", ""),
        ("three", "B"),
        ("four", "B > Topic"),
    ]
    assert document.text == "A\nA.1\none\nA.2\ntwo\nB\n\nthree\nfour"


def sections(kind: DocumentKind, *pages: PageBlocks) -> list[tuple[str, str]]:
    return [(e.text, e.section_path) for e in assembled(SOURCE, kind, pages).elements]


def test_a_section_ends_with_its_sheet() -> None:
    first = PageBlocks(None, "none", (Block("title", "Part 2: Privacy"), Block("row", "one")), sheet_name="Legal")
    second = PageBlocks(None, "none", (Block("row", "two"),), sheet_name="Technology")
    assert sections("xlsx", first, second) == [("Part 2: Privacy", ""), ("one", "Part 2: Privacy"), ("two", "")]


def test_a_slide_stands_below_its_own_titles_and_without_any_below_those_before() -> None:
    first = PageBlocks(1, "native", (Block("title", "Backups"), Block("paragraph", "one")))
    second = PageBlocks(2, "native", (Block("paragraph", "two"),))
    third = PageBlocks(3, "native", (Block("paragraph", "three"), Block("title", "Audits", (1, 0))))
    assert sections("pptx", first, second, third) == [
        ("Backups", ""),
        ("one", "Backups"),
        ("two", "Backups"),
        ("three", ""),
        ("Audits", ""),
    ]


@pytest.mark.parametrize(
    ("blocks", "metadata", "title"),
    [
        ((Block("title", "Policy"), Block("paragraph", "x")), "Information Security", "Information Security"),
        ((Block("title", "Policy"), Block("paragraph", "x")), "Microsoft Word - policy.docx", "Policy"),
        ((Block("title", "Acme", (0, 0)), Block("title", "Policy", (1, 0))), "", "Acme – Policy"),
        ((Block("paragraph", "x"),), "untitled", "policy"),
        ((Block("title", "1. Scope"), Block("paragraph", "x")), "", "policy"),
        ((Block("title", "2.1 Passwords"), Block("paragraph", "x")), "", "policy"),
        ((Block("title", "24 Hour Cover"), Block("paragraph", "x")), "", "24 Hour Cover"),
        ((), None, "policy"),
    ],
)
def test_title(blocks: tuple[Block, ...], metadata: str | None, title: str) -> None:
    assert assembled(SOURCE, "pdf", [PageBlocks(1, "native", blocks)], metadata).title == title


@pytest.mark.parametrize(
    "title", ["", "  ", "(anonymous)", "Document1", "PowerPoint Presentation", "report.pdf", "123"]
)
def test_titles_that_say_nothing(title: str) -> None:
    assert not is_sensible_title(title)
