"""Rows of a table with drawn rules.

Where cells are centred or at the foot of their rows, only the rules show which lines belong to one row.

The lines of such a row are put cell by cell, each cell as if it began at the row's top: then it reads as any table.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import pypdfium2.raw as pdfium_c

from tasks.conversion.document.placed_text import Part
from tasks.conversion.layout.page import SAME_BASELINE, Line
from tasks.conversion.layout.table_headers import EMPTY_CELL
from tasks.conversion.layout.tables import beside
from tasks.conversion.pdf.line_cuts import Piece, clean
from tasks.conversion.pdf.page_text import PageText, View
from tasks.records import Box

_MIN_CLIMBS = 2
_MAX_OBJECTS, _MAX_RULES = 5000, 400
"""A page with more objects or rules is a drawing."""
_MAX_THICKNESS = 2.5
_MIN_LENGTH = 4.0
_REACH = 3.0
"""Most distance in points between rules that meet."""
_SAME = 1.5
_MOST_OF = 0.9
_MIN_EDGES = 3
_RULED_GAP = 3.0
"""The gap, over the type size, that a rule counts as: however near the words stand, they are in different cells."""
_MIN_ROWS = 2
_MOST_JUSTIFIED = 2.5

Span = tuple[float, float]


class Row(NamedTuple):
    """A table row: its ``top``, the upright ``edges`` of its cells from left to right, its own ends included, and the
    ``bottoms`` of its cells.

    A bottom is the row's foot, lower where the cell spans the rows below, or the row's ``top`` where a cell from above
    spans down.
    """

    top: float
    edges: list[float]
    bottoms: list[float]


class Upright(NamedTuple):
    """An upright rule, or a side of a box, from ``bottom`` to ``top`` at ``x``, in points as the page is displayed."""

    x: float
    bottom: float
    top: float


class CutPieces(NamedTuple):
    """Pieces cut so that none reaches into a second cell; for each the index of its row and of its cell there, or -1.

    ``reached`` maps each row whose first cell is spanned from above to that cell's left edge.
    """

    pieces: list[Piece]
    rows: list[int]
    cells: list[int]
    reached: dict[int, float]


def may_be_ruled(lines: Sequence[Line]) -> bool:
    """Tell if lines go back up to the right, as they do in rows whose cells begin at different heights."""
    climbs = 0
    before = Line("")
    for line in lines:
        if line.y > before.y_end + SAME_BASELINE and before.size > 0 and line.x0 > before.x0:
            climbs += 1
        if line.y_end > line.y + SAME_BASELINE:
            climbs += 1
        before = line
    return climbs >= _MIN_CLIMBS


def ruled_rows(page: Any, view: View) -> list[Row]:
    """The rows with two cells or more that rules bound on all sides; none on a page that is shown turned."""
    if view.turns:
        return []
    level: list[tuple[float, Span]] = []
    upright: list[tuple[float, Span]] = []
    for left, bottom, right, top in _path_boxes(page):
        x0, x1, y0, y1 = left - view.left, right - view.left, bottom - view.bottom, top - view.bottom
        if y1 - y0 < _MAX_THICKNESS and x1 - x0 > _MIN_LENGTH:
            level.append(((y0 + y1) / 2, (x0, x1)))
        elif x1 - x0 < _MAX_THICKNESS and y1 - y0 > _MIN_LENGTH:
            upright.append(((x0 + x1) / 2, (y0, y1)))
    if len(level) < _MIN_ROWS or len(upright) < _MIN_EDGES:
        return []
    levels, uprights = _rules(level)[::-1], _rules(upright)
    if max(len(levels), len(uprights)) > _MAX_RULES:
        return []
    rows: list[Row] = []
    done: list[tuple[int, Span]] = []
    for at, (_, spans) in enumerate(levels):
        for span in spans:
            below = range(at + 1, len(levels))
            foot = next((index for index in below if any(_is_as_long(span, other) for other in levels[index][1])), None)
            # A shorter rule parts the cells of a row that is known.
            is_within = any(at < end and _is_inside(span, wide) for end, wide in done)
            if foot is not None and not is_within:
                done.append((foot, span))
                rows += [row for row in _rows(levels[at : foot + 1], span, uprights) if len(row.edges) >= _MIN_EDGES]
    return rows


def upright_rules(page: Any, view: View) -> list[Upright]:
    """The page's upright rules and the sides of its boxes; none on a page that is shown turned."""
    if view.turns:
        return []
    rules: list[Upright] = []
    for left, bottom, right, top in _path_boxes(page):
        if top - bottom > _MIN_LENGTH:
            # A thin box is a rule, with two sides that are one.
            sides = ((left + right) / 2,) if right - left < _MAX_THICKNESS else (left, right)
            rules += [Upright(x - view.left, bottom - view.bottom, top - view.bottom) for x in sides]
    return rules


def _path_boxes(page: Any) -> list[tuple[float, float, float, float]]:
    count = pdfium_c.FPDFPage_CountObjects(page)
    if count > _MAX_OBJECTS:
        return []
    sides = [ctypes.c_float() for _ in range(4)]
    pointers = [ctypes.byref(side) for side in sides]
    boxes: list[tuple[float, float, float, float]] = []
    for index in range(count):
        drawn = pdfium_c.FPDFPage_GetObject(page, index)
        is_path = pdfium_c.FPDFPageObj_GetType(drawn) == pdfium_c.FPDF_PAGEOBJ_PATH
        if is_path and pdfium_c.FPDFPageObj_GetBounds(drawn, *pointers):
            left, bottom, right, top = (side.value for side in sides)
            boxes.append((left, bottom, right, top))
    return boxes


def _rules(strokes: list[tuple[float, Span]]) -> list[tuple[float, list[Span]]]:
    """Merge the strokes of one direction into rules: the position of each, ascending, and the spans that are drawn."""
    rules: list[tuple[float, list[Span]]] = []
    for at, span in sorted(strokes):
        if rules and at - rules[-1][0] < _SAME:
            rules[-1][1].append(span)
        else:
            rules.append((at, [span]))
    return [(at, _merged(spans)) for at, spans in rules]


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for begin, end in sorted(spans):
        if merged and begin - merged[-1][1] < _REACH:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return merged


def _rows(
    levels: Sequence[tuple[float, list[Span]]], span: Span, uprights: Sequence[tuple[float, list[Span]]]
) -> list[Row]:
    """The rows between the first and the last rule, which go over ``span``; shorter rules part it into several."""
    ys = [y for y, _ in levels]
    # A rule shorter than a cell's width underlines words.
    parting = [
        at
        for at in range(1, len(levels) - 1)
        if any(_is_ruled(levels[at][1], cell) for cell in pairwise(_edges(uprights, span, ys[at], ys[at])))
    ]
    bounds = [0, *parting, len(levels) - 1]
    rows: list[Row] = []
    for place, (above, beneath) in enumerate(pairwise(bounds)):
        edges = _edges(uprights, span, ys[beneath], ys[above])
        bottoms = [
            next(ys[one] for one in bounds[place + 1 :] if one == bounds[-1] or _is_ruled(levels[one][1], cell))
            if above == 0 or _is_ruled(levels[above][1], cell)
            else ys[above]
            for cell in pairwise(edges)
        ]
        rows.append(Row(ys[above], edges, bottoms))
    return rows


def _edges(uprights: Sequence[tuple[float, list[Span]]], span: Span, bottom: float, top: float) -> list[float]:
    return [
        x
        for x, spans in uprights
        if span[0] - _REACH < x < span[1] + _REACH
        and any(low < bottom + _REACH and high > top - _REACH for low, high in spans)
    ]


def _is_ruled(spans: Sequence[Span], cell: Span) -> bool:
    """Tell if parts of a rule go over most of a cell's width."""
    left, right = cell
    return any(min(right, end) - max(left, begin) > _MOST_OF * (right - left) for begin, end in spans)


def _is_inside(span: Span, wide: Span) -> bool:
    return span[0] > wide[0] - _REACH and span[1] < wide[1] + _REACH


def _is_as_long(span: Span, other: Span) -> bool:
    return abs(span[0] - other[0]) < _REACH and abs(span[1] - other[1]) < _REACH


def cut_at_rules(page: PageText, pieces: Sequence[Piece], rows: Sequence[Row]) -> CutPieces | None:
    """Cut the pieces where a cell of the ``rows`` ends; None where fewer than two rows have words in two cells."""
    begin = np.array([piece.at for piece in pieces])
    words = page.words(begin, begin + np.array([len(piece.raw) for piece in pieces]))
    own = np.full(len(words.x), -1)
    cell = np.full(len(words.x), -1)
    for index, (top, edges, bottoms) in enumerate(rows):
        column = np.clip(np.searchsorted(edges, words.x + _REACH) - 1, 0, len(bottoms) - 1)
        inside = (words.y < top) & (words.y > np.array(bottoms)[column])
        inside &= (words.x > edges[0] - _REACH) & (words.x < edges[-1])
        own[inside] = index
        cell[inside] = column[inside]
    filled = {*zip(own.tolist(), cell.tolist(), strict=True)}
    told = [index for index in range(len(rows)) if sum(row == index for row, _ in filled) > 1]
    if len(told) < _MIN_ROWS:
        return None
    reached = {index: row.edges[0] for index, row in enumerate(rows) if row.bottoms[0] == row.top}
    cut = CutPieces([], [], [], reached)
    keys = list(zip(own.tolist(), cell.tolist(), strict=True))
    for piece, first, last in zip(pieces, words.first.tolist(), words.last.tolist(), strict=True):
        for (row, column), run in groupby(range(first, last + 1), keys.__getitem__):
            within = list(run)
            start, end = words.head[within[0]], words.tail[within[-1]] + 1
            raw = page.text[start:end]
            is_whole = len(within) == last - first + 1
            cut.pieces.append(piece if is_whole else Piece(raw, clean(raw), start))
            cut.rows.append(row)
            cut.cells.append(column)
    return cut


def in_rows(lines: Sequence[Line], cut: CutPieces) -> list[Line]:
    """The lines of the pieces ``cut``, those of a row together, cell by cell, each placed from the row's top on."""
    members: dict[int, list[int]] = {}
    for at, row in enumerate(cut.rows):
        members.setdefault(row, []).append(at)
    ordered: list[Line] = []
    for at, row in enumerate(cut.rows):
        if row < 0:
            ordered.append(lines[at])
        elif members[row][0] == at:
            own = sorted(members[row], key=lambda one: (cut.cells[one], -lines[one].y))
            cells = [[lines[one] for one in run] for _, run in groupby(own, cut.cells.__getitem__)]
            told = _from_the_top(cells)
            if row in cut.reached:
                told.insert(0, _reached(cut.reached[row] + _REACH, told[0]))
            ordered += told
    return ordered


def _reached(left: float, line: Line) -> Line:
    """The placeholder line for a cell that a cell from above spans, to stand before ``line``."""
    right = left + line.size
    top, bottom = (line.parts[0].box.top, line.parts[0].box.bottom) if line.parts else (0.0, 0.0)
    parts = (Part(0, len(EMPTY_CELL), Box(left, top, right, bottom)),)
    return line._replace(text=EMPTY_CELL, x0=left, x1=right, cells=(), parts=parts)


def _from_the_top(cells: Sequence[Sequence[Line]]) -> list[Line]:
    """The lines of a row's cells, each cell moved to the row's top; a cell of one line is joined with the next."""
    top = max(line.y for cell in cells for line in cell)
    told: list[Line] = []
    is_one_line = False
    for cell in cells:
        rise = top - cell[0].y
        first, *rest = [_without_gaps(line)._replace(y=line.y + rise, y_end=line.y_end + rise) for line in cell]
        if is_one_line:
            told[-1] = beside(told[-1], first, _RULED_GAP)
        else:
            told.append(first)
        is_one_line = not rest and first.y == first.y_end
        told += rest
    return told


def _without_gaps(line: Line) -> Line:
    """The line as one cell, where its gaps are those of justified words."""
    return line if any(cell.gap > _MOST_JUSTIFIED for cell in line.cells) else line._replace(cells=())
