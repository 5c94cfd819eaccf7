"""Tables on a printed page: rows rebuilt from the places of their cells.

A reader gives a table's words line by line or cell by cell, in the order in which they were printed. Only separators
are put in here: no word moves.
"""

from __future__ import annotations

import html
import re
from bisect import insort
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from tasks.conversion.document.placed_text import PlacedText, join, union
from tasks.conversion.layout.page import SAME_BASELINE, Cell, Line
from tasks.conversion.layout.table_columns import TableCell, is_near, with_empty_cells
from tasks.text.characters import CHECKED, EMPTY

CELL_SEPARATOR = " | "
_TOLERANCE = 4.0
_ALIGNED = 1.5
WIDE_GAP = 1.5
_VERY_WIDE_GAP = 2.5
_LEADING = 1.45
_MOST_INDENT = 2.0
"""Most indent of the rows of a group, over the type size."""
_LOOK_AHEAD = 8
_LONG_LINE = 60
_PADDING = 12.0
"""Least distance that programs leave between the text of a cell and that of the next, in points."""
_BLANKS = 1.5
"""Width in characters of the blank before a word, with an allowance for wider letters."""
_NUMBERED_CELL = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[^\W\d_][.)]|#)\s")
_MANY_LINES = 400
"""More lines than a table has: so many lines that turn out to be no table are not searched again."""


class TableRange(NamedTuple):
    """A table at ``lines[start:end]``, with its rows as texts."""

    start: int
    end: int
    rows: tuple[PlacedText, ...]


class _Placed(NamedTuple):
    x: float
    right: float
    y: float
    y_end: float
    texts: list[PlacedText]
    has_others: bool
    """True where other cells stand on the baseline of one of its lines."""


def find_tables(lines: Sequence[Line]) -> list[TableRange]:
    """Find the tables among ``lines``, in order: two rows or more with two cells or more each.

    Two lines at least must share a column beside the first, have very wide gaps or go back up: justified text does none
    of these.
    """
    joined, starts = _joined_on_a_baseline(lines)
    return [TableRange(starts[begin], starts[end], rows) for begin, end, rows in _find_tables(joined)]


def _joined_on_a_baseline(lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[int]]:
    """Join lines side by side in one type size to lines with cells, with the index where each begins, and the count."""
    if not any(line.x0 > before.x1 for before, line in pairwise(lines)):  # as on most pages
        return lines, range(len(lines) + 1)
    joined: list[Line] = []
    starts: list[int] = []
    for at, line in enumerate(lines):
        before = joined[-1] if joined else None
        if before is not None and _stands_beside(before, line):
            joined[-1] = beside(before, line)
        else:
            joined.append(line)
            starts.append(at)
    return (joined, [*starts, len(lines)]) if len(joined) < len(lines) else (lines, range(len(lines) + 1))


def _stands_beside(before: Line, line: Line) -> bool:
    is_level = before.y == before.y_end and abs(line.y - before.y) < 1 and line.size == before.size > 0
    # Text after a tick box belongs to the next tick box.
    is_level = is_level and not before.text.endswith((EMPTY, CHECKED))
    return is_level and line.x0 - before.x1 > WIDE_GAP * line.size


def beside(before: Line, line: Line, least_gap: float = 0.0) -> Line:
    """Join two lines; the second begins a cell after a gap of at least ``least_gap`` over the type size."""
    first = before.cells or (Cell(before.x0, before.text, 0.0, before.parts),)
    others = line.cells or (Cell(line.x0, line.text, 0.0, line.parts),)
    cells = (*first, others[0]._replace(gap=max((line.x0 - before.x1) / line.size, least_gap)), *others[1:])
    text, parts = join([before.placed_text, line.placed_text], " ")
    return before._replace(
        text=text, x1=line.x1, y_end=line.y_end, bold=before.bold and line.bold, cells=cells, parts=parts
    )


def _find_tables(lines: Sequence[Line]) -> list[TableRange]:
    wrapped = _wrapped_rows(lines)
    if not wrapped and not any(line.cells for line in lines):
        return []
    split = _split(lines)
    tables: list[TableRange] = []
    index = 0
    while index < len(lines):
        if len(split[index]) < 2 and index not in wrapped:
            index += 1
            continue
        end = _end_of_table(lines, split, index, wrapped)
        own, cells = lines[index:end], split[index:end]
        rows = _rows(own, cells) if _is_set_in_columns(own, cells) else []
        full = sum(len(row) >= 2 for row in rows)
        if full >= 2 and full > len(rows) - full - _bare(rows):
            told = with_empty_cells([[_cell(part) for part in row] for row in rows])
            tables.append(TableRange(index, end, tuple(join(row, CELL_SEPARATOR) for row in told)))
            index = end
        else:
            index = end if end - index > _MANY_LINES else index + 1
    return tables


def _bare(rows: Sequence[Sequence[_Placed]]) -> int:
    """Count the rows that are a single cell in the first column, as where nothing is filled in."""
    second = min((row[1].x for row in rows if len(row) > 1), default=0.0)
    return sum(len(row) == 1 and row[0].right < second for row in rows)


def table_html(rows: Sequence[Sequence[str]]) -> str:
    """The rows of cells as HTML; no rows give an empty table."""
    said = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in said) + "</table>"


def _wrapped_rows(lines: Sequence[Line]) -> AbstractSet[int]:
    """The indices of lines that begin a row with wrapped first cells: the next cell is to the right on its baseline."""
    begins: dict[int, int] = {}
    for index, (before, line) in enumerate(pairwise(lines), start=1):
        # In a formula the text that goes back up is larger.
        if line.y <= before.y_end + SAME_BASELINE or before.size != line.size:
            continue
        for back in range(index - 1, max(index - 1 - _LOOK_AHEAD, -1), -1):
            if lines[back].x0 > line.x0 - _TOLERANCE:
                break
            if abs(lines[back].y - line.y) < SAME_BASELINE and lines[back].size == line.size:
                begins[index] = begins.get(back, back)
                break
    return set(begins.values())


def _split(lines: Sequence[Line]) -> list[tuple[Cell, ...]]:
    """The cells of each line, cut at gaps that are wide or in line with a gap near by; one cell or none otherwise."""
    split: list[tuple[Cell, ...]] = []
    for index, line in enumerate(lines):
        kept: list[Cell] = []
        for cell in line.cells:
            if kept and cell.gap < WIDE_GAP and not _has_neighbour(lines, index, cell):
                text, parts = join([kept[-1].placed_text, cell.placed_text], " ")
                kept[-1] = Cell(kept[-1].x0, text, kept[-1].gap, parts)
            else:
                kept.append(cell)
        split.append(tuple(kept))
    return split


def _has_neighbour(lines: Sequence[Line], index: int, cell: Cell) -> bool:
    """Tell if a cell on a line near by begins in line with ``cell``, at a gap or where a line goes back up."""
    first, end = max(0, index - _LOOK_AHEAD), min(len(lines), index + 1 + _LOOK_AHEAD)
    for at in (*range(first, index), *range(index + 1, end)):
        line = lines[at]
        if line.cells and any(abs(other.x0 - cell.x0) < _ALIGNED for other in line.cells[1:]):
            return True
        if at and abs(line.x0 - cell.x0) < _ALIGNED and line.y > lines[at - 1].y_end + SAME_BASELINE:
            return True
    return False


def _is_set_in_columns(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]]) -> bool:
    lefts = [[cell.x0 for cell in cells[1:]] for cells in split if len(cells) > 1]
    ordered = sorted((x, index) for index, row in enumerate(lefts) for x in row)
    if any(b[0] - a[0] < _TOLERANCE and a[1] != b[1] for a, b in pairwise(ordered)):
        return True
    wide = sum(max(cell.gap for cell in cells) > _VERY_WIDE_GAP for cells in split if len(cells) > 1)
    upward = sum(b.y > a.y_end + SAME_BASELINE and b.x0 > a.x0 for a, b in pairwise(lines))
    return wide + upward >= 2


def _end_of_table(
    lines: Sequence[Line], split: Sequence[tuple[Cell, ...]], start: int, wrapped: AbstractSet[int]
) -> int:
    columns = sorted(cell.x0 for cell in split[start]) or [lines[start].x0]
    # A row ends where its longest cell does, which need not be the last.
    lowest = lines[start].y_end
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if _too_far(lowest, lines[end - 1], line) or not line.placed:
            break
        belongs = end in wrapped or _belongs(lines, split, end, columns)
        if not belongs and _is_prose(lines, split, start, end):
            break
        if not belongs and not _row_follows(lines, split, end, columns):
            break
        for x in [cell.x0 for cell in split[end]] or [line.x0]:
            insort(columns, x)
        lowest = min(lowest, line.y_end)
        end += 1
    while end < len(lines) and _is_bare_row(lines[end], lowest, columns, lines[start]):
        lowest = lines[end].y_end
        end += 1
    return end


def _is_prose(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]], start: int, index: int) -> bool:
    """Tell if the line, long or followed by its like, runs across the second column of the table."""
    seconds = [cells[1].x0 for cells in split[start:index] if len(cells) > 1]
    if not seconds or not _runs_across(lines[index], min(seconds)):
        return False
    text, following = lines[index].text, lines[index + 1 : index + 2]
    goes_on = any(_runs_across(line, min(seconds)) and not split[index + 1] for line in following)
    return goes_on or (text.endswith(".") and len(text) > _LONG_LINE)


def _runs_across(line: Line, second: float) -> bool:
    return line.x0 < second < line.x1 - 2 * line.size


def _is_bare_row(line: Line, lowest: float, columns: Sequence[float], first: Line) -> bool:
    """Tell if ``line``, right below a table, is a row with only its first column filled."""
    left = columns[0]
    second = next((x for x in columns if x > left + _TOLERANCE), 0.0)
    is_below = SAME_BASELINE < lowest - line.y < _LEADING * line.size and abs(line.x0 - left) < _TOLERANCE
    return is_below and line.x1 < second and line.size == first.size and not line.bold and not line.text.endswith(".")


def _too_far(lowest: float, previous: Line, line: Line) -> bool:
    return lowest - line.y > 3 * max(line.size, previous.size)


def _belongs(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]], index: int, columns: Sequence[float]) -> bool:
    line, previous = lines[index], lines[index - 1]
    if len(split[index]) >= 2:
        return True
    if line.x0 <= columns[0] + _TOLERANCE:
        return False
    if line.y > previous.y_end + SAME_BASELINE or is_near(columns, line.x0, _TOLERANCE):
        return True
    return _hangs(previous.text, previous.y_end, line)


def _hangs(text: str, y_end: float, line: Line) -> bool:
    """Tell if ``line`` may continue a numbered cell ``text``: its words begin further right than the number does."""
    return SAME_BASELINE < y_end - line.y < _LEADING * line.size and _NUMBERED_CELL.match(text) is not None


def _row_follows(
    lines: Sequence[Line], split: Sequence[tuple[Cell, ...]], index: int, columns: Sequence[float]
) -> bool:
    """Tell if the line at the left edge is a wrapped first cell or the name of a group, with rows after it."""
    # A centred heading may stand right of the column below it.
    left = min(lines[index].x0, columns[0])
    for ahead in range(index + 1, min(index + _LOOK_AHEAD, len(lines))):
        previous, line = lines[ahead - 1], lines[ahead]
        is_far = _too_far(previous.y_end, previous, line)
        if abs(previous.x0 - left) >= _TOLERANCE or is_far or previous.size != line.size:
            return False
        if len(split[ahead]) >= 2:
            is_below = abs(line.x0 - left) < _TOLERANCE or _is_of_group(line, split[ahead], left, previous.x1)
            return is_below or line.y > previous.y_end + SAME_BASELINE
        if _belongs(lines, split, ahead, columns):
            return True
    return False


def _is_of_group(line: Line, cells: Sequence[Cell], left: float, right: float) -> bool:
    """Tell if a row is indented below a group's name from ``left`` to ``right``, with its figures to the right."""
    is_set_in = left < line.x0 < min(right, left + _MOST_INDENT * line.size)
    return is_set_in and len(cells) > 1 and cells[1].gap > _VERY_WIDE_GAP and right < cells[1].x0


def _rows(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]]) -> list[list[_Placed]]:
    """Build the rows: one begins where cells go back left and down, and below a lone cell that had room for more."""
    rows: list[list[_Placed]] = []
    beside = _have_others_beside(lines, split)
    is_late = _are_late(lines, beside)
    end = _end_of_first(lines, split)
    for line, cells, has_others in zip(lines, split, beside, strict=True):
        name = rows[-1][0] if rows and len(rows[-1]) == 1 else None
        opens = (
            name is not None and line.y < name.y_end - SAME_BASELINE and _is_of_group(line, cells, name.x, name.right)
        )
        for part in cells or (Cell(line.x0, line.text, 0.0, line.parts),):
            x, text = part.x0, part.placed_text
            cell = _Placed(x, line.x1, line.y, line.y_end, [text], has_others)
            last = rows[-1][-1] if rows else None
            goes_on = last is not None and last.x < x < last.right and _hangs(last.texts[0].text, last.y_end, line)
            if (
                last is None
                or opens
                or (x < last.x - _TOLERANCE and cell.y < last.y - 1 and not _is_within(rows[-1], cell))
            ):
                rows.append([cell])
                opens = False
            elif abs(x - last.x) > _TOLERANCE and not goes_on:
                rows[-1].append(cell)
            elif (
                len(rows[-1]) == 1
                and not last.has_others
                and cell.y < last.y_end - SAME_BASELINE
                and not text.text[:1].islower()
                and ((has_others and not is_late) or _had_room(last, text.text, end))
            ):
                rows.append([cell])
            elif -1 < last.y_end - cell.y < _LEADING * line.size:
                last.texts.append(text)
                has_others = last.has_others or has_others
                rows[-1][-1] = last._replace(right=cell.right, y_end=cell.y_end, has_others=has_others)
            else:
                rows.append([cell])
    return rows


def _have_others_beside(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]]) -> list[bool]:
    """Tell, for each line, if other cells stand to the right on its baseline, in the same line or soon after it."""
    return [
        len(cells) > 1
        or any(
            abs(other.y - line.y) < SAME_BASELINE and other.x0 > line.x1
            for other in lines[at + 1 : at + 1 + _LOOK_AHEAD]
        )
        for at, (line, cells) in enumerate(zip(lines, split, strict=True))
    ]


def _are_late(lines: Sequence[Line], beside: Sequence[bool]) -> bool:
    """Tell if a row's other cells stand beside a line that continues its first cell, at its middle or foot."""
    return any(
        not had and has and abs(before.x0 - line.x0) < _TOLERANCE and line.text[:1].islower()
        for (before, had), (line, has) in pairwise(zip(lines, beside, strict=True))
    )


def _end_of_first(lines: Sequence[Line], split: Sequence[tuple[Cell, ...]]) -> float:
    """The right edge of the first column: the aligned start of the second less padding, or the end of its text."""
    seconds = sorted(cells[1].x0 for cells in split if len(cells) > 1)
    # Cells that are read one after another (not line by line) have their own right edges.
    is_by_line = all(line.y <= before.y_end + SAME_BASELINE for before, line in pairwise(lines))
    if is_by_line and len(seconds) > 1 and seconds[1] - seconds[0] < _ALIGNED:
        return seconds[0] - _PADDING
    ends = [
        _right(cells[0], cells[1].x0) if len(cells) > 1 else line.x1 for line, cells in zip(lines, split, strict=True)
    ]
    return max((end for end in ends if end < min(seconds, default=0.0)), default=0.0)


def _right(cell: Cell, most: float) -> float:
    box = union(part.box for part in cell.parts)
    return box.right if box else most


def _had_room(last: _Placed, text: str, end: float) -> bool:
    """Tell if the first word of ``text`` would have fitted after a cell in a column that ends at ``end``."""
    width = (last.right - last.x) / max(len(last.texts[-1].text), 1)
    return last.right + width * (len(text.split(" ", 1)[0]) + _BLANKS) < end


def _cell(placed: _Placed) -> TableCell:
    """The cell in its column: as wide as its printed text, where its box is known."""
    text = join(placed.texts, " ")
    box = union(part.box for part in text.parts)
    return TableCell(box.left, box.right, text) if box else TableCell(placed.x, placed.right, text)


def _is_within(row: Sequence[_Placed], cell: _Placed) -> bool:
    """Tell if ``cell`` stands right of the row's last cell but one, as a centred cell that continues does."""
    return len(row) > 1 and cell.x > row[-2].x + _TOLERANCE
