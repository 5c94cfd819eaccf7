from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from tasks.records import Chunk, GoldEvidence, GoldQuestion, PageSpan
from tasks.tuning.planted_contexts import drawn, given_hits, placed, right_passage

GOLD = GoldQuestion("q", "How long are backups kept?", True, "Kept for 35 days.", evidence=(GoldEvidence("a.pdf", 2),))
UNANSWERABLE = GoldQuestion("u", "Who is the gardener?", False)


def chunk(number: int, page: int, text: str = "words", *, name: str = "in/a.pdf", until: int | None = None) -> Chunk:
    """A chunk on a page, of which the last character may stand on a later one."""
    ends = [(page, len(text))] if until is None else [(page, len(text) - 1), (until, len(text))]
    spans = [PageSpan(on, begin, end) for (on, end), begin in zip(ends, (0, len(text) - 1), strict=False)]
    return Chunk(f"{name}{number}", "d", name, "0" * 64, "pdf", number, 0, len(text), text, "", 9, tuple(spans))


CHUNKS = [
    chunk(0, 1, until=2),
    chunk(1, 2, "Backups are taken nightly."),
    chunk(2, 2, "They are kept for 35 days."),
    *(chunk(number, number) for number in range(3, 12)),
    chunk(0, 2, "Kept for 35 days, says another file.", name="b.pdf"),
]


@pytest.mark.parametrize(
    ("others", "depth", "at"),
    [(20, depth / 10, 2 * depth) for depth in range(11)]
    + [(0, 0.0, 0), (0, 1.0, 0), (3, 0.5, 2), (5, 0.1, 1), (5, 0.09, 0)],
)
def test_the_right_passage_stands_after_a_share_of_the_others(others: int, depth: float, at: int) -> None:
    found = placed("right", [str(number) for number in range(others)], depth)
    assert found[at] == "right" and found[:at] + found[at + 1 :] == [str(number) for number in range(others)]


@for_all(st.lists(st.integers(), max_size=30), st.floats(0, 1))
def test_nothing_is_lost_at_any_depth(others: list[int], depth: float) -> None:
    found = placed(None, others, depth)
    at = found.index(None)
    assert found[:at] + found[at + 1 :] == others and abs(at - depth * len(others)) <= 0.5


def test_the_right_passage_is_the_chunk_of_a_gold_page_that_says_most_of_the_answer() -> None:
    assert right_passage(GOLD, CHUNKS) is CHUNKS[2]
    assert right_passage(UNANSWERABLE, CHUNKS) is None
    across = chunk(5, 1, "Nothing of it.\nKept for 35 days.", until=2)
    assert right_passage(GOLD, [across, CHUNKS[1]]) is CHUNKS[1], "only a full stop of the other is on the page"
    assert right_passage(GOLD, [across]) is across, "though most of it is on another page"
    no_words = GoldQuestion("n", "?", True, evidence=GOLD.evidence)
    assert right_passage(no_words, [CHUNKS[0], CHUNKS[2], CHUNKS[1]]) is CHUNKS[2], "the first of equals"
    row = GoldQuestion("r", "?", True, "x", evidence=(GoldEvidence("a.pdf", 99),))
    assert right_passage(row, CHUNKS) is None, "no chunk is on that page"


def test_distractors_touch_no_gold_page_and_are_the_same_each_time() -> None:
    found = drawn(GOLD, CHUNKS, 5)
    assert len({one.chunk_id for one in found}) == 5
    assert not {one.chunk_id for one in found} & {one.chunk_id for one in CHUNKS[:3]}
    assert found == drawn(GOLD, CHUNKS, 5)
    assert len(drawn(GOLD, CHUNKS, 99)) == 10, "those that there are; page 2 of another file is one of them"
    other = GoldQuestion("q2", GOLD.question, True, evidence=GOLD.evidence)
    assert drawn(other, CHUNKS, 5) != found


def test_each_depth_moves_the_right_passage_alone() -> None:
    first, last = (given_hits([GOLD, UNANSWERABLE], CHUNKS, 4, depth) for depth in (0.0, 1.0))
    assert list(first) == ["q"], "no passage is right for what cannot be answered"
    assert [hit.rank for hit in first["q"]] == [1, 2, 3, 4, 5]
    ids = [[hit.chunk.chunk_id for hit in found["q"]] for found in (first, last)]
    assert ids[0][0] == ids[1][-1] == CHUNKS[2].chunk_id and ids[0][1:] == ids[1][:-1]
    shuffled = given_hits([GOLD], CHUNKS[::-1], 4, 0.0)
    assert [hit.chunk for hit in shuffled["q"]] == [hit.chunk for hit in first["q"]], "however the index lists them"
    assert given_hits([], CHUNKS, 4, 0.0) == {} and given_hits([GOLD], [], 4, 0.0) == {}
