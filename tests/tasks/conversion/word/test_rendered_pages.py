from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tasks.conversion.document.assembly import Block
from tasks.conversion.word.rendered_pages import place_blocks
from tasks.text.characters import fold

A = "All customer data are encrypted at rest and in transit."
B = "Backups are taken every night, and are restored once a quarter into a network of their own."
C = "Suppliers are reviewed before they are used and once a year from then on."


def paged(blocks: list[Block], pages: list[str]) -> list[list[str]]:
    return [[block.text for block in page] for page in place_blocks(blocks, pages)]


def texts(*given: str) -> list[Block]:
    return [Block("paragraph", text) for text in given]


def test_blocks_follow_the_pages() -> None:
    assert paged(texts(A, B, C), [f"Acme 1\n{A}", f"Acme 2\n{B} {C}"]) == [[A], [B, C]]


def test_line_ends_and_hyphens_of_the_rendering_do_not_count() -> None:
    pages = ["All cus\ufffetomer data are\r\nencrypted at rest and in transit.", B]
    assert paged(texts(A, B), pages) == [[A], [B]]


def test_a_paragraph_over_two_pages_is_parted_between_words() -> None:
    one, two = B.split(", and ")
    pages = [f"Header {A} {one}, and 1 of 2", f"Header {two} 2 of 2"]
    assert paged(texts(A, B), pages) == [[A, f"{one}, and"], [two]]


def test_a_table_is_parted_between_rows() -> None:
    table = Block("table", f"Control | Text\nOne | {A}\nTwo | {B}", html="<table/>")
    first, second = place_blocks([table], [f"Control Text One {A}", f"Two {B}"])
    assert [block.text for block in first] == [f"Control | Text\nOne | {A}"]
    assert [(block.kind, block.text) for block in second] == [("table", f"Two | {B}")]


def test_notes_stand_at_the_foot_and_move_nothing_else() -> None:
    one, two = B.split(", and ")
    notes = [Block("notes", text) for text in ("Except for contractors.", "Since 2019.", "Never seen.")]
    blocks = [*texts(A), notes[0], *texts(B), notes[1], notes[2], *texts(C)]
    pages = [f"{A} {one}, and 1 Except for contractors. 2 Since 2019.", f"{two} {C}"]
    assert paged(blocks, pages) == [
        [A, "Except for contractors.", f"{one}, and", "Since 2019."],
        [two, "Never seen.", C],
    ]
    at_the_end = [f"{A} {one}, and", f"{two} {C}", "i Since 2019."]
    assert paged([*texts(A), notes[1], *texts(B, C)], at_the_end)[1:] == [[two, C], ["Since 2019."]]


def test_what_is_not_found_stays_with_what_stands_before_it() -> None:
    assert paged(texts(A, "A drawing's words", B), [A, B]) == [[A, "A drawing's words"], [B]]


def test_a_short_text_does_not_leap_over_what_follows() -> None:
    assert paged(texts(A, "Yes.", C, B), [f"{A} {C}", f"{B} yes"]) == [[A, "Yes.", C], [B]]


def test_the_same_words_twice_come_in_order() -> None:
    assert paged(texts(A, B, A, C), [f"{A} {B}", f"{A} {C}"]) == [[A, B], [A, C]]


def test_a_page_without_text_has_no_blocks() -> None:
    assert paged(texts(A, B), [A, "", B]) == [[A], [], [B]]
    assert place_blocks(texts(A), []) == []
    assert place_blocks([], [A]) == [[]]


CLAUSES = [f"Clause {number} says that item {number} is kept for {number + 30} days." for number in range(40)]


def test_a_text_that_stands_again_further_on_moves_nothing() -> None:
    """The first paragraph is shown with what was deleted from it, and stands as it is in the annex."""
    changed = "The supplier notifies within 24 hours of any incident that concerns the customer."
    shown = changed.replace("24 hours", "72 hours24 hours")
    pages = [f"{shown} {CLAUSES[0]}", " ".join(CLAUSES[1:20]), " ".join(CLAUSES[20:]), f"Annex {changed}"]
    placed = paged(texts(changed, *CLAUSES, "Annex", changed), pages)
    assert placed == [[changed, CLAUSES[0]], CLAUSES[1:20], CLAUSES[20:], ["Annex", changed]]


def test_what_a_page_shows_otherwise_at_its_top_stands_on_it() -> None:
    made = [f"As of today the service number {number} comes back in {number} hours." for number in range(4)]
    pages = [f"As of 1 May 2024 the service number {number} comes back in {number} hours." for number in range(4)]
    assert paged(texts(*made), pages) == [[one] for one in made]


def test_a_paragraph_goes_on_over_three_pages() -> None:
    pages = ["Top " + " ".join(CLAUSES[:9]), "Top " + " ".join(CLAUSES[9:30]) + " 2", "Top " + " ".join(CLAUSES[30:])]
    cut = [" ".join(CLAUSES[:9]), " ".join(CLAUSES[9:30]), " ".join(CLAUSES[30:])]
    assert paged(texts(" ".join(CLAUSES)), pages) == [[piece] for piece in cut]


def test_the_cells_of_a_row_go_on_over_a_page_side_by_side() -> None:
    rules = [f"Rule {number} binds every member of the staff of the north." for number in range(40)]
    row = f"Access | {' '.join(CLAUSES)} | {' '.join(rules)}"
    table = Block("table", f"Topic | Clauses | Rules\n{row}\nNext | Short | Row")
    pages = [
        "Topic Clauses Rules Access " + " ".join(CLAUSES[:25]) + " " + " ".join(rules[:30]),
        "Page 2 " + " ".join(CLAUSES[25:]) + " " + " ".join(rules[30:]) + " Next Short Row",
    ]
    first, second = paged([table], pages)
    assert first == [f"Topic | Clauses | Rules\nAccess | {' '.join(CLAUSES[:25])} | {' '.join(rules[:30])}"]
    assert second == [f"{' '.join(CLAUSES[25:])} | {' '.join(rules[30:])}\nNext | Short | Row"]


def test_a_row_of_short_cells_stays_whole_where_most_of_it_is() -> None:
    rows = [f"Topic {number} | {CLAUSES[number]} | {CLAUSES[number + 20]}" for number in range(3)]
    most = CLAUSES[21].removesuffix(" days.")
    pages = [
        " ".join([rows[0].replace(" |", ""), "Topic 1", CLAUSES[1], most, "Acme 1"]),
        " ".join(["Topic Clauses days.", rows[2].replace(" |", "")]),
    ]
    assert paged([Block("table", "\n".join(rows))], pages) == [["\n".join(rows[:2])], [rows[2]]]


def test_rows_that_are_all_alike_are_counted_from_page_to_page() -> None:
    row = "Backup media | are encrypted | in the vault"
    plain = row.replace(" |", "")
    pages = [f"Acme {page} " + " ".join([plain] * 30) + " Confidential" for page in range(1, 5)]
    placed = paged([Block("table", "\n".join([row] * 120))], pages)
    assert [text.count(row) for (text,) in placed] == [30, 30, 30, 30]


def test_scripts_without_blanks_are_found_by_their_characters() -> None:
    one, two = "バックアップは毎晩作成され、暗号化されて保管されます。", "鍵は毎年交換され、記録されます。"
    assert paged(texts(one, two), [one, two]) == [[one], [two]]


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "—"]), min_size=1, max_size=12).map(" ".join)


@given(
    st.lists(st.builds(Block, st.sampled_from(["paragraph", "title", "table"]), WORDS), max_size=6),
    st.lists(WORDS, min_size=1, max_size=4),
)
def test_no_word_is_moved_or_lost(blocks: list[Block], pages: list[str]) -> None:
    placed = place_blocks(blocks, pages)
    assert len(placed) == len(pages)
    assert fold("".join(b.text for page in placed for b in page)) == fold("".join(b.text for b in blocks))


@given(st.lists(WORDS.map(lambda words: f"{words} and so it was in the end."), min_size=1, max_size=6), st.data())
def test_cut_anywhere_the_pages_are_found_again(paragraphs: list[str], data: st.DataObject) -> None:
    """A rendering is the text itself, cut into two pages between two words."""
    numbered = [
        f"{word} paragraph: {text}"
        for word, text in zip("One Two Three Four Five Six".split(), paragraphs, strict=False)
    ]
    whole = "\n".join(numbered)
    spaces = [index for index, c in enumerate(whole) if c in " \n"]
    cut = data.draw(st.sampled_from(spaces))
    first, second = place_blocks(texts(*numbered), [whole[:cut], whole[cut:]])
    start = whole.rfind("\n", 0, cut) + 1
    end = whole.find("\n", cut) if "\n" in whole[cut:] else len(whole)
    # A piece of a few letters on either side is too little to go by, and stays with its paragraph.
    near = min(len(fold(whole[start:cut])), len(fold(whole[cut:end])))
    if near > 20 or near == 0:
        assert fold("".join(block.text for block in first)) == fold(whole[:cut])
        assert fold("".join(block.text for block in second)) == fold(whole[cut:])
