"""Headers and footers that are printed before the body, or behind it."""

from __future__ import annotations

import pytest

from tasks.conversion.layout.page import Line
from tasks.conversion.layout.page_edges import ends_in_order

BODY = [Line(f"body {number}", y=700.0 - 14 * number, y_end=700.0 - 14 * number, size=11.0) for number in range(20)]
HEADER, LEFT, RIGHT = (
    Line(text, y=y, y_end=y, size=9.0) for text, y in (("Scope", 800.0), ("Confidential", 30.0), ("Page 1", 30.0))
)


@pytest.mark.parametrize(
    "printed",
    [
        [HEADER, LEFT, RIGHT, *BODY],
        [LEFT, RIGHT, HEADER, *BODY],
        [*BODY, LEFT, RIGHT, HEADER],
        [HEADER, *BODY, LEFT, RIGHT],
    ],
)
def test_the_ends_stand_in_their_order(printed: list[Line]) -> None:
    assert list(ends_in_order(printed)) == [HEADER, *BODY, LEFT, RIGHT]


def test_columns_stay_as_they_are() -> None:
    beside = [line._replace(text=f"right {line.text}", x0=300.0, y=line.y + 5, y_end=line.y + 5) for line in BODY[:4]]
    assert list(ends_in_order([*BODY, *beside])) == [*BODY, *beside]
    assert list(ends_in_order([*BODY[:4], *beside[:3]])) == [*BODY[:4], *beside[:3]]


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [HEADER],
        [LEFT, HEADER],
        [Line("no place"), *BODY, HEADER],
        [*BODY[6:12], *BODY[:6]],
        [line._replace(y=line.y - 900, y_end=line.y - 900) for line in (RIGHT, *BODY[:3])],
    ],
    ids=["none", "one", "two", "no place", "the lower half first", "below the page"],
)
def test_what_has_too_few_lines_no_place_or_no_body_stays(lines: list[Line]) -> None:
    assert list(ends_in_order(lines)) == lines
