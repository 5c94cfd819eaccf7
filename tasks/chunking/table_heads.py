"""Heads of tables: the caption and the column heads under which a chunk from the middle of a table stands.

"Purchases of property | (1,577)" answers nothing until it is known to be from the statement of cash flows, of 2018, in
millions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tasks.records import Element

LONGEST_CAPTION = 120
"""Length in characters of the longest element that may be part of a caption."""


class Head(NamedTuple):
    """A table's caption, "" without one, and its first row, which holds the column heads."""

    caption: str
    columns: str


class TableHeads:
    """The tables among ``elements``, those of one document that are in its text, in reading order."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self._starts = [element.start or 0 for element in elements]
        self._heads: dict[int, Head] = {}
        for at, element in enumerate(elements):
            if element.kind == "table":
                self._heads[at] = self._head(at)
        self.rows = [row for at in self._heads for row in _rows(elements[at])]
        """The span ``[start, end)`` of each row of each table, in characters, in order."""

    def above(self, start: int) -> list[str]:
        """The caption and the column heads above the character at ``start``; none outside a table.

        The row of the column heads has none above it.
        """
        at = bisect_right(self._starts, start) - 1
        if at not in self._heads or start >= (self._elements[at].end or 0):
            return []
        caption, columns = self._heads[at]
        own = _first_row(self._elements[at])
        is_in_own = columns == own and start < self._starts[at] + len(own)
        return [part for part in (caption, "" if is_in_own else columns) if part]

    def _head(self, at: int) -> Head:
        """The head of the table at an index; one that goes on from the page before has the head of its beginning."""
        table, before = self._elements[at], self._heads.get(at - 1)
        if before and self._elements[at - 1].page_number != table.page_number:
            goes_on = _columns(table) == _columns(self._elements[at - 1])
            return Head(before.caption, before.columns if goes_on else _first_row(table))
        return Head(self._caption(at), _first_row(table))

    def _caption(self, at: int) -> str:
        """The short elements right above a table on its page, up to a title and those right above it.

        Where they have no title, the table's section stands before them.
        """
        table = self._elements[at]
        above: list[Element] = []
        for before in range(at - 1, -1, -1):
            element = self._elements[before]
            is_near = element.page_number == table.page_number and len(element.text) <= LONGEST_CAPTION
            is_below_title = not above or above[-1].kind != "title" or element.kind == "title"
            if not (is_near and is_below_title and element.kind in ("title", "paragraph")):
                break
            above.append(element)
        parts = [element.text for element in reversed(above)]
        if not above or above[-1].kind != "title":
            parts.insert(0, table.section_path.rsplit(" > ", 1)[-1])
        return " ".join(" ".join(parts).split())


def _rows(table: Element) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    at = table.start or 0
    for line in table.text.split("\n"):
        rows.append((at, at + len(line)))
        at += len(line) + 1
    return rows


def _first_row(table: Element) -> str:
    return table.text.split("\n", 1)[0]


def _columns(table: Element) -> int:
    return _first_row(table).count(" | ") + 1
