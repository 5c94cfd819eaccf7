"""Short columns of text and signature blocks: a few lines set side by side on a page.

There are too few lines to find an empty strip down the page, so their text must tell them from a table, whose rows are
read across. Text shows where its lines end: the next word would have had no room there. Signature blocks have the same
labels on all sides ("Name:", "Date:"), as the cells of a table's row do not. Addresses have no labels, look like the
rows of a small table, and are read across.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import or_
from statistics import median
from typing import NamedTuple

from tasks.conversion.layout.page import Line

MIN_SHORT_ROWS = 3
_ALIGNED = 2.0
_GUTTER = 5.0
_MAX_COLUMNS = 3
_MAX_PITCH = 2.5
_MIN_WORDS = 3
_MIN_CHARACTERS = 16
_MIN_GOING_ON = 0.6
_MIN_LABELS = 2


class Segment(NamedTuple):
    """A line, or a cell of a line, with its two edges."""

    x0: float
    x1: float
    line: Line


class Row(NamedTuple):
    """The segments on one baseline, from left to right, and the lines that they belong to."""

    y: float
    segments: tuple[Segment, ...]
    lines: tuple[Line, ...]


def may_be_side_by_side(rows: Sequence[Row]) -> bool:
    """Tell if enough consecutive rows have several segments that :func:`read_side_by_side` may find columns."""
    streak = 0
    for row in rows:
        streak = streak + 1 if len(row.segments) > 1 else 0
        if streak == MIN_SHORT_ROWS:
            return True
    return False


def read_side_by_side(rows: Sequence[Row]) -> Iterator[tuple[list[Line], bool]]:
    """Yield the lines of ``rows``, stretch by stretch, each with True where it was put column by column."""
    start = 0
    while start < len(rows):
        end = _end_of_run(rows, start)
        columns = _columns(rows[start:end]) if end - start >= MIN_SHORT_ROWS else None
        if columns:
            yield [line for column in columns for line in column], True
        else:
            yield [line for row in rows[start:end] for line in row.lines], False
        start = end


def _end_of_run(rows: Sequence[Row], start: int) -> int:
    """The end of the rows that stand in the columns of ``rows[start]``, at one pitch."""
    end = start + 1
    if not 2 <= len(rows[start].segments) <= _MAX_COLUMNS:
        return end
    lefts = [segment.x0 for segment in rows[start].segments]
    if not _fits(rows[start], lefts):
        return end
    pitch = 0.0
    while end < len(rows) and _fits(rows[end], lefts):
        drop = rows[end - 1].y - rows[end].y
        pitch = pitch or drop
        if not 0 < pitch < _MAX_PITCH * rows[end].segments[0].line.size or abs(drop - pitch) > 0.1 * pitch:
            break
        end += 1
    return end


def _fits(row: Row, lefts: Sequence[float]) -> bool:
    sides = [_side(segment, lefts) for segment in row.segments]
    if -1 in sides or len(set(sides)) < len(sides):
        return False
    nexts = [*lefts[1:], float("inf")]
    return all(segment.x1 < nexts[side] - _GUTTER for segment, side in zip(row.segments, sides, strict=True))


def _side(segment: Segment, lefts: Sequence[float]) -> int:
    """The index of the column that the segment stands in; -1 for none."""
    return next((side for side, left in enumerate(lefts) if abs(segment.x0 - left) <= _ALIGNED), -1)


def _columns(run: Sequence[Row]) -> list[list[Line]] | None:
    """The lines of ``run`` by column; None where they are to be read across."""
    lefts = [segment.x0 for segment in run[0].segments]
    full = [row for row in run if len(row.segments) == len(lefts)]
    if len(full) < MIN_SHORT_ROWS:
        return None
    columns: list[list[Line]] = [[] for _ in lefts]
    for row in run:
        for segment in row.segments:
            columns[_side(segment, lefts)].append(segment.line)
    return columns if all(map(_is_text, columns)) or _have_the_same_labels(full) else None


def _is_text(column: Sequence[Line]) -> bool:
    """Tell if a column is running text: most lines go on, each with a word that had no room on the line before."""
    right = max(line.x1 for line in column)
    small = [line.text[:1].islower() for line in column]
    full = [not _has_room(a, b, right) for a, b in pairwise(column)]
    # A line that ends within a sentence may be followed by a name.
    broken = [is_full and line.text[-1:].isalpha() for line, is_full in zip(column[:-1], full, strict=True)]
    return (
        any(small)
        and not small[0]
        and not any(is_small and not is_full for is_small, is_full in zip(small[1:], full, strict=True))
        and sum(map(or_, small[1:], broken)) >= _MIN_GOING_ON * len(broken)
        and median(len(line.text.split()) for line in column) >= _MIN_WORDS
        and median(len(line.text) for line in column) >= _MIN_CHARACTERS
    )


def _has_room(line: Line, following: Line, right: float) -> bool:
    word, _, _ = following.text.partition(" ")
    width = (following.x1 - following.x0) / max(len(following.text), 1)
    # A word of wide letters takes more than its share of the line.
    return line.x1 + 1.2 * width * (len(word) + 1) < right


def _have_the_same_labels(rows: Sequence[Row]) -> bool:
    labels = [{_label(segment.line.text) for segment in row.segments} for row in rows]
    return sum(len(some) == 1 and "" not in some for some in labels) >= _MIN_LABELS


def _label(text: str) -> str:
    """The words before a colon, casefolded; "" where there is no colon, or digits before it."""
    label, colon, _ = text.partition(":")
    return label.casefold() if colon and not any(map(str.isdigit, label)) else ""
