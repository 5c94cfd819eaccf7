"""Visible cells of a sheet: rows and columns hidden by hand are left out, and the text of a merged cell is repeated in
its rows.

Rows that a filter hides and groups that are folded are read: they are views of the sheet, undone by a click, and were
seldom meant to be taken out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tasks.spreadsheets.row import SheetRow

_TAG = rb"<(?:\w+:)?%s\b[^>]*>"
_ROW, _COLUMN, _FILTERED = (re.compile(_TAG % name) for name in (b"row", b"col", b"filterColumn"))
_FILTER = re.compile(rb"<(?:\w+:)?autoFilter\b[^>]*?\sref=\"\$?[A-Z]+\$?(\d+):\$?[A-Z]+\$?(\d+)\"")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*?\sref=\"([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)\"")
_HIDDEN = re.compile(rb"\shidden=\"(?:1|true)\"")
_FOLDED = re.compile(rb"\soutlineLevel=\"[1-9]\"")
_NUMBER = {name: re.compile(rb"\s%s=\"(\d+)\"" % name) for name in (b"r", b"min", b"max")}
_UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\b(?![^>]*\st=\"str\")[^>]*?\sr=\"([A-Z]{1,3})(\d+)\"[^>]*>"
    rb"<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
"""A cell with a formula and no value; a computed text that is empty has the type of a text, and does not match."""
_MOST_COLUMNS = 1 << 14


class Merged(NamedTuple):
    """A merged cell: its first and last row by their numbers, its columns from 0."""

    first: int
    last: int
    column: int
    last_column: int


class Hidden(NamedTuple):
    """Hidden rows, by their numbers, and hidden columns, from 0."""

    rows: frozenset[int] = frozenset()
    columns: frozenset[int] = frozenset()


def hidden_in(xml: bytes) -> Hidden:
    """The rows and columns that the XML of a worksheet marks as hidden by hand."""
    if b"hidden=" not in xml:
        return Hidden()
    found = _FILTER.search(xml) if _FILTERED.search(xml) else None
    filtered = range(int(found[1]) + 1, int(found[2]) + 1) if found else range(0)
    columns: set[int] = set()
    for tag in _hidden_tags(_COLUMN, xml):
        first, last = _number(b"min", tag), _number(b"max", tag)
        columns.update(range(first - 1, min(last, _MOST_COLUMNS)))
    rows = {_number(b"r", tag) for tag in _hidden_tags(_ROW, xml)}
    return Hidden(frozenset(row for row in rows if row not in filtered), frozenset(columns))


def uncomputed_in(xml: bytes) -> list[tuple[int, int]]:
    """The cells with a formula but no value in the XML of a worksheet, each by the number of its row and its column
    from 0.

    Programs that compute nothing write such files.
    """
    found = _UNCOMPUTED.findall(xml) if b"f>" in xml else ()
    return [(int(row), _column_index(column)) for column, row in found]


def merged_in(xml: bytes) -> Iterator[Merged]:
    """Yield the merged cells in the XML of a worksheet."""
    for column, first, last_column, last in _MERGED.findall(xml):
        yield Merged(int(first), int(last), _column_index(column), _column_index(last_column))


def as_seen(rows: Sequence[SheetRow], merged: Iterable[Merged], hidden: Hidden) -> list[SheetRow]:
    """The visible rows, with the text of each merged cell repeated in its rows; rows with nothing to see are left
    out.
    """
    seen = _with_merged(list(rows), merged, hidden.columns)
    if not any(hidden):
        return seen
    kept: list[SheetRow] = []
    for row in seen:
        cells = trimmed(["" if at in hidden.columns else cell for at, cell in enumerate(row.cells)])
        if cells and row.number not in hidden.rows:
            kept.append(row._replace(cells=cells))
    return kept


def with_looks(rows: list[SheetRow], looks: Sequence[int], merged: Sequence[Merged]) -> list[SheetRow]:
    """Mark as ``is_plain`` the rows with one cell that looks as other rows do.

    ``looks`` has a number for the first filled cell of each row, equal where they look alike. A cell that spans several
    columns looks like a title.
    """
    wide = {(one.first, one.column) for one in merged if one.last_column > one.column}
    firsts = [next(at for at, cell in enumerate(row.cells) if cell) for row in rows]
    seen = Counter((at, look) for row, at, look in zip(rows, firsts, looks, strict=True) if any(row.cells[at + 1 :]))
    usual = dict(reversed([kind for kind, _ in seen.most_common()]))
    for at, (row, first, look) in enumerate(zip(rows, firsts, looks, strict=True)):
        is_alone = not any(row.cells[first + 1 :]) and (row.number, first) not in wide
        if is_alone and usual.get(first) == look:
            rows[at] = row._replace(is_plain=True)
    return rows


def trimmed(cells: list[str]) -> tuple[str, ...]:
    """The cells up to the last that is not empty."""
    while cells and not cells[-1]:
        cells.pop()
    return tuple(cells)


def _with_merged(rows: list[SheetRow], merged: Iterable[Merged], hidden: frozenset[int]) -> list[SheetRow]:
    """The rows with the text of merged cells in each of their rows, in the first of their columns that is visible."""
    numbers = [row.number for row in rows]
    for first, last, column, last_column in merged:
        begin, end = bisect_left(numbers, first), bisect_right(numbers, last)
        if begin == end or numbers[begin] != first or not (said := "".join(rows[begin].cells[column : column + 1])):
            continue
        shown = next((at for at in range(column, last_column + 1) if at not in hidden), column) if hidden else column
        for at in range(begin + (shown == column), end):
            cells = rows[at].cells + ("",) * (shown + 1 - len(rows[at].cells))
            if not cells[shown]:
                rows[at] = rows[at]._replace(cells=(*cells[:shown], said, *cells[shown + 1 :]))
    return rows


def _hidden_tags(kind: re.Pattern[bytes], xml: bytes) -> Iterator[bytes]:
    for found in kind.finditer(xml):
        tag = found.group()
        if _HIDDEN.search(tag) and not _FOLDED.search(tag):
            yield tag


def _column_index(letters: bytes) -> int:
    index = 0
    for letter in letters:
        index = index * 26 + letter - ord("A") + 1
    return index - 1


def _number(name: bytes, tag: bytes) -> int:
    found = _NUMBER[name].search(tag)
    return int(found[1]) if found else 0
