from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.pages.pictures.highlight import boxes_of
from tasks.records import Box, LineBox

TEXT = "First line of\nsecond line"
LINES = (LineBox(1, 0, 13, Box(72, 100, 202, 112)), LineBox(2, 14, 25, Box(72, 50, 182, 62)))


@pytest.mark.parametrize(
    ("start", "end", "pages"),
    [(0, 13, [1]), (0, 25, [1, 2]), (6, 20, [1, 2]), (13, 14, []), (25, 30, []), (5, 5, [])],
)
def test_pages_of_a_quote(start: int, end: int, pages: list[int]) -> None:
    assert [page for page, _ in boxes_of(LINES, start, end, TEXT)] == pages


def test_whole_lines_have_their_own_boxes() -> None:
    assert boxes_of(LINES, 0, 25) == [(1, LINES[0].box), (2, LINES[1].box)]


def test_no_lines_no_boxes() -> None:
    assert boxes_of((), 0, 10) == []


def test_a_piece_is_cut_out_by_widths() -> None:
    ((_, box),) = boxes_of(LINES, 6, 10)
    assert box == pytest.approx((72 + 6 * 10, 100, 72 + 10 * 10, 112))
    narrow, wide = "iiii WWWW", "WWWW iiii"
    line = (LineBox(1, 0, 9, Box(0, 0, 90, 10)),)
    assert boxes_of(line, 0, 4, narrow)[0][1].right < boxes_of(line, 0, 4, wide)[0][1].right


@given(st.lists(st.integers(0, 25), min_size=2, max_size=6).map(sorted))
def test_pieces_of_a_line_join_up(offsets: list[int]) -> None:
    for start, end in pairwise(offsets):
        for page, box in boxes_of(LINES, start, end, TEXT):
            line = LINES[page - 1]
            assert line.box.left - 1e-9 <= box.left <= box.right <= line.box.right + 1e-9
            assert (box.top, box.bottom) == (line.box.top, line.box.bottom)
