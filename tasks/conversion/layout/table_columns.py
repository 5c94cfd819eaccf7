"""Empty cells of a printed table's rows, found by the columns in which the other cells stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from tasks.conversion.document.placed_text import PlacedText
from tasks.conversion.layout.table_headers import EMPTY_CELL, Column, TableCell, leading, over_columns

__all__ = ["EMPTY_CELL", "TableCell", "is_near", "with_empty_cells"]

_IN_LINE = 2.0
_LOOK_BACK = 8
_MOST_HEADS = 3
"""Most rows of headings over several columns above a table."""


def with_empty_cells(rows: Sequence[Sequence[TableCell]]) -> list[list[PlacedText]]:
    """Fill the empty cells of each row with :data:`EMPTY_CELL`, by the columns of the table.

    Unchanged are rows of one cell, which may be the heading of those below, unless it is in line with a column after
    the first, and rows with a cell that stands in two columns. So is the whole table where its columns are not certain:
    where no row fills them, but for one cell, or where two cells of a row share one. Headings over several columns are
    repeated over each. Below a row of one cell another table may begin. No rows give none.
    """
    return [texts for table in _tables(rows) for texts in _filled(table)]


def _tables(rows: Sequence[Sequence[TableCell]]) -> list[list[Sequence[TableCell]]]:
    """Split the rows into tables: before a lone cell with a new alignment below it, and where the alignment changes."""
    tables: list[list[Sequence[TableCell]]] = []
    for is_full, run in groupby(rows, key=lambda row: len(row) > 1):
        own = list(run)
        for part in _parted(own) if is_full else [own]:
            if tables and (not is_full or (part[0] is own[0] and _stand_in_line(part, tables[-1]))):
                tables[-1] += part
            else:
                tables.append(part)
    return tables


def _parted(rows: Sequence[Sequence[TableCell]]) -> list[list[Sequence[TableCell]]]:
    """Split rows with several cells before two rows that are in line with each other and not with those above."""
    cuts = [0]
    for at in range(2, len(rows) - 1):
        above = rows[max(at - _LOOK_BACK, cuts[-1]) : at]
        is_one = len(above) > 1 and _stand_in_line(above[-1:], above[:-1])
        if is_one and not any(_in_line(rows[at : at + 2], above)):
            cuts.append(at)
    return [list(rows[begin:end]) for begin, end in pairwise([*cuts, len(rows)])]


def _stand_in_line(rows: Sequence[Sequence[TableCell]], above: Sequence[Sequence[TableCell]]) -> bool:
    """Tell if most cells beside the first have an edge or their middle where a cell of ``above`` has it."""
    in_line = _in_line(rows, above)
    return 2 * sum(in_line) > len(in_line)


def _in_line(rows: Sequence[Sequence[TableCell]], above: Sequence[Sequence[TableCell]]) -> list[bool]:
    """Tell, for each cell beside the first, if it is in line with a cell of ``above``; all are where there is none."""
    places = [sorted(edges) for edges in zip(*(_edges(cell) for row in above for cell in row[1:]), strict=True)]
    cells = [cell for row in rows for cell in row[1:]]
    return [
        not places or any(is_near(known, x, _IN_LINE) for known, x in zip(places, _edges(cell), strict=True))
        for cell in cells
    ]


def _edges(cell: TableCell) -> tuple[float, float, float]:
    return cell.left, cell.right, (cell.left + cell.right) / 2


def is_near(places: Sequence[float], x: float, within: float) -> bool:
    """Tell if any of the sorted ``places`` is less than ``within`` from ``x``, all in points."""
    at = bisect_right(places, x - within)
    return at < len(places) and places[at] < x + within


def _filled(rows: Sequence[Sequence[TableCell]]) -> list[list[PlacedText]]:
    full = [row for row in rows if len(row) > 1]
    for above in range(min(leading(full), _MOST_HEADS), 0, -1):
        told = _by_columns([row for row in rows if not any(row is head for head in full[:above])])
        heads = [over_columns(head, told.columns, below) for head, below in pairwise(full[: above + 1])]
        if all(heads):
            of_head = {id(row): said for row, said in zip(full, heads, strict=False) if said}
            others = iter(told.texts)
            return [of_head.get(id(row)) or next(others) for row in rows]
    return _by_columns(rows).texts


class _Told(NamedTuple):
    """The texts of rows with their empty cells, and the columns; no columns where these are not certain."""

    texts: list[list[PlacedText]]
    columns: list[Column]


def _by_columns(rows: Sequence[Sequence[TableCell]]) -> _Told:
    as_they_are = _Told([[cell.text for cell in row] for row in rows], [])
    full = [row for row in rows if len(row) > 1]
    spanning = _spanning(full)
    plain = [row for row in full if id(row) not in spanning]
    starts = _columns(plain)
    if len(starts) < 3 or max(map(len, plain)) < len(starts) - 1:
        return as_they_are
    filled: list[list[PlacedText]] = []
    members: list[list[TableCell]] = [[] for _ in starts]
    for row, texts in zip(rows, as_they_are.texts, strict=True):
        if id(row) in spanning or (len(row) < 2 and not _begins_in_line(row[0], plain, starts)):
            filled.append(texts)
            continue
        own = {bisect_right(starts, cell.left) - 1: cell for cell in row}
        if len(own) < len(row):
            return as_they_are
        for column, cell in own.items():
            members[column].append(cell)
        filled.append([own[at].text if at in own else PlacedText(EMPTY_CELL) for at in range(len(starts))])
    sides = [Column(min(cell.left for cell in each), max(cell.right for cell in each)) for each in members]
    return _Told(filled, sides)


def _begins_in_line(cell: TableCell, rows: Sequence[Sequence[TableCell]], starts: Sequence[float]) -> bool:
    """Tell if the only cell of a row begins where cells of a column after the first do."""
    lefts = sorted(other.left for row in rows for other in row[1:])
    goes_on = cell.text.text[:1].islower()
    return cell.left >= starts[1] and not goes_on and is_near(lefts, cell.left, _IN_LINE)


def _spanning(rows: Sequence[Sequence[TableCell]]) -> set[int]:
    """The ids of the rows with a cell that stands over or under two cells of another row."""
    # For each two neighbouring cells of a row: the start of the second, and the end of the first.
    between = sorted(
        (right.left, left.right) for row in rows for left, right in pairwise(sorted(row, key=lambda cell: cell.left))
    )
    begins = [begin for begin, _ in between]
    furthest = list(accumulate((end for _, end in between), max))
    found: set[int] = set()
    for row in rows:
        for cell in row:
            at = bisect_left(begins, cell.right)
            if at and cell.left < furthest[at - 1]:
                found.add(id(row))
                break
    return found


def _columns(rows: Sequence[Sequence[TableCell]]) -> list[float]:
    """The left edges of the columns; stretches whose cells share no row are one, as a title and its figures."""
    stretches: list[tuple[float, float, set[int]]] = []
    for left, right, index in sorted((cell.left, cell.right, index) for index, row in enumerate(rows) for cell in row):
        if stretches and left < stretches[-1][1]:
            begin, end, members = stretches[-1]
            stretches[-1] = begin, max(end, right), members | {index}
        else:
            stretches.append((left, right, {index}))
    columns: list[tuple[float, set[int]]] = []
    for left, _, members in stretches:
        if columns and columns[-1][1].isdisjoint(members):
            columns[-1][1].update(members)
        else:
            columns.append((left, members))
    return [left for left, _ in columns]
