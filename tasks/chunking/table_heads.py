"""Heads of tables: the caption and the column heads under which a chunk from the middle of a table stands.

"Purchases of property | (1,577)" answers nothing until it is known to be from the statement of cash flows, of 2018, in
millions.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from tasks.records import Element

_CELL_END = " | "
_MOST_BETWEEN = 3
"""The number of short elements that may stand between a table and the one of the page before that it continues."""
_FIGURE = re.compile(r"\W*\d[\d.,\s]*\W*")
_YEAR = re.compile(r"\W*(?:19|20)\d\d\W*")
LONGEST_CAPTION = 120
"""Length in characters of the longest element that may be part of a caption."""


class Head(NamedTuple):
    """A table's caption, "" without one, its column heads, and the character at which its own rows of heads end."""

    caption: str
    columns: str
    end: int


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
        """The caption, the column heads, and within a row its first cell, above the character at ``start``; none
        outside a table.

        The rows of the column heads have none above them.
        """
        at = bisect_right(self._starts, start) - 1
        if at not in self._heads or start >= (self._elements[at].end or 0):
            return []
        caption, columns, end = self._heads[at]
        return [part for part in (caption, "" if start < end else columns, self._row_begun(start)) if part]

    def _row_begun(self, start: int) -> str:
        """The first cell of the row in the middle of which ``start`` lies, behind that cell."""
        begin, end = self.rows[bisect_right(self.rows, start, key=lambda row: row[0]) - 1]
        element = self._elements[bisect_right(self._starts, start) - 1]
        first, *others = element.text[begin - (element.start or 0) : end - (element.start or 0)].split(_CELL_END, 1)
        return first.strip() if others and start >= begin + len(first) else ""

    def _head(self, at: int) -> Head:
        """The head of the table at an index; one that goes on from the page before has the head of its beginning."""
        lines = self._elements[at].text.split("\n")
        own = Head("", _column_heads(lines), self._starts[at] + sum(len(row) + 1 for row in lines[: _head_rows(lines)]))
        if (before := self._goes_on_from(at)) is None:
            return own._replace(caption=self._caption(at))
        caption, columns, _ = self._heads[before]
        if own.columns == columns or _columns(own.columns) != _columns(columns):
            return own._replace(caption=caption)
        return Head(caption, columns, 0)

    def _goes_on_from(self, at: int) -> int | None:
        """The index of the table of the page before that the one at ``at`` continues; None where it is a new one.

        Between them are at most a few short elements (a page's number, "continued"). It has as many columns, and begins
        with figures below figures, or with the same heads; right below the other, it may also have other columns.
        """
        table = self._elements[at]
        nearest = next((one for one in range(at - 1, max(-1, at - 2 - _MOST_BETWEEN), -1) if one in self._heads), None)
        if nearest is None or self._elements[nearest].page_number == table.page_number:
            return None
        if any(len(one.text) > LONGEST_CAPTION for one in self._elements[nearest + 1 : at]):
            return None
        lines, above = table.text.split("\n"), self._elements[nearest].text.split("\n")
        has_heads = not _has_figures(lines[0]) and any(map(_has_figures, above)) and lines[0] != above[0]
        is_alike = _columns(lines[0]) == _columns(above[0])
        return nearest if not has_heads and (is_alike or nearest == at - 1) else None

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


def _column_heads(lines: Sequence[str]) -> str:
    """The column heads of a table; those of several rows are joined by column: "2022 CO2 (t)"."""
    rows = [line.split(_CELL_END) for line in lines[: _head_rows(lines)]]
    if len(rows) == 1:
        return lines[0]
    joined = (
        " ".join(dict.fromkeys(filter(None, map(str.strip, column)))) for column in zip_longest(*rows, fillvalue="")
    )
    return " | ".join(joined)


def _head_rows(lines: Sequence[str]) -> int:
    """The number of rows of column heads: a second one stands below heads over several columns, and has no figures."""
    heads = [cell.strip() for cell in lines[0].split(_CELL_END)]
    spans = any(one == other for one, other in pairwise(heads[1:])) or not all(heads[1:])
    return 2 if spans and len(lines) > 2 and not _has_figures(lines[1]) and _has_figures(lines[2]) else 1


def _has_figures(line: str) -> bool:
    """Tell if a cell behind the first is a figure other than a year."""
    return any(
        _FIGURE.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in map(str.strip, line.split(_CELL_END)[1:])
    )


def _columns(line: str) -> int:
    return line.count(_CELL_END) + 1
