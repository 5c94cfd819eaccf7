"""Visible cells of a sheet: hidden rows and columns left out, merged cells filled.

Rows and columns count as hidden where that was done by hand; the text of a merged cell is repeated in its rows.

Rows that a filter hides and groups that are folded are read: they are views of the sheet, undone by a click, and were
seldom meant to be taken out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from tasks.spreadsheets.row import SheetRow, column_number

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
    rows = {number for tag in _hidden_tags(_ROW, xml) if (number := _number(b"r", tag)) not in filtered}
    ranges = ((_number(b"min", tag), _number(b"max", tag)) for tag in _hidden_tags(_COLUMN, xml))
    columns = (column for first, last in ranges for column in range(first - 1, min(last, _MOST_COLUMNS)))
    return Hidden(frozenset(rows), frozenset(columns))


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


def visible_rows(
    rows: Sequence[SheetRow], looks: Sequence[int], merged: Sequence[Merged], hidden: Hidden
) -> list[SheetRow]:
    """The visible rows, with the text of each merged cell repeated in its rows; rows with nothing to see are left out.

    ``looks`` has a number for the first filled cell of each row, equal where they look alike.
    """
    seen = _with_merged(_with_looks(rows, looks, merged), merged, hidden.columns)
    if not any(hidden):
        return seen
    shown = (row.without(hidden.columns) for row in seen if row.number not in hidden.rows)
    return [row for row in shown if row.cells]


def _with_looks(rows: Sequence[SheetRow], looks: Sequence[int], merged: Sequence[Merged]) -> list[SheetRow]:
    """Mark as ``is_plain`` the rows with one cell that looks as other rows do; a cell over several columns does not."""
    wide = {(one.first, one.column) for one in merged if one.last_column > one.column}
    found = [(row, row.filled, look) for row, look in zip(rows, looks, strict=True)]
    seen = Counter((filled[0], look) for _, filled, look in found if len(filled) > 1)
    usual = dict(reversed([kind for kind, _ in seen.most_common()]))
    return [
        row._replace(is_plain=len(filled) == 1 and (row.number, filled[0]) not in wide and usual.get(filled[0]) == look)
        for row, filled, look in found
    ]


def _with_merged(rows: list[SheetRow], merged: Iterable[Merged], hidden: frozenset[int]) -> list[SheetRow]:
    """The rows with the text of merged cells in each of their rows, in the first of their columns that is visible."""
    numbers = [row.number for row in rows]
    for first, last, column, last_column in merged:
        begin, end = bisect_left(numbers, first), bisect_right(numbers, last)
        if begin == end or numbers[begin] != first or not (said := rows[begin].cell(column)):
            continue
        shown = next((at for at in range(column, last_column + 1) if at not in hidden), column)
        for at in range(begin, end):
            if not rows[at].cell(shown):
                rows[at] = rows[at].with_text(shown, said)
    return rows


def _hidden_tags(kind: re.Pattern[bytes], xml: bytes) -> Iterator[bytes]:
    tags = (found.group() for found in kind.finditer(xml))
    return (tag for tag in tags if _HIDDEN.search(tag) and not _FOLDED.search(tag))


def _column_index(letters: bytes) -> int:
    return column_number(letters.decode()) - 1


def _number(name: bytes, tag: bytes) -> int:
    found = _NUMBER[name].search(tag)
    return int(found[1]) if found else 0
