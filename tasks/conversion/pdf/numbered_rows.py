"""Numbered rows of tables: numbers in a column of their own, distinguished from the marks of a numbered list.

After the mark of a list, a wide gap does not separate cells. The text above and beside the numbers decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from tasks.conversion.pdf.line_cuts import Piece
from tasks.conversion.pdf.page_text import Floats, Words
from tasks.conversion.pdf.ruled_rows import Upright
from tasks.text.characters import is_contents_entry

_MARK = re.compile(r"(\(?)(?:\d{1,4}(?:\.\d{1,3}){0,4}|[ivxIVX]{1,4}(?=[.)])|[^\W\d_](?=[.)]))([.)]?)\s+(?=\S)")
_HEADING = re.compile(r"[^\W\d_]{2,3}\.\s+(?=\S)")
"""The heading of a column of numbers, such as "No.", which has the shape of a list's mark."""
_MOST_OF_MARK = 24
"""Maximum length of a mark with its blanks; few lines have their first gap so early."""
_PAGE_NUMBER = re.compile(r"\d{1,4}$|[ivxlc]{1,6}$")
_NUMBER_SIGNS = frozenset("#№")
_ALIGNED = 2.0
_NEAR = 8
"""Maximum distance, in pieces, between two rows, or between the first row and its heading."""
_MIN_ROWS = 2
_MIN_ALIKE = 3
_MIN_BESIDE = 3
_LEAST_OF = 0.6

_SAME_SIZE = 1.0

Stretch = tuple[float, float]


class Printed(NamedTuple):
    """A page's text as the detection of numbered rows needs it: pieces, words, gaps, type sizes and upright rules.

    ``gaps`` maps the index of a piece to its words that follow a wide gap. ``size`` has the type size of each piece.
    ``uprights`` returns the vertical rules of the page, and is called only where they matter.
    """

    pieces: Sequence[Piece]
    found: Words
    gaps: Mapping[int, Mapping[int, float]]
    size: Floats
    uprights: Callable[[], Sequence[Upright]]


class _Row(NamedTuple):
    """A line with wide gaps, as a candidate for a row of a table.

    ``at`` is the index of its piece, ``y`` its baseline, ``stretches`` the left and right edges of the text between its
    gaps. ``style`` is the punctuation of the number that it begins with, None without a number. ``begin`` is its first
    character, ``third`` its text from the third stretch on, ``last`` its last word.
    """

    at: int
    y: float
    size: float
    stretches: list[Stretch]
    style: str | None
    begin: str
    third: str
    last: str


def numbered_rows(page: Printed) -> frozenset[int]:
    """Find the pieces whose leading number, or letter as in a list, is a cell of a table; returns their indices.

    That is so where a heading above has its gap at the same place as the rows, where the text after the number and
    further cells beside it are aligned in several rows, or where a vertical rule follows the number. The heading is
    returned too. Tables of contents, which end in page numbers, and lists in two columns are left out. A page without
    such numbers gives an empty set.
    """
    marked = _marked(page)
    if not marked:
        return frozenset()
    near = range(min(marked) - _NEAR, max(marked) + 1)
    rows = [_row(index, page, index in marked) for index in sorted(page.gaps) if index in near]
    told: set[int] = set()
    for heading, run in _runs(rows):
        around = [row for row in rows if run[0].at - _NEAR <= row.at <= run[-1].at]
        if any(is_contents_entry(page.pieces[row.at].raw) for row in around):
            continue
        if _are_cells(page, heading, run, [row for row in around if row.at >= run[0].at]):
            told |= {row.at for row in run}
            told |= {heading.at} if heading else set()
    return frozenset(told)


def _marked(page: Printed) -> list[int]:
    """The indices of pieces whose first gap follows a number, a letter, or a heading of that shape such as "No."."""
    marked: list[int] = []
    for index, words in page.gaps.items():
        raw, _, at = page.pieces[index]
        gap = page.found.head[next(iter(words))] - at
        if gap > _MOST_OF_MARK:
            continue
        mark = _MARK.match(raw) or _HEADING.match(raw)
        if mark and mark.end() == gap and not is_contents_entry(raw):
            marked.append(index)
    return marked


def _row(index: int, page: Printed, is_marked: bool) -> _Row:
    (raw, _, at), found, gaps = page.pieces[index], page.found, page.gaps[index]
    first, last = found.first.item(index), found.last.item(index)
    starts = [first, *gaps]
    ends = [*(word - 1 for word in gaps), last]
    stretches = [(found.x.item(a), found.right.item(b)) for a, b in zip(starts, ends, strict=True)]
    mark = _MARK.match(raw) if is_marked else None
    style = "".join(mark.groups()) if mark else None
    third = raw[found.head[starts[2]] - at :] if len(gaps) > 1 else ""
    y, size = found.y.item(first), page.size.item(index)
    return _Row(index, y, size, stretches, style, raw[:1], third, raw[found.head[last] - at :])


def _with_beside(row: _Row, page: Printed) -> _Row:
    """The row with a third cell that pdfium has as a line of its own, as where the second cell has several lines."""
    if len(row.stretches) >= _MIN_BESIDE:
        return row
    found = page.found
    for index in range(row.at + 1, min(row.at + 1 + _NEAR, len(page.pieces))):
        first, last = found.first.item(index), found.last.item(index)
        x = found.x.item(first)
        if abs(found.y.item(first) - row.y) < _ALIGNED and x > row.stretches[-1][1]:
            raw = page.pieces[index].raw
            last_word = raw[found.head[last] - page.pieces[index].at :]
            return row._replace(stretches=[*row.stretches, (x, found.right.item(last))], third=raw, last=last_word)
    return row


def _runs(rows: Sequence[_Row]) -> list[tuple[_Row | None, list[_Row]]]:
    """Group nearby rows with numbers of one style, each run with the row above that may be its heading."""
    runs: list[tuple[_Row | None, list[_Row]]] = []
    above: _Row | None = None
    begin = 0
    for row in rows:
        if row.style is None:
            above = row
            if any(_is_over(row, _lane(run)) for _, run in runs[begin:]):
                begin = len(runs)
            continue
        own = next((run for _, run in reversed(runs[begin:]) if _goes_on(run[-1], row)), None)
        if own is not None:
            own.append(row)
        else:
            runs.append((above if above and row.at - above.at <= _NEAR else None, [row]))
    return runs


def _goes_on(before: _Row, row: _Row) -> bool:
    is_alike = row.style == before.style and abs(row.size - before.size) < _SAME_SIZE
    return is_alike and row.at - before.at <= _NEAR


def _lane(run: Sequence[_Row]) -> Stretch:
    """The empty strip between the numbers and the text after them; its right edge is not right of its left for none."""
    return max(row.stretches[0][1] for row in run), min(row.stretches[1][0] for row in run)


def _are_cells(page: Printed, heading: _Row | None, run: Sequence[_Row], within: Sequence[_Row]) -> bool:
    """Tell if the numbers of a run are cells of a table, by its heading, its further cells or a vertical rule."""
    lane = _lane(run)
    if lane[0] >= lane[1]:
        return False
    if heading is not None and _is_over(heading, lane) and abs(heading.size - run[0].size) < _SAME_SIZE:
        return len(run) >= _MIN_ROWS or _is_in_line(heading, run[0])
    if len(run) < _MIN_ROWS:
        return False
    is_below_words = heading is not None and run[0].style and _spans(heading, lane)
    # Third cells only in lines of their own may be those of a picture's legend.
    full = sum(len(row.stretches) >= _MIN_BESIDE for row in run)
    may_have = full >= _MIN_ROWS and not is_below_words
    if may_have and _have_others_beside([_with_beside(row, page) for row in run], within):
        return True
    return _are_ruled(run, lane, page.uprights())


def _is_over(heading: _Row, lane: Stretch) -> bool:
    """Tell if a row is the heading of a run: it begins with a word, or ``#``, and its first gap overlaps the lane."""
    (_, right), (left, _) = heading.stretches[:2]
    return right < lane[1] and left > lane[0] and (heading.begin.isalpha() or heading.begin in _NUMBER_SIGNS)


def _is_in_line(heading: _Row, row: _Row) -> bool:
    """Tell if the second and the third stretch of both rows have the same left edges."""
    lefts = [[left for left, _ in one.stretches[1:_MIN_BESIDE]] for one in (heading, row)]
    return len(lefts[0]) == len(lefts[1]) > 1 and all(abs(a - b) < _ALIGNED for a, b in zip(*lefts, strict=True))


def _spans(row: _Row, lane: Stretch) -> bool:
    return any(left < lane[0] and right > lane[1] for left, right in row.stretches)


def _are_ruled(run: Sequence[_Row], lane: Stretch, uprights: Sequence[Upright]) -> bool:
    """Tell if most rows have a vertical rule between their number and the text after it."""
    between = [rule for rule in uprights if lane[0] < rule.x < lane[1]]
    ruled = sum(any(rule.bottom < row.y + row.size / 2 < rule.top for rule in between) for row in run)
    return ruled >= max(_MIN_ROWS, _LEAST_OF * len(run))


def _have_others_beside(run: Sequence[_Row], within: Sequence[_Row]) -> bool:
    """Tell if most rows have an aligned third cell that is no page number and begins with no list's mark."""
    full = [row for row in run if len(row.stretches) >= _MIN_BESIDE]
    if len(full) < max(_MIN_ALIKE, _LEAST_OF * len(within)):
        return False
    if all(_PAGE_NUMBER.match(row.last) for row in full) or any(_MARK.match(row.third) for row in full):
        return False
    return _are_in_line([row.stretches[1][0] for row in full]) and any(
        _are_in_line([row.stretches[2][side] for row in full]) for side in (0, 1)
    )


def _are_in_line(places: Sequence[float]) -> bool:
    middle = median(places)
    return sum(abs(place - middle) < _ALIGNED for place in places) >= max(_MIN_ALIKE, _LEAST_OF * len(places))
