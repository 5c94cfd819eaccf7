"""What is quoted with a sentence for it to be understood."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tasks.answering.quotes.passages import Passage, joined_passages, passages_of
from tasks.answering.quotes.quote_context import MAX_LIST_CHARACTERS, announces_nothing, in_full, is_announced
from tasks.records import Chunk, Hit, PageSpan
from tests.made.chunks import chunk_of

KEYS = "Keys of customers are kept in the vault."
ROTATED = "They are rotated every 90 days by the vault itself."
TIPS = "Mind the following when you file a claim:"
ITEMS = ["• Tell us where the service was given.", "• Send us the receipts with it."]


def passage_of(quote: str, chunk: Chunk, *around: Chunk) -> Passage:
    hit = Hit("q", 1, chunk, 0.9, 0.9, 0.9, 0.9, around=around)
    return next(passage for passage in passages_of(hit) if passage.quote == quote)


def cut(text: str, begin: str, end: str = "") -> Chunk:
    """The chunk of ``text`` from ``begin`` to before ``end``."""
    start, past = text.index(begin), text.index(end) if end else len(text)
    return chunk_of(text[start:past].rstrip(), start=start)


def test_a_sentence_that_leans_is_quoted_with_the_one_before_it() -> None:
    full = in_full(passage_of(ROTATED, chunk_of(f"Duties\n{KEYS} {ROTATED} Nobody else can read them.")))
    assert full.quote == full.text == f"{KEYS} {ROTATED}" and full.matched_text == ROTATED


def test_it_may_lean_on_one_that_leans_and_no_further() -> None:
    second, third = "Their copies are kept in Dublin.", "They are never sent by mail."
    text = f"{KEYS} {second} {third}"
    assert in_full(passage_of(third, chunk_of(text))).quote == text
    longer = f"{KEYS} {ROTATED} {second} {third}"
    assert in_full(passage_of(third, chunk_of(longer))).text == f"… {ROTATED} {second} {third}"


def test_what_leans_on_nothing_that_is_there_shows_that_something_stands_before() -> None:
    for before in ("", "Who may read the keys of customers?\n", "Keys and their keepers\n"):
        chunk = replace(chunk_of(f"{before}{ROTATED}"), section_path="Keys and their keepers")
        assert in_full(passage_of(ROTATED, chunk)).text == f"… {ROTATED}"


def test_what_stands_on_the_page_before_is_not_quoted_with_it() -> None:
    text = f"{KEYS} {ROTATED}"
    at = text.index(ROTATED)
    chunk = replace(chunk_of(text), page_spans=(PageSpan(1, 0, at), PageSpan(2, at, len(text))))
    full = in_full(passage_of(ROTATED, chunk))
    assert (full.quote, full.page_number, full.begins_midway) == (ROTATED, 2, True)


def test_a_sentence_that_its_chunk_cuts_is_taken_from_its_beginning() -> None:
    text = f"{KEYS} A joiner's access starts on the first working day and not before."
    first, second = cut(text, KEYS, "starts"), cut(text, "joiner's")
    rest = "joiner's access starts on the first working day and not before."
    assert in_full(passage_of(rest, second)).text == f"… {rest}"
    full = in_full(passage_of(rest, second, first))
    assert full.text == full.quote == f"A {rest}" and full.matched_text == rest
    turned = replace(first, page_spans=(PageSpan(1, 0, text.index("joiner's")),))
    later = replace(second, page_spans=(PageSpan(2, second.start, second.end),))
    assert in_full(passage_of(rest, later, turned)).text == f"… {rest}", "it begins on the page before"


def test_a_list_is_quoted_with_what_announces_it_line_by_line() -> None:
    text = "\n".join([TIPS, *ITEMS, "Claims are paid within 30 days of their receipt."])
    full = in_full(passage_of(TIPS, chunk_of(text)))
    assert full.quote == full.text == "\n".join([TIPS, *ITEMS])
    assert (
        joined_passages([full, passage_of("Claims are paid within 30 days of their receipt.", chunk_of(text))]) == text
    )


def test_lists_of_numbers_rows_and_labels_end_where_they_end() -> None:
    after = "All else is told on the next page."
    for items in (
        ["1. Plan the work (1 week)", "Staff are named.", "2. Do the work (3 weeks)"],
        ["a) Plan the work", "b) Do the work"],
        ["Critical | 4 hours", "High | 1 day"],
        ["Critical: within 4 hours", "High: within a day"],
        ["Within four hours of the call."],
    ):
        text = "\n".join([TIPS, *items, after])
        assert in_full(passage_of(TIPS, chunk_of(text))).quote == "\n".join([TIPS, *items]), items


def test_a_list_that_the_chunk_cuts_shows_that_it_goes_on_or_is_taken_from_the_next() -> None:
    text = "\n".join([TIPS, *ITEMS, "Claims are paid within 30 days."])
    first, second = cut(text, TIPS, ITEMS[1]), cut(text, ITEMS[0])
    assert in_full(passage_of(TIPS, first)).text == f"{TIPS}\n{ITEMS[0]} …"
    assert in_full(passage_of(TIPS, first, second)).quote == "\n".join([TIPS, *ITEMS])
    unmet = cut(text, ITEMS[1])
    assert in_full(passage_of(TIPS, first, unmet)).text == f"{TIPS}\n{ITEMS[0]} …", "what lies between is not known"


def test_the_next_section_is_no_item() -> None:
    text = "\n".join([TIPS, "Emergency: within a day", "Payments: how they are made"])
    chunk = replace(chunk_of(text), section_starts=((text.index("Payments"), "Payments: how they are made"),))
    assert in_full(passage_of(TIPS, chunk)).quote == f"{TIPS}\nEmergency: within a day"


def test_a_long_list_ends_at_one_of_its_lines() -> None:
    items = [f"• The service of the kind {number} is covered in every state." for number in range(60)]
    full = in_full(passage_of(TIPS, chunk_of("\n".join([TIPS, *items]))))
    assert len(full.quote) <= len(TIPS) + MAX_LIST_CHARACTERS
    assert full.quote.splitlines()[-1] in items and full.text.endswith(" …")


def test_what_announces_a_list_that_is_not_there_announces_nothing() -> None:
    assert announces_nothing(passage_of(TIPS, chunk_of(f"Claims are paid in 30 days.\n{TIPS}")))
    assert not announces_nothing(passage_of(TIPS, chunk_of(f"{TIPS}\n{ITEMS[0]}")))
    assert not announces_nothing(passage_of(KEYS, chunk_of(KEYS)))


NOT_COVERED = "Downtime is none of the following."
EXCLUDED = ["• Maintenance that was announced a week before.", "• Events outside our control."]


def test_an_item_is_quoted_with_what_announces_its_list() -> None:
    for announces in (NOT_COVERED, "Downtime does not include:", "Downtime is not as follows, in any month."):
        text = "\n".join([f"Downtime is measured. {announces}", *EXCLUDED, KEYS])
        item = passage_of(EXCLUDED[1], chunk_of(text))
        assert in_full(item).quote == "\n".join([announces, *EXCLUDED]) and is_announced(item)
        assert item.matched_text == EXCLUDED[1], "what is compared with a question is the item"
    numbered = "\n".join(["Staff have to:", "a) Lock their screens when they leave.", "b) Report what they have lost."])
    assert in_full(passage_of("b) Report what they have lost.", chunk_of(numbered))).quote == numbered


def test_an_item_that_nothing_announces_stands_alone() -> None:
    for above in (KEYS, "Exclusions", "", f"{NOT_COVERED}\n{KEYS}"):
        item = passage_of(EXCLUDED[0], chunk_of("\n".join([above, *EXCLUDED])))
        assert in_full(item).quote == EXCLUDED[0] and not is_announced(item), above
    row = passage_of(KEYS, chunk_of(f"{NOT_COVERED}\n{KEYS}"))
    assert in_full(row).quote == KEYS and not is_announced(row), "it is no item"


def test_what_announces_it_may_stand_in_the_chunk_before_or_too_far_off() -> None:
    text = "\n".join([NOT_COVERED, *EXCLUDED])
    first, second = cut(text, NOT_COVERED), cut(text, EXCLUDED[1])
    assert in_full(passage_of(EXCLUDED[1], second, first)).quote == text
    assert in_full(passage_of(EXCLUDED[1], second)).quote == EXCLUDED[1]
    turned = replace(first, page_spans=(PageSpan(1, first.start, second.start),))
    later = replace(second, page_spans=(PageSpan(2, second.start, second.end),))
    full = in_full(passage_of(EXCLUDED[1], later, turned))
    assert (full.quote, full.begins_midway) == (EXCLUDED[1], True), "it stands on the page before"
    many = "\n".join([NOT_COVERED, *[f"• Work of the kind {number} on the network." for number in range(40)]])
    last = passage_of("• Work of the kind 39 on the network.", chunk_of(many))
    assert in_full(last).text == "… Work of the kind 39 on the network."


def test_a_past_answer_stands_alone() -> None:
    row = chunk_of("Are keys rotated?\nAnswer: Yes\nComments: They are rotated by the vault:", row_number=7)
    (passage,) = passages_of(Hit("q", 1, row, 0.9, 0.9, 0.9, 0.9))
    assert in_full(passage) == passage


@given(
    st.lists(
        st.sampled_from(
            [KEYS, ROTATED, TIPS, *ITEMS, NOT_COVERED, *EXCLUDED, "1. Plan the work well", "A | B", "Who?"]
        ),
        max_size=12,
    ),
    st.lists(st.integers(0, 300), min_size=3, max_size=3),
)
def test_whatever_stands_around_it_a_quote_is_verbatim_and_on_one_page(lines: list[str], cuts: list[int]) -> None:
    text = "\n".join(lines)
    turn, begin, end = (min(at, len(text)) for at in cuts)
    pages = [span for span in (PageSpan(1, 0, turn), PageSpan(2, turn, len(text))) if span.start < span.end]

    def chunk(start: int, past: int) -> Chunk:
        inside = [PageSpan(n, max(a, start), min(b, past)) for n, a, b, _ in pages if a < past and start < b]
        return replace(chunk_of(text[start:past], start=start), page_spans=tuple(inside))

    low, high = sorted((begin, end))
    hit = Hit("q", 1, chunk(low, high), 0.9, 0.9, 0.9, 0.9, around=(chunk(0, low), chunk(high, len(text))))
    for passage in passages_of(hit):
        full = in_full(passage)
        assert full.quote == text[full.start : full.end] and passage.quote in full.quote
        assert any(n == full.page_number and a <= full.start and full.end <= b for n, a, b, _ in pages)
