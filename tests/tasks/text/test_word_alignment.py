"""Words of one text found in another that is nearly the same."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tasks.text.word_alignment import NOWHERE, WINDOW_WORDS, aligned

WORDS = st.lists(st.sampled_from("a b c d e f g".split()), max_size=40)


def test_equal_texts_are_aligned_word_by_word_and_nothing_gives_nothing() -> None:
    text = "the keys are kept in the vault of the bank".split()
    assert aligned(text, text) == list(range(len(text)))
    assert aligned([], text) == [] and aligned(text, []) == [NOWHERE] * len(text)


def test_what_stands_twice_is_where_its_neighbours_are() -> None:
    said = "one two three four five six seven eight nine ten".split()
    others = [*said, "left", *said]
    assert aligned(["left", *said], others) == [10, *range(11, 21)]
    assert aligned([*said, "left"], others) == [*range(10), 10]


def test_a_text_that_repeats_itself_is_aligned_past_a_window() -> None:
    row = "a b c d".split()
    page = [*row * 250, "foot"]
    found = aligned(row * 1000, page * 4)
    assert len(found) > 2 * WINDOW_WORDS and NOWHERE not in found
    assert found[:4] == [0, 1, 2, 3] and found[1000:1004] == [1001, 1002, 1003, 1004] and found[-1] == 4002


@given(WORDS, WORDS)
def test_places_rise_and_hold_the_same_word(words: list[str], others: list[str]) -> None:
    found = aligned(words, others)
    assert len(found) == len(words)
    assert all(at == NOWHERE or others[at] == word for word, at in zip(words, found, strict=True))
    assert all(one < other for one, other in pairwise(at for at in found if at != NOWHERE))


@given(WORDS, st.integers(0, 40))
def test_what_is_put_in_moves_nothing(words: list[str], at: int) -> None:
    at = min(at, len(words))
    found = aligned(words, [*words[:at], "x", *words[at:]])
    assert found == [one + (one >= at) for one in range(len(words))]
