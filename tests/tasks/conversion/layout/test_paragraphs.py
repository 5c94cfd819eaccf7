from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.conversion.layout.page import Cell, Line
from tasks.conversion.layout.paragraphs import Typography, build_blocks
from tasks.conversion.layout.tables import find_tables
from tasks.text.characters import LINE_END_HYPHEN, fold


def line(text: str, y: float, size: float = 11.0, bold: bool = False, x0: float = 72.0, x1: float = 0.0) -> Line:
    return Line(text, x0, x1 or x0 + 0.5 * size * len(text), y, y, size, bold)


FULL = "words that run on to the end of the line as they do in any other paragraph of a text"


def kinds(lines: list[Line]) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in build_blocks(lines, Typography(tuple(lines)))]


def test_lines_of_a_paragraph_are_joined_and_paragraphs_parted() -> None:
    lines = [
        line("First " + FULL, 700),
        line("and " + FULL, 686),
        line("its end.", 672),
        line("Second " + FULL, 650),
        line("its end too.", 636),
    ]
    assert kinds(lines) == [
        ("paragraph", f"First {FULL} and {FULL} its end."),
        ("paragraph", f"Second {FULL} its end too."),
    ]


def test_a_short_last_line_ends_a_paragraph_without_any_gap() -> None:
    lines = [line("First " + FULL, 700), line("ends here.", 686), line("Second " + FULL, 672)]
    assert [text for _, text in kinds(lines)] == [f"First {FULL} ends here.", f"Second {FULL}"]


def test_the_dots_of_a_contents_are_one_and_their_line_is_no_title() -> None:
    lines = [line("1.1 Encryption . . . . . . . . . . . . . 4", 700), line("1.2 Keys.........12", 686)]
    assert kinds(lines) == [("paragraph", "1.1 Encryption … 4"), ("paragraph", "1.2 Keys … 12")]


def test_titles_by_size_weight_and_number() -> None:
    lines = [
        line("Security Policy", 760, 20),
        line("1.2 Encryption", 720),
        line("All data " + FULL, 700),
        line("are encrypted.", 686),
        line("Keys", 660, bold=True),
        line("Keys " + FULL, 640),
        line("are rotated.", 626),
    ]
    blocks = build_blocks(lines, Typography(tuple(lines)))
    assert [block.text for block in blocks if block.kind == "title"] == [
        "Security Policy",
        "1.2 Encryption",
        "Keys",
    ]
    levels = [block.level for block in blocks if block.kind == "title"]
    assert levels[0] < levels[1] and levels[0] < levels[2]


def test_list_items_with_wrapped_lines() -> None:
    lines = [
        line("The measures are:", 700),
        line("• first " + FULL, 680),
        line("and its end", 666, x0=84),
        line("• second", 652),
        line("2. numbered", 638),
    ]
    assert kinds(lines) == [
        ("paragraph", "The measures are:"),
        ("list_item", f"• first {FULL} and its end"),
        ("list_item", "• second"),
        ("list_item", "2. numbered"),
    ]


def test_hyphens_are_mended_over_lines() -> None:
    lines = [
        line("We value confiden-", 700, x1=500),
        line("tiality and out-of" + LINE_END_HYPHEN + "hours work.", 686),
    ]
    assert kinds(lines) == [("paragraph", "We value confidentiality and out-of-hours work.")]


def test_a_number_keeps_its_hyphen_without_a_blank() -> None:
    lines = [line("The gates have a 24-", 700, x1=500), line("hour guard.", 686)]
    assert kinds(lines) == [("paragraph", "The gates have a 24-hour guard.")]


def row(y: float, *cells: tuple[float, str]) -> Line:
    parts = tuple(Cell(x, text, 0.0 if i == 0 else 4.0) for i, (x, text) in enumerate(cells))
    text = " ".join(part.text for part in parts)
    return Line(text, cells[0][0], 500.0, y, y, 10.0, False, parts if len(parts) > 1 else ())


def test_a_table_becomes_rows() -> None:
    lines = [
        row(700, (72, "Control"), (200, "Owner")),
        row(682, (72, "Backups"), (200, "Platform team")),
        row(664, (72, "Access review")),
        row(652, (72, "of all systems")),
        row(664, (200, "Security")),
        line("After the table.", 600, 10),
    ]
    (table,) = find_tables(lines)
    assert tuple(row.text for row in table.rows) == (
        "Control | Owner",
        "Backups | Platform team",
        "Access review of all systems | Security",
    )
    assert [block.kind for block in build_blocks(lines, Typography(tuple(lines)))] == ["table", "paragraph"]


def test_one_wide_gap_is_no_table() -> None:
    assert find_tables([row(700, (72, "Left"), (300, "Right")), line("Words.", 680, 10)]) == []


LINES = st.lists(
    st.builds(
        lambda text, x, y, size, bold: Line(text, x, x + 5 * len(text), y, y, size, bold),
        st.text(alphabet=st.sampled_from("abAB1.-•: " + LINE_END_HYPHEN), min_size=1, max_size=40),
        st.sampled_from([72.0, 90.0, 300.0]),
        st.floats(30, 800),
        st.sampled_from([0.0, 8.0, 11.0, 18.0]),
        st.booleans(),
    ),
    max_size=25,
)


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_no_word_is_moved_or_lost(lines: list[Line]) -> None:
    blocks = build_blocks(lines, Typography(tuple(lines)))
    assert fold("".join(block.text for block in blocks)) == fold("".join(one.text for one in lines))
