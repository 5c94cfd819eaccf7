"""Reading order of pages set in columns, for PDF files that draw line by line across the columns.

Most files draw one column after the other and need no change. Where the lines of two columns alternate, they are
reordered only if the page looks like running text: an empty strip down the page, and on both sides full lines of
several words at one line pitch. The cells of a table, which must stay in rows, are short, start together and leave
their column half empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import groupby, pairwise
from statistics import median

from tasks.conversion.layout.page import Line, make_line
from tasks.conversion.layout.side_by_side_lines import (
    MIN_SHORT_ROWS,
    Row,
    Segment,
    may_be_side_by_side,
    read_side_by_side,
)
from tasks.conversion.layout.tables import beside

MIN_ROWS = 6
_ALIGNED = 2.0
_GUTTER = 5.0
_MAX_COLUMNS = 3
_MIN_WORDS = 3
_MIN_CHARACTERS = 16


def may_be_columns(lines: Sequence[Line], hidden: Sequence[float] = ()) -> bool:
    """Tell if the lines may stand in columns, as a cheap check before :func:`order_columns`.

    That is so where several lines have text beside them at the same left edge. ``hidden`` are further left edges, in
    points: of the text after a gap in lines that hyphens have joined.
    """
    edges = [*hidden, *(cell.x0 for line in lines for cell in line.cells[1:])]
    edges += [b.x0 for a, b in pairwise(lines) if b.x0 > a.x1 and abs(a.y_end - b.y) < 1 and a.size and b.size]
    if len(edges) < MIN_SHORT_ROWS:
        return False
    edges.sort()
    return any(b - a <= _ALIGNED for a, b in zip(edges, edges[MIN_SHORT_ROWS - 1 :], strict=False))


def order_columns(lines: Sequence[Line]) -> list[Line] | None:
    """Reorder the lines of a page column by column; None where no stretch of them stands in columns.

    ``lines`` are the printed lines, one for each baseline, in the file's order. No word is lost.
    """
    if not all(line.placed for line in lines):
        return None
    rows = _rows(lines)
    starts = _column_starts(rows)
    if not starts and not may_be_side_by_side(rows):
        return None
    ordered: list[Line] = []
    moved = False
    for fits, group in groupby(rows, lambda row: _fits(row, starts)):
        stretch = list(group)
        columns = _as_columns(stretch, starts) if fits and starts else None
        for own, is_moved in [(columns, True)] if columns is not None else read_side_by_side(stretch):
            ordered += own
            moved = moved or is_moved
    return ordered if moved else None


def _rows(lines: Sequence[Line]) -> list[Row]:
    rows: list[Row] = []
    for line in lines:
        segments = _segments(line)
        last = rows[-1] if rows else None
        if last and abs(last.y - line.y) < 0.5 * line.size and segments[0].x0 > last.segments[-1].x1:
            rows[-1] = Row(last.y, (*last.segments, *segments), (*last.lines, line))
        else:
            rows.append(Row(line.y, segments, (line,)))
    return rows


def _segments(line: Line) -> tuple[Segment, ...]:
    if not line.cells or not all(cell.parts for cell in line.cells):
        return (Segment(line.x0, line.x1, line),)
    y, size, bold = line.y, line.size, line.bold
    # The parts of a cell follow one another on its line.
    rights = [cell.parts[-1].box.right for cell in line.cells]
    return tuple(
        [
            Segment(x0, right, make_line((text, x0, right, y, y, size, bold, (), parts)))
            for (x0, text, _, parts), right in zip(line.cells, rights, strict=True)
        ]
    )


def _column_starts(rows: Sequence[Row]) -> list[float]:
    """The left edges of all columns but the first; none where no edge has an empty strip before it."""
    edges = sorted(segment.x0 for row in rows for segment in row.segments[1:])
    starts: list[float] = []
    index = 0
    while index < len(edges):
        end = index
        while end < len(edges) and edges[end] <= edges[index] + _ALIGNED:
            end += 1
        # Most edges are not aligned with others.
        if end - index >= MIN_ROWS and _is_start(rows, edges[index], end - index):
            starts.append(edges[index])
        index = max(end, index + 1)
    return starts if len(starts) < _MAX_COLUMNS else []


def _is_start(rows: Sequence[Row], x: float, count: int) -> bool:
    """Tell if a column begins at ``x``, where ``count`` segments begin: most of those right of an empty strip."""
    beside = [row for row in rows if row.segments[0].x0 < x - _GUTTER and row.segments[-1].x0 >= x - 1]
    crossed = any(s.x0 < x - 1 and s.x1 > x - _GUTTER for row in beside for s in row.segments)
    return not crossed and count >= 0.6 * len(beside)


def _column(x0: float, starts: Sequence[float]) -> int:
    return sum(x0 >= start - 1 for start in starts)


def _fits(row: Row, starts: Sequence[float]) -> bool:
    for segment in row.segments:
        column = _column(segment.x0, starts)
        if column < len(starts) and segment.x1 > starts[column] - _GUTTER:
            return False
    return True


def _as_columns(rows: Sequence[Row], starts: Sequence[float]) -> list[Line] | None:
    """The lines of ``rows`` column by column; None where they do not read as running text in columns."""
    columns: list[list[Line]] = [[] for _ in range(len(starts) + 1)]
    shared = 0
    for row in rows:
        sides = {_column(segment.x0, starts) for segment in row.segments}
        shared += len(sides) > 1
        for side in sorted(sides):
            own = [segment.line for segment in row.segments if _column(segment.x0, starts) == side]
            columns[side].append(reduce(beside, own)._replace(cells=()) if len(own) > 1 else own[0])
    if shared < MIN_ROWS or shared < 0.6 * len(rows) or not _is_even(rows):
        return None
    if not all(_is_prose(column) for column in columns if column):
        return None
    widths = [max(line.x1 for line in column) - min(line.x0 for line in column) for column in columns if column]
    if min(widths) < 0.55 * max(widths):
        return None
    return [line for column in columns for line in sorted(column, key=lambda line: -line.y)]


def _is_even(rows: Sequence[Row]) -> bool:
    """Tell if the rows have one line pitch; those of a table are spaced unevenly."""
    drops = [a.y - b.y for a, b in pairwise(rows) if a.y > b.y]
    usual = median(drops) if drops else 0.0
    return bool(drops) and sum(abs(drop - usual) < 0.1 * usual for drop in drops) >= 0.75 * len(drops)


def _is_prose(column: Sequence[Line]) -> bool:
    """Tell if a column is running text: full lines of several words, many of which continue the line before."""
    left, right = min(line.x0 for line in column), max(line.x1 for line in column)
    full = sum(line.x1 > right - 0.3 * (right - left) for line in column)
    goes_on = sum(b.text[:1].islower() for _, b in pairwise(column))
    return (
        len(column) >= MIN_ROWS
        and median(len(line.text.split()) for line in column) >= _MIN_WORDS
        and median(len(line.text) for line in column) >= _MIN_CHARACTERS
        and full >= 0.65 * len(column)
        and goes_on >= 0.3 * len(column)
    )
